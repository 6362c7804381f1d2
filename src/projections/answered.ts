// Whether a suspended run has all its answers and only needs a driver. Without one its row still says "suspended", and a
// person who sees "needs you" would find nothing to answer.

import type { WaitingOn } from "../journal/events.ts";
import type { RunRow } from "./folds/run-row.ts";

export type Answerable = Pick<RunRow, "id" | "status"> & {
  waitingOn?: WaitingOn | undefined;
  cancelRequested?: boolean;
};

/** What is known about the runs around it. */
export interface SurroundingRuns {
  hasOpenItem(runId: string): boolean;
  /** Undefined if the run is not known. */
  run(runId: string): Answerable | undefined;
}

export function isAnswered({ id, status, waitingOn }: Answerable, around: SurroundingRuns): boolean {
  if (status !== "suspended") return false;
  if (waitingOn?.kind === "child_hitl")
    return (waitingOn.blockers ?? []).every((blocker) => isClear(around.run(blocker), around));
  return ANSWERED_BY_ITEMS.has(waitingOn?.kind) && !around.hasOpenItem(id);
}

/** No person has to do anything about the run any more. */
const isClear = (run: Answerable | undefined, around: SurroundingRuns): boolean =>
  run !== undefined &&
  (run.status !== "suspended" || run.cancelRequested === true || isAnswered(run, around));

/** Kinds of waits that are answered as soon as the run has no open item. */
export const ANSWERED_BY_ITEMS: ReadonlySet<WaitingOn["kind"] | undefined> = new Set([
  "approval",
  "question",
  "outcome_unknown",
  "budget",
  "loop",
] as const);
