// Finds where a fork begins: the last point at or before the chosen event at which no call was open. The next step is a model call.
// A fork never inherits an unfinished call. Instead, it calls the model again.

import type { JournalEvent } from "../../journal/events.ts";
import { applyRunState, emptyRunState, FINAL_REPORT, type RunState } from "../folds/run-state.ts";

/** The event at which a fork begins. If `says` is set, the fork begins with a new message, so it can also begin after a final answer. */
export function forkPoint(events: readonly JournalEvent[], at: number, says: boolean): number {
  const state = emptyRunState();
  let point = 1;
  let heardAt = 0;
  for (const event of events) {
    if (event.seq > at) break;
    applyRunState(state, event);
    if (event.type === "CONTEXT_ADDED") heardAt = event.seq;
    if (isSettled(state) && (says || isModelsTurn(state, heardAt))) point = event.seq;
    if (says && state.end) point = event.seq;
  }
  return point;
}

/** The events after the fork's point that report the ends of children. Only children that started before and were not awaited are included. */
export function childEndsAfter(events: readonly JournalEvent[], point: number): number[] {
  const open = new Set<string>();
  return events.flatMap((event) => {
    if (event.type === "CHILD_RUN_STARTED" && event.seq <= point && event.payload.awaited === false)
      open.add(event.payload.child_run_id);
    const isLater = event.type === "CHILD_RUN_COMPLETED" && event.seq > point;
    return isLater && open.has(event.payload.child_run_id) ? [event.seq] : [];
  });
}

const isSettled = ({ end, openModelCall, calls }: RunState): boolean =>
  !end && !openModelCall && [...calls.values()].every(({ result }) => result);

/** After a plain answer or a final report the model is not called again, unless a new message has arrived. */
const isModelsTurn = ({ latest, calls }: RunState, heardAt: number): boolean =>
  latest === undefined || heardAt > latest.seq || (calls.size > 0 && !hasReported(calls));

const hasReported = (calls: RunState["calls"]): boolean =>
  [...calls.values()].some(({ name, result }) => name === FINAL_REPORT && result?.outcome === "ok");
