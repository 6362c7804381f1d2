// S0-79, S4-61, U14: the timeline of a run: one row per turn, or one row per event, with its event filters.
// Only visible rows are rendered, so a long journal is as fast as a short one.

import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { shownEventOf } from "../../../../src/projections/views/turns.ts";
import { Loading } from "../../display/page-state.tsx";
import { Countdown } from "../../display/time/times.tsx";
import { turnsOf } from "../../live/folds.ts";
import { eventAt } from "../../live/run-journal.ts";
import type { RunJournal } from "../../live/tree-journal.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { useMedia } from "../../ui/use-media.ts";
import type { EventRef } from "../event-detail/event-ref.ts";
import type { RunViewProps } from "../run-view.ts";
import { ChildRow } from "./child-row.tsx";
import type { Facet } from "./facets.ts";
import { EntryRow, LiveRow } from "./row-views.tsx";
import { createEventRows, createTurnRows, type ItemRow, type Row } from "./timeline-rows.ts";
import { TurnRow, WaitRow } from "./turn-row.tsx";

export interface TimelineViewProps extends RunViewProps {
  selected: EventRef | undefined;
  show: readonly Facet[];
  /** Whether to list every event instead of the turns. A filter always lists events. */
  isEvents: boolean;
  open: ReadonlySet<string>;
  q: string;
  onToggle(childId: string): void;
}

export function TimelineView(props: TimelineViewProps) {
  const { journal, runId, show, open, isEvents } = props;
  const events = useMemo(() => createEventRows(show), [show]);
  const turns = useMemo(() => createTurnRows(open), [open]);
  const byTurn = !isEvents && show.length === 0;
  return <Timeline {...props} rows={byTurn ? turns(journal.runs, runId) : events.of(journal.runs, runId)} />;
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
    estimateSize: (index) => (isLine(rows[index]) ? line : TURN),
    getItemKey: useMemo(() => (index: number) => rows[index]?.key ?? index, [rows]),
    overscan: 8,
    anchorTo: follows ? "end" : "start",
    followOnAppend: follows,
    scrollEndThreshold: line * 2,
  });
  useScrollToEvent({ virtual, scroller, rows, selected, journal, run, isLive });
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
      className="@container min-h-0 flex-1 overflow-auto [overflow-anchor:none]"
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

/** Estimated height of a turn in pixels. */
const TURN = 64;

/** Whether the row has a fixed height. Fixed rows are not measured, because measuring slows down scrolling. */
const isLine = (row: Row | undefined): boolean =>
  row?.type === "event" || (row?.type === "item" && (row.item.kind === "line" || row.item.kind === "wait"));

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
  const { row, journal, selected, q, onSelect } = props;
  const run = journal.runs.get(row.runId);
  if (!run) return null;
  if (row.type === "live") return <LiveRow run={run} />;
  const seq = selected?.runId === row.runId ? selected.seq : undefined;
  if (row.type === "item") return <Item {...props} row={row} run={run} />;
  const { entry } = row;
  const { waitingOn } = run.row;
  const isWaiting = entry.kind === "wait" && entry.seq === run.row.seq && waitingOn?.until !== undefined;
  return (
    <EntryRow
      {...{ entry, q, onSelect, runId: row.runId }}
      selected={seq === entry.seq}
      aside={isWaiting ? <Countdown until={waitingOn.until!} /> : undefined}
    />
  );
}

function Item({ row, run, journal, selected, open, q, onSelect, onToggle }: ItemProps) {
  const { runId, item } = row;
  const shown = shownIn(row, run, selected);
  switch (item.kind) {
    case "turn":
      return <TurnRow turn={item} selected={shown} {...{ runId, q, onSelect }} />;
    case "child":
      return (
        <ChildRow
          runs={journal.runs}
          span={item}
          child={journal.runs.get(item.runId)}
          open={open.has(item.runId)}
          selected={shown !== undefined}
          {...{ runId, q, onSelect, onToggle }}
        />
      );
    case "wait":
      return <WaitRow wait={item} selected={shown !== undefined} {...{ runId, onSelect }} />;
    case "line":
      return (
        <EntryRow entry={item.entry} selected={shown !== undefined} isIndented {...{ runId, q, onSelect }} />
      );
  }
}

