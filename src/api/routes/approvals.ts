// Lists the calls, questions and budgets that wait for a person, and accepts the person's decisions.
// An item of a child run is also listed for the child's ancestors.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { parseApprovalId, type RunId } from "../../ids.ts";
import { askPerson, type Decision, decideApproval } from "../../loop/commands/person-commands.ts";
import type { ApprovalRef, Store } from "../../stores/store.ts";
import type { ApiParts, RouteParts } from "../parts.ts";
import { ApprovalView, approvalViews, EditPreview, editPreview } from "../views/approvals.ts";
import { findRun, subtreeOf } from "../views/read-runs.ts";
import { route } from "./route.ts";
import { Decided, namedObject, namedStrictObject } from "./schemas.ts";

export const DecisionBody = namedStrictObject("DecisionBody", {
  decision: z.enum(["approve", "edit", "reject", "answer"]),
  /** The edited input. It is allowed only with the decision `edit`. All other decisions apply to the input that was shown. */
  input: z.unknown().exactOptional(),
  answer: z.string().exactOptional(),
  /** Id of the person's message in a session, if that message is the answer. */
  messageId: z.string().min(1).exactOptional(),
  note: z.string().exactOptional(),
  /** True if the option `--yes` decides and no person is asked. */
  automatic: z.literal(true).exactOptional(),
  scope: z.enum(["once", "run", "tree", "always"]).exactOptional(),
  /** Time when the grant ends, in milliseconds since the epoch. */
  until: z.int().positive().exactOptional(),
  limits: z
    .strictObject({
      maxTokens: z.int().positive().exactOptional(),
      maxCost: z.number().positive().exactOptional(),
    })
    .exactOptional(),
});
export type DecisionBody = z.input<typeof DecisionBody>;

export const PreviewBody = namedStrictObject("PreviewBody", { input: z.unknown() });

/** Names the person who should decide. */
export const AskBody = namedStrictObject("AskBody", {
  person: z.string().trim().min(1).max(200),
  note: z.string().max(2_000).exactOptional(),
});

export const ApprovalsQuery = z.strictObject({
  status: z.literal("open").exactOptional(),
  run: z.string().min(1).exactOptional(),
});

export const Approvals = namedObject("Approvals", { approvals: z.array(ApprovalView) });

export function approvalRoutes(parts: RouteParts) {
  const { store, people, by } = parts;
  return [
    route.get(
      "/api/approvals",
      { summary: "Everything that waits for a person", query: ApprovalsQuery, answer: Approvals, etag: true },
      async ({ query: { run } }) => {
        const refs = run === undefined ? await store.inbox.openItems() : await openBelow(store, run);
        return { approvals: await approvalViews(parts, refs) };
      },
    ),
    route.get(
      "/api/approvals/{id}",
      { summary: "One item that waits for a person", answer: ApprovalView, allowSlashes: true, etag: true },
      ({ params: { id } }) =>
        withApproval(store, id, async (fullId) => {
          const { runId, itemId } = parseApprovalId(fullId) ?? {};
          const refs = runId === undefined ? [] : await store.inbox.openItems({ run: runId });
          const wanted = refs.filter((ref) => ref.itemId === itemId);
          const [view] = await approvalViews(parts, wanted);
          if (!view) throw new CadreError("NOT_FOUND", id);
          return view;
        }),
    ),
    route.post(
      "/api/approvals/{id}",
      { summary: "Decide an item", body: DecisionBody, answer: Decided, allowSlashes: true },
      ({ params: { id }, body }, c) =>
        withApproval(store, id, async (fullId) => {
          await checkDecision(fullId, body, parts);
          return decideApproval(fullId, body, by(c.req.raw), people);
        }),
    ),
    route.post(
      "/api/approvals/{id}/ask",
      {
        summary: "Ask another person to decide an item; the item stays open",
        body: AskBody,
        allowSlashes: true,
        status: 202,
      },
      ({ params: { id }, body }, c) =>
        withApproval(store, id, (fullId) => askPerson(fullId, body, by(c.req.raw), people)),
    ),
    route.post(
      "/api/approvals/{id}/preview",
      {
        summary: "Preview a call with another input; decides nothing",
        body: PreviewBody,
        answer: EditPreview,
        allowSlashes: true,
      },
      ({ params: { id }, body: { input } }) =>
        withApproval(store, id, (fullId) => editPreview(fullId, input, people)),
    ),
  ];
}

/**
 * Calls `use` with the full id of an approval. In `id`, the run's id can be shortened to a prefix, as in other routes.
 * F15: the error does not reveal whether the run or only the item is missing.
 */
async function withApproval<T>(store: Store, id: string, use: (fullId: string) => Promise<T>): Promise<T> {
  const colon = id.indexOf(":");
  try {
    const runId = colon === -1 ? "" : (await findRun(store, id.slice(0, colon))).id;
    return await use(colon === -1 ? id : `${runId}${id.slice(colon)}`);
  } catch (error) {
    if (!(error instanceof CadreError) || error.code !== "NOT_FOUND") throw error;
    throw new CadreError(
      "NOT_FOUND",
      `There is no approval ${id}. \`cadre approve\` lists open ones. Nothing was decided.`,
    );
  }
}

/** Finds the open items of a run and its descendants. */
async function openBelow(store: Store, id: RunId): Promise<ApprovalRef[]> {
  const top = await findRun(store, id);
  const [refs, runs] = await Promise.all([
    store.inbox.openItems({ root: top.rootRunId }),
    subtreeOf(store, top),
  ]);
  const below = new Set(runs.map((row) => row.id));
  return refs.filter((ref) => below.has(ref.runId));
}

/**
 * Rejects a decision on an open item if the decision has no effect, or clearly not the effect that the person intended.
 * A decision on an item that is already decided passes this check. The client then learns that the item was decided.
 */
export async function checkDecision(
  id: string,
  decision: Decision,
  { store, people }: Pick<ApiParts, "store" | "people">,
): Promise<void> {
  const { runId, itemId } = parseApprovalId(id) ?? {};
  if (runId === undefined) return;
  const item = (await store.inbox.openItems({ run: runId })).find((open) => open.itemId === itemId);
  const problem = item && problemOf(item, decision, people.clock.now());
  if (problem !== undefined) throw new CadreError("BAD_REQUEST", `${problem} Nothing was decided.`);
}

function problemOf(
  { kind }: ApprovalRef,
  { decision, answer, until, limits = {} }: Decision,
  now: number,
): string | undefined {
  if (until !== undefined && until <= now)
    return "`until` is in the past: give a future time, in milliseconds since 1970.";
  if (decision === "answer" && answer !== undefined && answer.trim() === "")
    return "The answer is empty: write one in `answer`, or reject the question.";
  if (kind === "budget" && decision === "approve" && Object.keys(limits).length === 0)
    return "The budget is used up, so the run would stop again at once. Raise it with `limits` (`maxTokens`, `maxCost`), or reject to let the run end.";
  return undefined;
}
