// A notice tells people who are not watching that a tree needs a person, is done, or has failed.
// Only the root of a tree sends notices (U32). The root's journal also records what the descendants need, so no other journal is read.

import type { WebhookEvent } from "../config/schema.ts";
import type { JournalEvent } from "../journal/events.ts";
import { applyRunRow, initialRow, type RunRow } from "../projections/folds/run-row.ts";

export interface Notice {
  event: WebhookEvent;
  run: RunRow;
  at: number;
}

const NOTICE_TYPES: ReadonlySet<JournalEvent["type"]> = new Set([
  "RUN_SUSPENDED",
  "RUN_COMPLETED",
  "RUN_FAILED",
]);

/** Checks only the event's type, so that the journal is not read for events that never give a notice. */
export const mayBeNotice = ({ type }: JournalEvent): boolean => NOTICE_TYPES.has(type);

/** Derives the notice of an event. `journal` is the run's journal up to and including that event. */
export function noticeOf(event: JournalEvent, journal: readonly JournalEvent[]): Notice | undefined {
  const [first, ...rest] = journal;
  if (first?.type !== "RUN_STARTED" || first.payload.parentRunId !== undefined) return undefined;
  const before = rest.slice(0, -1).reduce(applyRunRow, initialRow(first.runId, first.payload, first.ts));
  const neededBefore = needsPerson(before);
  const run = applyRunRow(before, event);
  const at = event.ts;
  if (event.type === "RUN_COMPLETED") return { event: "done", run, at };
  if (event.type === "RUN_FAILED") return { event: "failed", run, at };
  // If the run needed a person before this event, it has already sent a notice.
  return needsPerson(run) && !neededBefore ? { event: "needs-you", run, at } : undefined;
}

/** True if the run waits for a person. False for a paused run, because the person who paused it already knows that it waits. */
const needsPerson = ({ status, waitingOn }: RunRow): boolean =>
  status === "suspended" && waitingOn?.kind !== "paused";
