// How a run stands for somebody who looks at it from outside: a journal that says "running" is true only while a process
// drives.

import type { ApprovalView, Health, RunSummary } from "../api/schema.ts";

/** `left`: it could go on, and nobody is working on it. */
export type Standing = RunSummary["status"] | "left";

/** `open`: what waits for a person, in this run at least. */
export function standingOf(
  { id, status, waitingOn }: RunSummary,
  { drives }: Pick<Health, "drives">,
  open: readonly ApprovalView[],
): Standing {
  if (drives) return status;
  if (GOES_ON.has(status)) return "left";
  const isAnswered = ANSWERED_BY_ITEMS.has(waitingOn?.kind ?? "") && !open.some(({ runId }) => runId === id);
  return status === "suspended" && isAnswered ? "left" : status;
}

const GOES_ON: ReadonlySet<string> = new Set(["pending", "running", "waiting"]);

/** Without an open item of their own these have been answered. */
const ANSWERED_BY_ITEMS: ReadonlySet<string> = new Set([
  "approval",
  "question",
  "outcome_unknown",
  "budget",
  "loop",
]);
