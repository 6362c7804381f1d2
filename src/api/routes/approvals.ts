// What waits for a person, over all runs, and the person's word on it. An item of a child shows on its ancestors too.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { parseApprovalId, type RunId } from "../../ids.ts";
import { askPerson, type Decision, decideApproval } from "../../loop/commands/person-commands.ts";
import type { ApprovalRef, Store } from "../../stores/store.ts";
import type { ApiParts, RouteParts } from "../parts.ts";
import { ApprovalView, approvalViews, EditPreview, editPreview } from "../views/approvals.ts";
import { findRun, subtreeOf } from "../views/read-runs.ts";
import { route } from "./route.ts";
import { Decided, Nothing, named } from "./schemas.ts";

export const DecisionBody = named(
  "DecisionBody",
  z.strictObject({
    decision: z.enum(["approve", "edit", "reject", "answer"]),
    /** Only with `edit`: otherwise what was shown is what runs. */
    input: z.unknown().exactOptional(),
    answer: z.string().exactOptional(),
    note: z.string().exactOptional(),
    scope: z.enum(["once", "run", "tree", "always"]).exactOptional(),
    /** Milliseconds since the epoch. */
    until: z.int().positive().exactOptional(),
    limits: z
      .strictObject({
        maxTokens: z.int().positive().exactOptional(),
        maxCost: z.number().positive().exactOptional(),
      })
      .exactOptional(),
  }),
);
export type DecisionBody = z.input<typeof DecisionBody>;

/** An input that somebody thinks of approving instead. */
export const PreviewBody = named("PreviewBody", z.strictObject({ input: z.unknown() }));
export type PreviewBody = z.input<typeof PreviewBody>;

/** Who should decide. */
export const AskBody = named(
  "AskBody",
  z.strictObject({
    person: z.string().trim().min(1).max(200),
    note: z.string().max(2_000).exactOptional(),
  }),
);
export type AskBody = z.input<typeof AskBody>;

export const ApprovalsQuery = named(
  "ApprovalsQuery",
  z.strictObject({
    status: z.literal("open").exactOptional(),
    run: z.string().min(1).exactOptional(),
  }),
);

export const Approvals = named("Approvals", z.object({ approvals: z.array(ApprovalView) }));

export function approvalRoutes(parts: RouteParts) {
  const { store, people, by } = parts;
  return [
    route(
      {
        method: "get",
        path: "/api/approvals",
        summary: "What waits for a person",
        query: ApprovalsQuery,
        answer: Approvals,
        etag: true,
      },
      async ({ query: { run } }) => {
        const refs = run === undefined ? await store.inbox.openItems() : await openBelow(store, run);
        return { approvals: await approvalViews(parts, refs) };
      },
    ),
    route(
      {
        method: "get",
        path: "/api/approvals/{id}",
        summary: "One thing that waits for a person",
        answer: ApprovalView,
        allowSlashes: true,
        etag: true,
      },
      async ({ params: { id } }) => {
        const { runId, itemId } = parseApprovalId(await wholeId(store, id).catch(alike(id))) ?? {};
        const refs = runId === undefined ? [] : await store.inbox.openItems({ run: runId });
        const wanted = refs.filter((ref) => ref.itemId === itemId);
        const [view] = await approvalViews(parts, wanted);
        return view ?? alike(id)(new CadreError("NOT_FOUND", id));
      },
    ),
    route(
      {
        method: "post",
        path: "/api/approvals/{id}",
        summary: "A person's word on it",
        body: DecisionBody,
        answer: Decided,
        allowSlashes: true,
      },
      async ({ params: { id }, body }, c) => {
        const decided = wholeId(store, id).then(async (whole) => {
          await checkDecision(whole, body, parts);
          return decideApproval(whole, body, by(c.req.raw), people);
        });
        return decided.catch(alike(id));
      },
    ),
    ...asideRoutes(parts),
  ];
}

/** What decides nothing. */
function asideRoutes(parts: RouteParts) {
  const { store, people, by } = parts;
  return [
    route(
      {
        method: "post",
        path: "/api/approvals/{id}/ask",
        summary: "Put it to another person; it stays open",
        body: AskBody,
        answer: Nothing,
        allowSlashes: true,
        status: 202,
      },
      async ({ params: { id }, body }, c) => {
        const asked = wholeId(store, id).then((whole) => askPerson(whole, body, by(c.req.raw), people));
        await asked.catch(alike(id));
        return {};
      },
    ),
    route(
      {
        method: "post",
        path: "/api/approvals/{id}/preview",
        summary: "What would come of it with another input; decides nothing",
        body: PreviewBody,
        answer: EditPreview,
        allowSlashes: true,
      },
      ({ params: { id }, body: { input } }) =>
        wholeId(store, id)
          .then((whole) => editPreview(whole, input, people))
          .catch(alike(id)),
    ),
  ];
}

/** The run's part of an id may be the beginning of it, as wherever a run is named. */
async function wholeId(store: Store, id: string): Promise<string> {
  const colon = id.indexOf(":");
  if (colon === -1) return id;
  const { id: runId } = await findRun(store, id.slice(0, colon));
  return `${runId}${id.slice(colon)}`;
}

/** F15: whether it is the run or only the item that is not there is nobody's business. */
function alike(id: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof CadreError && error.code === "NOT_FOUND") {
      throw new CadreError(
        "NOT_FOUND",
        `There is no approval ${id}: \`cadre approve\` lists what is open. Nothing was decided.`,
      );
    }
    throw error;
  };
}

async function openBelow(store: Store, id: RunId): Promise<ApprovalRef[]> {
  const top = await findRun(store, id);
  const [refs, runs] = await Promise.all([
    store.inbox.openItems({ root: top.rootRunId }),
    subtreeOf(store, top),
  ]);
  const below = new Set(runs.map((row) => row.id));
  return refs.filter((ref) => below.has(ref.runId));
}

// A word that would bring about nothing, or nothing that anybody meant, is refused while its item is open. Once it is
// decided, whoever sends the same word again is told so, as with every other.
export async function checkDecision(
  id: string,
  word: Decision,
  { store, people }: Pick<ApiParts, "store" | "people">,
): Promise<void> {
  const { runId, itemId } = parseApprovalId(id) ?? {};
  if (runId === undefined) return;
  const item = (await store.inbox.openItems({ run: runId })).find((open) => open.itemId === itemId);
  const problem = item && problemOf(item, word, people.clock.now());
  if (problem !== undefined) throw new CadreError("BAD_REQUEST", `${problem} Nothing was decided.`);
}

function problemOf(
  { kind }: ApprovalRef,
  { decision, answer, until, limits = {} }: Decision,
  now: number,
): string | undefined {
  if (until !== undefined && until <= now)
    return "`until` has passed already: give a time that is still to come, in milliseconds since 1970.";
  if (decision === "answer" && answer !== undefined && answer.trim() === "")
    return "The answer has no word in it: say something as `answer`, or reject the question.";
  if (kind === "budget" && decision === "approve" && Object.keys(limits).length === 0)
    return "The budget is used up, and the run would stop again at once: give it more by `limits` (`maxTokens`, `maxCost`), or reject it to let the run end.";
  return undefined;
}
