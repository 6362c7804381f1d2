// The rows of a timeline. By turn: one row per item of the story, and the rows of an expanded child after the child's row (U10).
// As events: one row per event of the run. Text being streamed comes last (U18).
// A row is created once, and a changed item gets a new row. So a new event costs the same in a long journal as in a short one (U14).

import type { Trigger } from "../../../../src/journal/events.ts";
import { triggerOf } from "../../../../src/patterns/declarations/facts.ts";
import type { TimelineEntry } from "../../../../src/projections/views/timeline.ts";
import type { TurnItem } from "../../../../src/projections/views/turns.ts";
import { turnsOf } from "../../live/folds.ts";
import type { RunJournal } from "../../live/run-journal.ts";
import { entryFacets, type Facet, type FacetCounts, matchesFacets, noFacets } from "./facets.ts";

export type Row = EventRow | ItemRow | { type: "live"; key: string; runId: string; depth: number };

export interface EventRow {
  type: "event";
  key: string;
  runId: string;
  depth: 0;
  entry: TimelineEntry;
}

export interface ItemRow {
  type: "item";
  key: string;
  runId: string;
  depth: number;
  /** The item's place in the list of turns. */
  index: number;
  item: TurnItem;
}

type Runs = ReadonlyMap<string, RunJournal>;

/** The rows of a run by turn. The children in `open` are expanded. */
export function createTurnRows(open: ReadonlySet<string>): (runs: Runs, runId: string) => readonly Row[] {
  const known = new Map<string, { journal: RunJournal; rows: ItemRow[]; live: Row }>();

  function own(runs: Runs, runId: string, depth: number) {
    const journal = runs.get(runId);
    if (!journal) return undefined;
    let mine = known.get(runId);
    // If this run's journal is a new object, the journal was loaded again from the start.
    if (mine?.journal !== journal) {
      mine = { journal, rows: [], live: { type: "live", key: `${runId}:live`, runId, depth } };
      known.set(runId, mine);
    }
    const { rows } = mine;
    turnsOf(journal.events).items.forEach((item, index) => {
      if (rows[index]?.item === item) return;
      rows[index] = { type: "item", key: `${runId}:${item.seq}`, runId, depth, index, item };
    });
    return mine;
  }

  function flat(runs: Runs, runId: string, depth: number): readonly Row[] {
    const mine = own(runs, runId, depth);
    if (!mine) return [];
    const tail = mine.journal.streaming.size > 0 ? [mine.live] : [];
    if (open.size === 0) return [...mine.rows, ...tail];
    const rows = mine.rows.flatMap((row) =>
      row.item.kind === "child" && open.has(row.item.runId)
        ? [row, ...flat(runs, row.item.runId, depth + 1)]
        : [row],
    );
    return [...rows, ...tail];
  }

  return (runs, runId) => flat(runs, runId, 0);
}

export interface EventRows {
  /** The events of a run that match the filters. */
  of(runs: Runs, runId: string): readonly Row[];
  /** Number of the run's own events that each event filter matches. */
  counts(runs: Runs, runId: string): FacetCounts;
}

interface OwnEvents {
  journal: RunJournal;
  /** Number of entries processed so far. */
  seen: number;
  rows: Row[];
  counts: FacetCounts;
}

export function createEventRows(show: readonly Facet[]): EventRows {
  const known = new Map<string, OwnEvents>();

  function own(runs: Runs, runId: string): OwnEvents | undefined {
    const journal = runs.get(runId);
    if (!journal) return undefined;
    let mine = known.get(runId);
    if (mine?.journal !== journal) {
      mine = { journal, seen: 0, rows: [], counts: noFacets() };
      known.set(runId, mine);
    }
    const { entries } = journal.timeline;
    for (; mine.seen < entries.length; mine.seen++) {
      const entry = entries[mine.seen]!;
      for (const facet of entryFacets(entry)) mine.counts[facet]++;
      if (!matchesFacets(entry, show)) continue;
      mine.rows.push({ type: "event", key: `${runId}:${entry.seq}`, runId, depth: 0, entry });
    }
    return mine;
  }

  return {
    of(runs, runId) {
      const mine = own(runs, runId);
      if (!mine) return [];
      if (mine.journal.streaming.size === 0) return mine.rows;
      return [...mine.rows, { type: "live", key: `${runId}:live`, runId, depth: 0 }];
    },
    counts: (runs, runId) => own(runs, runId)?.counts ?? noFacets(),
  };
}

/**
 * The words in a child's badges (S0-76, S0-77). The badge at the child's start shows `start` and the agent's name.
 * The badge at the child's end says that `what` is complete or has failed.
 */
export const childWords = (trigger: Trigger, parentKey: string): { start: string; what: string } =>
  triggerOf(trigger)?.badge(parentKey) ?? { start: "DELEGATING", what: "DELEGATION" };
