// The status of a run as people see it (U01, S2-82): a label and a tone. All lists, trees and badges of the terminal and the page use them.

import type { RunRow } from "../folds/run-row.ts";
import { isLimit } from "./stop-reasons.ts";

/**
 * These statuses are more detailed than the recorded status. `undriven`: the run could continue, but no process drives it.
 * `answered`: a person has decided, and the next driver will continue the run.
 * `cancel_pending`: the run was cancelled, but no process has ended it.
 * `timed_out`: the limit on time ended the run. `cut_off`: another limit did, although the run still reported.
 */
export type ShownStatus =
  | "queued"
  | "running"
  | "waiting"
  | "needs_person"
  | "paused"
  | "frozen"
  | "answered"
  | "undriven"
  | "stopping"
  | "cancel_pending"
  | "completed"
  | "failed"
  | "timed_out"
  | "cut_off"
  | "cancelled"
  | "moved";

export interface StatusLabel {
  label: string;
  tone: "good" | "bad" | "warn" | "info" | "muted";
}

export const STATUS_LABELS: Record<ShownStatus, StatusLabel> = {
  queued: { label: "queued", tone: "info" },
  running: { label: "running", tone: "info" },
  waiting: { label: "waiting", tone: "info" },
  needs_person: { label: "needs you", tone: "warn" },
  paused: { label: "paused", tone: "warn" },
  frozen: { label: "frozen", tone: "warn" },
  answered: { label: "answered", tone: "info" },
  undriven: { label: "not being worked on", tone: "warn" },
  stopping: { label: "stopping", tone: "warn" },
  cancel_pending: { label: "cancelled, not ended", tone: "warn" },
  completed: { label: "completed", tone: "good" },
  failed: { label: "failed", tone: "bad" },
  timed_out: { label: "timeout", tone: "warn" },
  cut_off: { label: "cut off", tone: "warn" },
  cancelled: { label: "cancelled", tone: "muted" },
  moved: { label: "moved", tone: "muted" },
};

export type RunForStatus = Pick<RunRow, "status"> & {
  [K in "waitingOn" | "stopReason" | "cancelRequested"]?: RunRow[K] | undefined;
} & {
  /** True if a person has decided everything that the run waits for. */
  answered?: boolean | undefined;
};

/** The status of a run as people see it. `drives` says whether a process drives the store's runs, if that is known. */
export function shownStatus(run: RunForStatus, drives = true): ShownStatus {
  const { status, waitingOn, stopReason, cancelRequested, answered } = run;
  if (status === "cancelled") return stopReason === "moved" ? "moved" : "cancelled";
  if (status === "completed" || status === "failed") {
    if (stopReason === "max_duration") return "timed_out";
    return status === "completed" && stopReason !== undefined && isLimit(stopReason) ? "cut_off" : status;
  }
  if (cancelRequested) return drives ? "stopping" : "cancel_pending";
  if (answered) return drives ? "answered" : "undriven";
  if (status === "suspended") {
    if (waitingOn?.kind !== "paused") return "needs_person";
    return waitingOn.frozen ? "frozen" : "paused";
  }
  if (!drives) return "undriven";
  if (status === "waiting") return "waiting";
  return status === "pending" ? "queued" : "running";
}

/** How and after what time a run ended: `Completed in 4.2 s`, `Failed after 2 min`. */
export function describeEnding(run: RunForStatus, time: string): string {
  const status = shownStatus(run);
  if (status === "completed") return `Completed in ${time}`;
  return `${status === "timed_out" ? "Timed out" : capitalize(STATUS_LABELS[status].label)} after ${time}`;
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
