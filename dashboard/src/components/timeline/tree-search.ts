// U12: searches the timelines of a tree in chunks, so that a tree of any size can be searched while it loads.

import type { TimelineEntry } from "../../../../src/projections/views/timeline.ts";
import type { RunJournal } from "../../live/run-journal.ts";
import { type Facet, matchesFacets } from "./facets.ts";

export interface TreeSearch {
  /** Sequence numbers of the hits by run, in order. */
  readonly hits: ReadonlyMap<string, readonly number[]>;
  readonly total: number;
  /** Searches some more entries; true if there are more. */
  advance(runs: ReadonlyMap<string, RunJournal>, entries: number): boolean;
}

export function createTreeSearch(q: string, show: readonly Facet[]): TreeSearch {
  const wanted = q.toLowerCase();
  const hits = new Map<string, number[]>();
  const seen = new Map<RunJournal, number>();
  let total = 0;

  function look(runId: string, entry: TimelineEntry): void {
    if (!matchesFacets(entry, show) || !says(entry, wanted)) return;
    const found = hits.get(runId);
    if (found) found.push(entry.seq);
    else hits.set(runId, [entry.seq]);
    total++;
  }

  return {
    hits,
    get total() {
      return total;
    },
    advance(runs, entries) {
      let left = entries;
      for (const [runId, journal] of runs) {
        const all = journal.timeline.entries;
        const from = seen.get(journal) ?? 0;
        if (from === 0 && hits.has(runId)) {
          // The journal was loaded again from the start.
          total -= hits.get(runId)!.length;
          hits.delete(runId);
        }
        const to = Math.min(all.length, from + left);
        for (let at = from; at < to; at++) look(runId, all[at]!);
        seen.set(journal, to);
        left -= to - from;
        if (to < all.length) return true;
      }
      return false;
    },
  };
}

/** Only the start of a long output is searched. */
const LONGEST = 20_000;

const says = ({ title, detail }: TimelineEntry, wanted: string): boolean =>
  title.toLowerCase().includes(wanted) || detail?.slice(0, LONGEST).toLowerCase().includes(wanted) === true;
