// Who is at work in a workspace, and who waits for that (B4). A run takes a place with an intent and gives it back when it
// rests or ends; one whose process died or left still has its place, and goes on with it.
//  1  No more runs have a place than may be at work at the same time.
//  2  Who waits longest is first: nobody takes a place that an older one waits for.
//  3  Whoever gives a place back, or waits no more, makes the next one due in the same transaction.
// Here is what follows from what a store has read of its places; pure.

import type { RunRecord } from "../run-record.ts";

/** How long the first in a queue rests before they ask again; those far behind rest longer. */
const ASK_AGAIN_MS = 1_000;

/** The ticket of one that has none: behind all who wait. */
export const LAST_TICKET = Number.MAX_SAFE_INTEGER;

/** By the column `held` of a run's place, if it has one. */
export function readSlot(column: unknown): NonNullable<RunRecord["place"]> {
  if (column === null || column === undefined) return "none";
  return column === 1 ? "held" : "queued";
}

/** When a run that was refused a place asks again; 0: there is one by now. `before`: those at work, and those ahead of it. */
export const nextAttemptAt = (now: number, before: number, concurrent: number): number =>
  before < concurrent ? 0 : now + ASK_AGAIN_MS * Math.floor(before / concurrent);

/** One that waits and does not ask by itself now: when a place is free it is made due. */
export const needsWaking = (held: RunRecord | undefined, now: number): held is RunRecord =>
  held !== undefined && held.worker === undefined && (held.dueAt ?? LAST_TICKET) > now;
