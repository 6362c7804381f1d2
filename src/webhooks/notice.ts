// What is worth telling somebody who is not looking: a tree needs a person, is done, or has failed. One word for a tree,
// never one for each run of it (U32): what happens below reaches the root's journal, and only that is looked at.

import type { WebhookEvent } from "../config/schema.ts";
import type { JournalEvent } from "../journal/events.ts";
import { applyRunRow, initialRow, type RunRow } from "../projections/folds/run-row.ts";

export interface Notice {
  event: WebhookEvent;
  run: RunRow;
  at: number;
}

const WORTH: ReadonlySet<JournalEvent["type"]> = new Set(["RUN_SUSPENDED", "RUN_COMPLETED", "RUN_FAILED"]);

/** Whether it can be one at all: the others need no further look. */
export const mayBeNotice = ({ type }: JournalEvent): boolean => WORTH.has(type);

/** `journal`: the run's own, up to and with the event. The same journal gives the same notice, whenever it is looked at. */
export function noticeOf(event: JournalEvent, journal: readonly JournalEvent[]): Notice | undefined {
  const [first, ...rest] = journal;
  if (first?.type !== "RUN_STARTED" || first.payload.parentRunId !== undefined) return undefined;
  const before = rest.slice(0, -1).reduce(applyRunRow, initialRow(first.runId, first.payload, first.ts));
  const needed = needsPerson(before);
  const run = applyRunRow(before, event);
  const at = event.ts;
  if (event.type === "RUN_COMPLETED") return { event: "done", run, at };
  if (event.type === "RUN_FAILED") return { event: "failed", run, at };
  // Somebody who needs to be told twice has been told once already.
  return needsPerson(run) && !needed ? { event: "needs-you", run, at } : undefined;
}

/** Who has paused it knows. */
const needsPerson = ({ status, waitingOn }: RunRow): boolean =>
  status === "suspended" && waitingOn?.kind !== "paused";
