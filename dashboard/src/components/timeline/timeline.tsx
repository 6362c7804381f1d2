// S0-79, S4-61, U14: the timeline of a run, one row per event, with its event filters.
// Only visible rows are rendered, so a long journal is as fast as a short one.

import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Loading } from "../../display/page-state.tsx";
import { Countdown } from "../../display/time/times.tsx";
import { eventAt } from "../../live/run-journal.ts";
import type { RunJournal } from "../../live/tree-journal.ts";
import { classNames } from "../../ui/class-names.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { useMedia } from "../../ui/use-media.ts";
import type { EventRef } from "../event-detail/event-ref.ts";
import type { RunViewProps } from "../run-view.ts";
import { FACET_LABELS, FACETS, type Facet, type FacetCounts } from "./facets.ts";
import { DelegationRow, EntryRow, LiveRow } from "./row-views.tsx";
import { createTimelineRows, type Row } from "./timeline-rows.ts";

export interface TimelineViewProps extends RunViewProps {
  selected: EventRef | undefined;
  show: readonly Facet[];
  open: ReadonlySet<string>;
  q: string;
  onToggle(childId: string): void;
  onShow(show: Facet[]): void;
}

export function TimelineView(props: TimelineViewProps) {
  const { journal, runId, show, open, onShow } = props;
  const source = useMemo(() => createTimelineRows({ show, open }), [show, open]);
  const rows = source.of(journal.runs, runId);
  return (
    <>
      <div className="shrink-0 border-line border-b px-2 py-0.5 md:px-3 md:py-1.5">
        <FacetBar counts={source.counts(runId)} show={show} onChange={onShow} />
      </div>
      <Timeline {...props} rows={rows} />
    </>
  );
}

interface FacetBarProps {
  counts: FacetCounts;
  show: readonly Facet[];
  onChange(show: Facet[]): void;
}

function FacetBar({ counts, show, onChange }: FacetBarProps) {
  const toggle = (facet: Facet) =>
    onChange(show.includes(facet) ? show.filter((each) => each !== facet) : [...show, facet]);
  return (
    <fieldset className="flex min-w-0 items-center gap-1 overflow-x-auto">
      <legend className="sr-only">Show only</legend>
      {FACETS.map((facet) => (
        <button
          key={facet}
          type="button"
          aria-pressed={show.includes(facet)}
          onClick={() => toggle(facet)}
          className={classNames(
            "inline-flex h-10 shrink-0 items-center gap-1 rounded-full border px-2.5 text-xs md:h-6",
            show.includes(facet)
              ? "border-accent bg-accent-soft text-accent"
              : "border-line text-muted hover:bg-raised hover:text-ink",
          )}
        >
          {FACET_LABELS[facet]}
          <span
            className={classNames("tabular-nums", facet === "failures" && counts[facet] > 0 && "text-bad")}
          >
            {counts[facet]}
          </span>
        </button>
      ))}
    </fieldset>
  );
}

interface TimelineProps extends TimelineViewProps {
  rows: readonly Row[];
}

function Timeline(props: TimelineProps) {
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

/** The last events of a run arrive together with its end. So the timeline still scrolls to new events after the run has ended. */
function useFollows(runId: string, isLive: boolean): boolean {
  const [followed, setFollowed] = useState<string>();
  if (isLive && followed !== runId) setFollowed(runId);
  return isLive || followed === runId;
}

/** Estimated height of a delegation row in pixels. */
const CARD = 72;

/** Whether the row has a fixed height. Fixed rows are not measured, because measuring slows down scrolling. */
const isLine = (row: Row | undefined): boolean => row?.type === "entry" && row.childId === undefined;

/** The height of an event's row in pixels. It must match the row's CSS classes (`h-10 md:h-7`). */
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

function TimelineRow(props: TimelineViewProps & { row: Row }) {
  const { row, journal, selected, open, q, onSelect } = props;
  const run = journal.runs.get(row.runId);
  if (!run) return null;
  if (row.type === "live") return <LiveRow run={run} />;
  const { entry, childId } = row;
  const isSelected = selected?.runId === row.runId && selected.seq === entry.seq;
  const event = childId === undefined ? undefined : eventAt(run, entry.seq);
  if (childId !== undefined && (event?.type === "CHILD_RUN_STARTED" || event?.type === "CHILD_RUN_COMPLETED"))
    return (
      <DelegationRow
        {...{ event, q, onSelect, onToggle: props.onToggle }}
        child={journal.runs.get(childId)}
        agent={run.timeline.names.children.get(childId) ?? childId}
        selected={isSelected}
        open={open.has(childId)}
      />
    );
  const { waitingOn } = run.row;
  const isWaiting = entry.kind === "wait" && entry.seq === run.row.seq && waitingOn?.until !== undefined;
  return (
    <EntryRow
      {...{ entry, q, onSelect, runId: row.runId }}
      selected={isSelected}
      aside={isWaiting ? <Countdown until={waitingOn.until!} /> : undefined}
    />
  );
}

/** `j` and `k` select the next and the previous event. */
function useStepping({ rows, selected, onSelect }: TimelineProps): void {
  const step = (way: 1 | -1) => {
    const at = rows.findIndex(
      (row) => row.type === "entry" && row.runId === selected?.runId && row.entry.seq === selected.seq,
    );
    const next = rows[at === -1 && way === -1 ? rows.length - 1 : at + way];
    if (next?.type === "entry") onSelect(next.runId, next.entry.seq);
  };
  useHotkeys([
    { keys: "j", label: "Next event", run: () => step(1) },
    { keys: "k", label: "Previous event", run: () => step(-1) },
  ]);
}

interface ScrollToEvent {
  virtual: Virtualizer<HTMLDivElement, Element>;
  rows: readonly Row[];
  selected: EventRef | undefined;
  run: RunJournal | undefined;
  isLive: boolean;
  loaded: boolean;
}

/**
 * U17: scrolls to the selected event as soon as it is loaded.
 * If no event is selected, an active run is scrolled to its end, and a finished run stays at its start.
 */
function useScrollToEvent({ virtual, rows, selected, run, isLive, loaded }: ScrollToEvent): void {
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
    const index = isThere ? nearestRow(rows, selected!) : -1;
    if (index === -1) return;
    shown.current = wanted;
    const range = virtual.range;
    const inSight = range !== null && index > range.startIndex && index < range.endIndex;
    if (!inSight) virtual.scrollToIndex(index, { align: "center" });
  });
}

/** The row of an event. If the event has no row, returns the nearest earlier row. */
function nearestRow(rows: readonly Row[], { runId, seq }: EventRef): number {
  return rows.findLastIndex((row) => row.type === "entry" && row.runId === runId && row.entry.seq <= seq);
}
