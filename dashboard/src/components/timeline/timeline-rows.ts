// The rows of a timeline: one row per event, the rows of an expanded child after the child's start (U10), and streaming text last (U18).
// A row is created once, and new rows are appended. So a new event costs the same in a long journal as in a short one (U14).

import type { Trigger } from "../../../../src/journal/events.ts";
import { omitUndefined } from "../../../../src/omit-undefined.ts";
import { triggerOf } from "../../../../src/patterns/declarations/facts.ts";
import type { TimelineEntry } from "../../../../src/projections/views/timeline.ts";
import { eventAt, type RunJournal } from "../../live/run-journal.ts";
import { entryFacets, type Facet, type FacetCounts, matchesFacets, noFacets } from "./facets.ts";

export type Row =
  | { type: "entry"; key: string; runId: string; depth: number; entry: TimelineEntry; childId?: string }
  | { type: "live"; key: string; runId: string; depth: number };

export interface Shown {
  show: readonly Facet[];
  open: ReadonlySet<string>;
}

export interface TimelineRows {
  /** The current rows of a run. */
  of(runs: ReadonlyMap<string, RunJournal>, runId: string): readonly Row[];
  /** Number of the run's own events that each event filter matches. */
  counts(runId: string): FacetCounts;
}

interface OwnRows {
  journal: RunJournal;
  /** Number of entries processed so far. */
  seen: number;
  rows: Row[];
  /** Expanded children, and for each child the number of rows before it. */
  opened: { childId: string; after: number }[];
  counts: FacetCounts;
  live: Row;
}

export function createTimelineRows({ show, open }: Shown): TimelineRows {
  const known = new Map<string, OwnRows>();

  function own(runs: ReadonlyMap<string, RunJournal>, runId: string, depth: number): OwnRows | undefined {
    const journal = runs.get(runId);
    if (!journal) return undefined;
    let mine = known.get(runId);
    // If this run's journal is a new object, the journal was loaded again from the start.
    if (mine?.journal !== journal) {
      const live: Row = { type: "live", key: `${runId}:live`, runId, depth };
      mine = { journal, seen: 0, rows: [], opened: [], counts: noFacets(), live };
      known.set(runId, mine);
    }
    const { entries } = journal.timeline;
    for (; mine.seen < entries.length; mine.seen++) add(mine, entries[mine.seen]!, runId, depth);
    return mine;
  }

  function add(mine: OwnRows, entry: TimelineEntry, runId: string, depth: number): void {
    for (const facet of entryFacets(entry)) mine.counts[facet]++;
    const childId = childOf(mine.journal, entry);
    const isOpened = childId !== undefined && open.has(childId) && isStart(mine.journal, entry);
    if (!isOpened && !matchesFacets(entry, show)) return;
    const key = `${runId}:${entry.seq}`;
    mine.rows.push(omitUndefined({ type: "entry" as const, key, runId, depth, entry, childId }));
    if (isOpened) mine.opened.push({ childId, after: mine.rows.length });
  }

  function flat(runs: ReadonlyMap<string, RunJournal>, runId: string, depth: number): readonly Row[] {
    const mine = own(runs, runId, depth);
    if (!mine) return [];
    const isLive = mine.journal.streaming.size > 0;
    if (mine.opened.length === 0 && !isLive) return mine.rows;
    const pieces: (readonly Row[])[] = [];
    let from = 0;
    for (const { childId, after } of mine.opened) {
      pieces.push(mine.rows.slice(from, after), flat(runs, childId, depth + 1));
      from = after;
    }
    pieces.push(mine.rows.slice(from), isLive ? [mine.live] : []);
    return pieces.flat();
  }

  return {
    of: (runs, runId) => flat(runs, runId, 0),
    counts: (runId) => known.get(runId)?.counts ?? noFacets(),
  };
}

function childOf(journal: RunJournal, { kind, seq }: TimelineEntry): string | undefined {
  if (kind !== "child") return undefined;
  const event = eventAt(journal, seq);
  return event?.type === "CHILD_RUN_STARTED" || event?.type === "CHILD_RUN_COMPLETED"
    ? event.payload.child_run_id
    : undefined;
}

const isStart = (journal: RunJournal, { seq }: TimelineEntry): boolean =>
  eventAt(journal, seq)?.type === "CHILD_RUN_STARTED";

/**
 * The words in a child's badges (S0-76, S0-77). The badge at the child's start shows `start` and the agent's name.
 * The badge at the child's end says that `what` is complete or has failed.
 */
export const childWords = (trigger: Trigger, parentKey: string): { start: string; what: string } =>
  triggerOf(trigger)?.badge(parentKey) ?? { start: "DELEGATING", what: "DELEGATION" };
