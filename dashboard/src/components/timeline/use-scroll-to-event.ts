// Where a timeline stands: at the event that is looked at, as soon as it is there (U17); otherwise at the end of a run
// that is under way, and at the beginning of one that has ended.

import type { Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import type { RunJournal } from "../../live/tree-journal.ts";
import type { EventRef } from "../event-detail/event-ref.ts";
import type { Row } from "./timeline-rows.ts";

export interface ScrollToEvent {
  virtual: Virtualizer<HTMLDivElement, Element>;
  rows: readonly Row[];
  selected: EventRef | undefined;
  run: RunJournal | undefined;
  isLive: boolean;
  loaded: boolean;
}

export function useScrollToEvent({ virtual, rows, selected, run, isLive, loaded }: ScrollToEvent): void {
  const shown = useRef("");
  const wanted = selected ? `${selected.runId}:${selected.seq}` : "";
  useEffect(() => {
    if (wanted === "") {
      if (shown.current === "" && isLive && rows.length > 0) {
        shown.current = "end";
        virtual.scrollToEnd();
      }
      return;
    }
    if (shown.current === wanted) return;
    const isThere =
      loaded || (run?.row.id === selected?.runId && (run?.row.seq ?? 0) >= (selected?.seq ?? 0));
    const index = isThere ? nearest(rows, selected!) : -1;
    if (index === -1) return;
    shown.current = wanted;
    const range = virtual.range;
    const inSight = range !== null && index > range.startIndex && index < range.endIndex;
    if (!inSight) virtual.scrollToIndex(index, { align: "center" });
  });
}

/** An event that has no words stands where the last one before it does. */
function nearest(rows: readonly Row[], { runId, seq }: EventRef): number {
  return rows.findLastIndex((row) => row.type === "entry" && row.runId === runId && row.entry.seq <= seq);
}
