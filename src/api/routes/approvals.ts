// What waits for a person, over all runs, and the person's word on it. An item of a child shows on its ancestors too.

import { CadreError } from "../../errors.ts";
import { parseApprovalId, type RunId } from "../../ids.ts";
import { grantOf } from "../../loop/give-grant.ts";
import { decideApproval } from "../../loop/people.ts";
import { type ApprovalItem, openItems } from "../../projections/approvals.ts";
import { fold } from "../../projections/projection.ts";
import { runStateProjection } from "../../projections/run-state.ts";
import type { ApprovalRef, Store } from "../../stores/store.ts";
import { isDamage } from "../failure.ts";
import { findRun } from "../find-run.ts";
import type { ApiParts } from "../parts.ts";
import { type Route, route } from "../route.ts";
import { ApprovalsQuery, ApprovalView, DecisionBody } from "../schema.ts";
import { subtreeOf } from "../subtree.ts";
import { Approvals, Decided } from "../wire.ts";

export function approvalRoutes(parts: ApiParts): Route[] {
  const { store, people, who } = parts;
  return [
    route(
      {
        method: "get",
        path: "/api/approvals",
        summary: "What waits for a person",
        query: ApprovalsQuery,
        answer: Approvals,
        polled: true,
      },
      async ({ query: { run } }) => {
        const refs = run === undefined ? await store.openApprovals() : await openBelow(store, run);
        return { approvals: await viewsOf(parts, refs) };
      },
    ),
    route(
      {
        method: "get",
        path: "/api/approvals/{id}",
        summary: "One thing that waits for a person",
        answer: ApprovalView,
        polled: true,
      },
      async ({ params: { id } }) => {
        const { runId, itemId } = parseApprovalId(await wholeId(store, id).catch(alike(id))) ?? {};
        const refs = runId === undefined ? [] : await store.openApprovals({ run: runId });
        const wanted = refs.filter((ref) => ref.itemId === itemId);
        const [view] = await viewsOf(parts, wanted);
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
      },
      async ({ params: { id }, body }, c) => {
        const decided = wholeId(store, id).then((whole) =>
          decideApproval(whole, body, who(c.req.raw), people),
        );
        return decided.catch(alike(id));
      },
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
      throw new CadreError("NOT_FOUND", `There is no approval ${id}.`);
    }
    throw error;
  };
}

async function openBelow(store: Store, id: RunId): Promise<ApprovalRef[]> {
  const top = await findRun(store, id);
  const [refs, runs] = await Promise.all([
    store.openApprovals({ root: top.rootRunId }),
    subtreeOf(store, top),
  ]);
  const below = new Set(runs.map((row) => row.id));
  return refs.filter((ref) => below.has(ref.runId));
}

async function viewsOf({ store, people }: ApiParts, refs: readonly ApprovalRef[]): Promise<ApprovalView[]> {
  const runIds = [...new Set(refs.map((ref) => ref.runId))];
  const views = new Map<string, ApprovalView>();
  for (const runId of runIds) {
    const items = await itemsOf(store, runId);
    if (items.length === 0) continue;
    const path = await agentPath(store, runId);
    for (const item of items)
      views.set(`${runId}:${item.itemId}`, { ...item, path, ...grantShown(item, people) });
  }
  return refs.flatMap(({ runId, itemId }) => views.get(`${runId}:${itemId}`) ?? []);
}

function grantShown({ kind, tool, input }: ApprovalItem, { grantFor }: ApiParts["people"]) {
  const grant = kind === "tool" ? grantOf(tool, input, grantFor) : undefined;
  return grant === undefined ? {} : { grant };
}

/** A damaged run is set aside; it must not hide what waits in the others. */
async function itemsOf(store: Store, runId: RunId): Promise<ApprovalItem[]> {
  try {
    return openItems(fold(runStateProjection, await store.journal(runId)));
  } catch (error) {
    if (!isDamage(error)) throw error;
    await store.quarantine({
      runId,
      reason: error.message,
      seq: error.details?.["seq"] as number | undefined,
    });
    return [];
  }
}

async function agentPath(store: Store, runId: RunId): Promise<string[]> {
  const path: string[] = [];
  let next: RunId | undefined = runId;
  while (next !== undefined) {
    const row = await store.run(next);
    if (row) path.unshift(row.agent);
    next = row?.parentRunId;
  }
  return path;
}