interface ItemProps extends TimelineViewProps {
  row: ItemRow;
  run: RunJournal;
}

/** Returns the event that this row highlights. Undefined if another row shows the selected event. */
function shownIn(row: ItemRow, run: RunJournal, selected: EventRef | undefined): number | undefined {
  if (selected?.runId !== row.runId) return undefined;
  const list = turnsOf(run.events);
  const event = eventAt(run, selected.seq);
  return event && list.itemOf.get(selected.seq) === row.index ? shownEventOf(list, event) : undefined;
}

/** The events that a row lets the user select, in order. */
function eventsOf(row: Row): number[] {
  if (row.type === "live") return [];
  if (row.type === "event") return [row.entry.seq];
  const { item } = row;
  if (item.kind !== "turn") return [item.seq];
  return [item.shownSeq, ...item.calls.filter(({ isReplaced }) => !isReplaced).map(({ seq }) => seq)];
}

/** `j` and `k` select the next and the previous event. */
function useStepping({ journal, rows, selected, onSelect }: TimelineProps): void {
  const step = (way: 1 | -1) => {
    const all = rows.flatMap((row) => eventsOf(row).map((seq) => ({ runId: row.runId, seq })));
    const at = indexOfSelected(all, journal, rows, selected);
    const next = all[at === -1 && way === -1 ? all.length - 1 : at + way];
    if (next) onSelect(next.runId, next.seq);
  };
  useHotkeys([
    { keys: "j", label: "Next event", run: () => step(1) },
    { keys: "k", label: "Previous event", run: () => step(-1) },
  ]);
}

function indexOfSelected(
  all: readonly EventRef[],
  journal: TimelineProps["journal"],
  rows: readonly Row[],
  selected: EventRef | undefined,
): number {
  if (!selected) return -1;
  const row = rows[nearestRow(rows, selected, journal.runs)];
  const run = journal.runs.get(selected.runId);
  const seq = row?.type === "item" && run ? shownIn(row, run, selected) : selected.seq;
  return all.findIndex((each) => each.runId === selected.runId && each.seq === seq);
}

interface ScrollToEvent {
  virtual: Virtualizer<HTMLDivElement, Element>;
  scroller: RefObject<HTMLDivElement | null>;
  rows: readonly Row[];
  selected: EventRef | undefined;
  journal: TimelineProps["journal"];
  run: RunJournal | undefined;
  isLive: boolean;
}

/**
 * U17: scrolls to the selected event as soon as it is loaded.
 * If no event is selected, an active run is scrolled to its end, and a finished run stays at its start.
 */
function useScrollToEvent({ virtual, scroller, rows, selected, journal, run, isLive }: ScrollToEvent): void {
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
      journal.loaded || (run?.row.id === selected?.runId && (run?.row.seq ?? 0) >= (selected?.seq ?? 0));
    const index = isThere ? nearestRow(rows, selected!, journal.runs) : -1;
    if (index === -1) return;
    shown.current = wanted;
    if (!isInSight(scroller.current, index)) virtual.scrollToIndex(index, { align: "center" });
  });
}

/** Looks at the page itself: after a change of the run, the virtualizer still has the range of the earlier run. */
function isInSight(scroller: HTMLDivElement | null, index: number): boolean {
  const row = scroller?.querySelector(`li[data-index="${index}"]`)?.getBoundingClientRect();
  const box = scroller?.getBoundingClientRect();
  return row !== undefined && box !== undefined && row.top >= box.top && row.bottom <= box.bottom;
}

/** The row of an event. If the event has no row, returns the nearest earlier row. */
function nearestRow(
  rows: readonly Row[],
  { runId, seq }: EventRef,
  runs: ReadonlyMap<string, RunJournal>,
): number {
  const run = runs.get(runId);
  const item = run && turnsOf(run.events).itemOf.get(seq);
  return rows.findLastIndex(
    (row) =>
      row.runId === runId &&
      ((row.type === "event" && row.entry.seq <= seq) || (row.type === "item" && row.index === item)),
  );
}
