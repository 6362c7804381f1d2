// S0-79, S4-61, U14: the timeline of a run, one row per event. Only visible rows are rendered, so the length of the
// journal does not matter.

import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Loading } from "../../display/loading.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { useMedia } from "../../ui/use-media.ts";
import type { Facet } from "./facets.ts";
import { TimelineRow, type TimelineRowProps } from "./timeline-row.tsx";
import type { Row } from "./timeline-rows.ts";
import { useScrollToEvent } from "./use-scroll-to-event.ts";

export interface TimelineProps extends Omit<TimelineRowProps, "row"> {
  runId: string;
  rows: readonly Row[];
  show: readonly Facet[];
}

export function Timeline(props: TimelineProps) {
  const { journal, runId, rows, selected } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const run = journal.runs.get(runId);
  const isLive = run !== undefined && run.row.endedAt === undefined && journal.loaded;
  const follows = useFollows(runId, isLive);
  const line = useLineHeight();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (isLine(rows[index]) ? line : CARD),
    getItemKey: useMemo(() => (index: number) => rows[index]?.key ?? index, [rows]),
    overscan: 8,
    anchorTo: follows ? "end" : "start",
    followOnAppend: follows,
    scrollEndThreshold: line * 2,
  });
  useScrollToEvent({ virtual, rows, selected, run, isLive, loaded: journal.loaded });
  useStepping(props);
  if (rows.length === 0 && !journal.loaded) return <Loading what="Loading the journal" />;
  if (rows.length === 0)
    return (
      <EmptyState title="No events of this kind">
        <p>{props.show.length > 0 ? "Choose other kinds of events." : "Nothing has happened yet."}</p>
      </EmptyState>
    );
  return (
    <div
      ref={scroller}
      data-testid="timeline"
      className="min-h-0 flex-1 overflow-auto [overflow-anchor:none]"
    >
      <ol className="relative" style={{ height: `${virtual.getTotalSize()}px` }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => (
          <li
            key={key}
            data-index={index}
            ref={isLine(rows[index]) ? undefined : virtual.measureElement}
            aria-setsize={journal.loaded ? rows.length : -1}
            aria-posinset={index + 1}
            className="absolute top-0 left-0 w-full"
            style={{ transform: `translateY(${start}px)` }}
          >
            <Indented depth={rows[index]?.depth ?? 0}>
              {rows[index] && <TimelineRow row={rows[index]} {...props} />}
            </Indented>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Keeps following when the run ends: its last events arrive together with the end and must scroll into view. */
function useFollows(runId: string, isLive: boolean): boolean {
  const [followed, setFollowed] = useState<string>();
  if (isLive && followed !== runId) setFollowed(runId);
  return isLive || followed === runId;
}

/** Estimated height of a delegation in pixels. */
const CARD = 72;

/** Rows with a fixed, known height; measuring each would slow down scrolling. */
const isLine = (row: Row | undefined): boolean => row?.type === "entry" && row.childId === undefined;

/** Must match the row's CSS classes (`h-10 md:h-7`). */
function useLineHeight(): number {
  const isWide = useMedia("(min-width: 48rem)");
  return (isWide ? 1.75 : 2.5) * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** Indents the rows of an expanded child. */
function Indented({ depth, children }: { depth: number; children: ReactNode }) {
  if (depth === 0) return children;
  return (
    <div className="ml-3 border-child border-l-2 pl-1" style={{ marginLeft: `${depth * 14}px` }}>
      {children}
    </div>
  );
}

/** `j` and `k` select the next and the previous event. */
function useStepping({ rows, selected, onSelect }: TimelineProps): void {
  const latest = useRef({ rows, selected });
  useEffect(() => {
    latest.current = { rows, selected };
  });
  const step = (way: 1 | -1) => {
    const { rows: all, selected: from } = latest.current;
    const at = all.findIndex(
      (row) => row.type === "entry" && row.runId === from?.runId && row.entry.seq === from.seq,
    );
    const next = all[at === -1 && way === -1 ? all.length - 1 : at + way];
    if (next?.type === "entry") onSelect(next.runId, next.entry.seq);
  };
  useHotkeys([
    { keys: "j", label: "Next event", run: () => step(1) },
    { keys: "k", label: "Previous event", run: () => step(-1) },
  ]);
}
