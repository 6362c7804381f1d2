// Merges waits in a row into one line: a run that waits nine times in a row would otherwise fill the timeline with
// "Waiting" and "Goes on".

import type { JournalEvent } from "../../journal/events.ts";
import type { TimelineEntry } from "./timeline.ts";

/** Whether the run only stopped or went on by itself. If a person let it go on, that keeps its own line. */
function isRoutineWait(event: JournalEvent | undefined): boolean {
  if (event?.type === "RUN_SUSPENDED") return true;
  return event?.type === "RUN_RESUMED" && event.payload.by === "cadre" && event.payload.note === undefined;
}

/** The lines for waits in a row: one line, if there is more than a wait and its end. */
function waitsInARow(waits: readonly TimelineEntry[]): readonly TimelineEntry[] {
  const last = waits.at(-1);
  if (last === undefined || waits.length <= 2) return waits;
  return [{ ...last, title: `${last.title} (${waits.length} waits and resumes in a row)` }];
}

export function mergeWaits(
  entries: readonly TimelineEntry[],
  eventAt: (seq: number) => JournalEvent | undefined,
): TimelineEntry[] {
  const merged: TimelineEntry[] = [];
  let waits: TimelineEntry[] = [];
  for (const entry of entries) {
    if (isRoutineWait(eventAt(entry.seq))) {
      waits.push(entry);
      continue;
    }
    merged.push(...waitsInARow(waits), entry);
    waits = [];
  }
  return [...merged, ...waitsInARow(waits)];
}
