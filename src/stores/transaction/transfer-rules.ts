// What every store asks about a tree before it goes or comes (E7). Pure.

import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { EventBody, JournalEvent, UnjournaledState } from "../../journal/events.ts";
import type { Columns, RunRecord } from "../run-record.ts";
import type { CarriedTree, MovedTree } from "../store.ts";

/** A tree that is at work would go on at both ends. */
export function refuseIfAtWork(runs: readonly RunRecord[], now: number): void {
  const busy = runs.find((held) => !isAtRest(held, now));
  if (!busy) return;
  throw new CadreError(
    "CONFLICT",
    `Run ${busy.row.id} (${busy.row.agent}) is at work or about to be. Nothing was moved: wait until the tree rests (\`cadre freeze ${busy.row.rootRunId}\` brings it to rest where somebody drives), or cancel it, and export it then.`,
    { runId: busy.row.id },
  );
}

/** Due at once, like 0, which is for what has heard something: until then, or until it is driven, it is as much at rest as where it came from. */
export const DUE_ON_ARRIVAL = 1;

function isAtRest({ row, worker, dueAt, previousUntil = 0 }: RunRecord, now: number): boolean {
  if (row.endedAt !== undefined) return true;
  // One who had it before may still be at something here, which would be begun again there.
  if (previousUntil > now) return false;
  return worker === undefined && (dueAt === undefined || dueAt === DUE_ON_ARRIVAL || dueAt > now);
}

/** Others that spend what is this tree's would spend it here, and it there. */
export function refuseIfShared(payer: RunId, others: readonly RunId[]): void {
  if (others.length === 0) return;
  throw new CadreError(
    "CONFLICT",
    `Run ${others[0]} draws on the budget of ${payer} and has not ended. Nothing was moved: wait for it, or cancel it, and export then.`,
    { runs: others },
  );
}

/** By the last words of its runs. */
export function movedTree(last: readonly JournalEvent[]): MovedTree {
  const moved = last.flatMap((event) => (event.type === "RUN_MOVED" ? [event] : []));
  return {
    transferId: moved[0]?.payload.transferId,
    standing: moved.flatMap(({ runId, payload: { standing } }) => (standing ? [{ runId, standing }] : [])),
  };
}

/** Where a tree that has left was sent to. Columns of the same names in every store. */
export interface SentTree {
  target: string;
  hasArrived: boolean;
}

export const readSent = (columns: Readonly<Columns> | undefined): SentTree | undefined =>
  columns && { target: columns["place"] as string, hasArrived: columns["arrived_at"] !== null };

/** One that is handed out a second time would go on in two places. */
export function refuseSecondTarget(root: RunId, sent: SentTree | undefined, to: string | undefined): void {
  if (!sent) return;
  const { target, hasArrived } = sent;
  if (hasArrived)
    throw new CadreError(
      "CONFLICT",
      `${root} was moved to ${target} already, and goes on there. Nothing was sent or written: look for it there, and export it there to move it on.`,
      { to: target },
    );
  if (to === undefined || to === target) return;
  throw new CadreError(
    "CONFLICT",
    `${root} was sent to ${target}, and whether it has arrived there is not known. Nothing was sent to ${to}, or it could go on in both. Ask again with --to ${target}; if it is not there, \`cadre export --format cadre ${root}\` writes the file to import elsewhere.`,
    { to: target },
  );
}

/** A file that was written before the tree arrived elsewhere would go on beside it. */
export function refuseIfArrived(sent: SentTree | undefined): void {
  if (!sent?.hasArrived) return;
  throw new CadreError(
    "CONFLICT",
    `The tree of this file was moved from here to ${sent.target}, and goes on there. Nothing was imported: to have it back, export it there.`,
    { to: sent.target },
  );
}

/** What counts for a run beside its journal. Columns of the same names in every store. */
export function readStanding(found: {
  claims: readonly Columns[];
  grants: readonly Columns[];
  budget: Columns | undefined;
}): UnjournaledState {
  const { claims, grants, budget } = found;
  return {
    ...(claims.length === 0 ? {} : { claims: claims.map(({ path }) => path as string) }),
    ...(grants.length === 0 ? {} : { grants: grants.map(grantOf) }),
    ...(budget === undefined ? {} : { budget: readBudget(budget) }),
  };
}

/** The last word of a run here. */
export const movedEvent = (transferId: string, standing: UnjournaledState): EventBody => ({
  type: "RUN_MOVED",
  payload: { transferId, ...(Object.keys(standing).length === 0 ? {} : { standing }) },
});

function grantOf(columns: Readonly<Columns>): NonNullable<UnjournaledState["grants"]>[number] {
  const { until, folder } = columns;
  return {
    rule: columns["rule"] as string,
    by: columns["given_by"] as string,
    at: columns["given_at"] as number,
    ...(until === null ? {} : { until: until as number }),
    ...(folder === null ? {} : { folder: folder as string }),
  };
}

export function readBudget(columns: Readonly<Columns>): NonNullable<UnjournaledState["budget"]> {
  const { max_tokens: maxTokens, max_cost: maxCost } = columns;
  return {
    ...(maxTokens === null ? {} : { maxTokens: maxTokens as number }),
    ...(maxCost === null ? {} : { maxCost: maxCost as number }),
  };
}

/** The latest hash of every run of a tree. */
export function headsOf({ events }: CarriedTree): Map<RunId, string> {
  return new Map(events.map(({ event, hash }) => [event.runId, hash]));
}

/** Whether a run is here already as it comes. */
export function isAlreadyHere(held: RunRecord, hash: string): boolean {
  if (held.hash === hash) return true;
  const { id, rootRunId, stopReason } = held.row;
  const why =
    stopReason === "moved"
      ? `It was moved away from here; \`cadre prune --run ${rootRunId}\` makes room for it.`
      : "A journal has one continuation: look which of the two is the right one.";
  throw new CadreError("CONFLICT", `There is another run ${id} here already. Nothing was imported. ${why}`, {
    runId: id,
  });
}
