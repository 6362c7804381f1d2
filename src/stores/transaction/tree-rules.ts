// What one run's change means for the runs around it (J7), from the rows of both. Pure.

import type { EventBody, JournalEvent } from "../../journal/events.ts";
import { blockersOf, childCompleted, childQuarantinedEvent } from "../../projections/folds/parent-events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { Refusal, Spawn } from "../store.ts";

/** What a parent is told of the last thing that happened to its child: P6 its end, or that it was set aside. */
export const newsOfChild = (row: RunRow, last: JournalEvent): EventBody | undefined =>
  childCompleted(row, last) ?? setAside(row, last);

/** E5: for its parent, a run that was set aside has ended; released, its own end reaches nobody. */
function setAside(row: RunRow, event: JournalEvent): EventBody | undefined {
  if (event.type !== "RUN_SUSPENDED" || event.payload.waitingOn.kind !== "quarantine") return undefined;
  return childQuarantinedEvent(row, event.payload.waitingOn.detail ?? "it could not be driven.");
}

/** Looked through for nothing after each event of each child, a wide tree would take the square of its width. */
export const mayBlock = (child: RunRow, parent: RunRow): boolean =>
  blockersOf(child).length > 0 || parent.waitingOn?.blockers !== undefined;

/** `counted`: the children of the parent, and the runs of its tree. */
export function spawnRefusal(
  counted: { children: number; runs: number },
  { limits }: Spawn,
): Refusal | undefined {
  if (counted.children >= limits.children) return "children";
  return counted.runs >= limits.runs ? "runs" : undefined;
}
