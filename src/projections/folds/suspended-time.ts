// Time during which a run stands still because a person is awaited: it counts against nobody's time limit.

import type { JournalEvent, RunStatus } from "../../journal/events.ts";
import { SELF_RESUMING } from "./run-row.ts";

export interface SuspendedTime {
  ms: number;
  /** Since when the run stands still, if it does. */
  since: number | undefined;
}

/** `status`: the run's before this event, which may change it. */
export function trackSuspension(held: SuspendedTime, status: RunStatus, event: JournalEvent): void {
  if (held.since !== undefined) {
    held.ms += event.ts - held.since;
    held.since = undefined;
  }
  const waits = event.type === "RUN_SUSPENDED" ? event.payload.waitingOn.kind : undefined;
  const stays = status === "suspended" && event.type !== "RUN_RESUMED" && waits === undefined;
  if (stays || (waits !== undefined && !SELF_RESUMING.has(waits))) held.since = event.ts;
}

/** Now, on the clock that stands still while a person is awaited. */
export const clockWithoutSuspensions = ({ ms, since }: SuspendedTime, now: number): number =>
  (since ?? now) - ms;
