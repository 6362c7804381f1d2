// U17: scrolls the timeline to the selected event as soon as it is loaded; otherwise to the end of an active run, or to
// the start of a finished one.

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

/** The row of an event, or of the last event before it that has a row. */
function nearest(rows: readonly Row[], { runId, seq }: EventRef): number {
  return rows.findLastIndex((row) => row.type === "entry" && row.runId === runId && row.entry.seq <= seq);
}
