// Whether a run that a person was asked about has its answers, and only has to be taken up: without a driver its row says
// "suspended" still, and whoever is told "needs you" looks in vain for what to answer.

import type { WaitingOn } from "../journal/events.ts";
import type { RunRow } from "./folds/run-row.ts";

export type Answerable = Pick<RunRow, "id" | "status"> & {
  waitingOn?: WaitingOn | undefined;
  cancelRequested?: boolean;
};

/** What is known of the runs around it. */
export interface SurroundingRuns {
  hasOpenItem(runId: string): boolean;
  /** Undefined: not known, so nothing is said of it. */
  run(runId: string): Answerable | undefined;
}

export function isAnswered({ id, status, waitingOn }: Answerable, around: SurroundingRuns): boolean {
  if (status !== "suspended") return false;
  if (waitingOn?.kind === "child_hitl")
    return (waitingOn.blockers ?? []).every((blocker) => isClear(around.run(blocker), around));
  return ANSWERED_BY_ITEMS.has(waitingOn?.kind) && !around.hasOpenItem(id);
}

/** Nobody has to do anything about it any more. */
const isClear = (run: Answerable | undefined, around: SurroundingRuns): boolean =>
  run !== undefined &&
  (run.status !== "suspended" || run.cancelRequested === true || isAnswered(run, around));

/** Without an open item of their own these have been answered. */
export const ANSWERED_BY_ITEMS: ReadonlySet<WaitingOn["kind"] | undefined> = new Set([
  "approval",
  "question",
  "outcome_unknown",
  "budget",
  "loop",
] as const);
