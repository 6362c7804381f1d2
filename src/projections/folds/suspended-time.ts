// Time that a run spends waiting for a person. It does not count against time limits.

import type { JournalEvent, RunStatus } from "../../journal/events.ts";
import { SELF_RESUMING } from "./run-row.ts";

export interface SuspendedTime {
  ms: number;
  /** Since when the run has been waiting, if it is. */
  since: number | undefined;
}

/** `status` is the run's status before this event. */
export function trackSuspension(suspended: SuspendedTime, status: RunStatus, event: JournalEvent): void {
  if (suspended.since !== undefined) {
    suspended.ms += event.ts - suspended.since;
    suspended.since = undefined;
  }
  const waits = event.type === "RUN_SUSPENDED" ? event.payload.waitingOn.kind : undefined;
  const stays = status === "suspended" && event.type !== "RUN_RESUMED" && waits === undefined;
  if (stays || (waits !== undefined && !SELF_RESUMING.has(waits))) suspended.since = event.ts;
}

/** The current time on a clock that stops while the run waits for a person. */
export const clockWithoutSuspensions = ({ ms, since }: SuspendedTime, now: number): number =>
  (since ?? now) - ms;
