// U12: searches the timelines of a tree in chunks. So the page stays responsive, and a tree can be searched while it loads.

import { useEffect, useMemo, useState } from "react";
import type { TimelineEntry } from "../../../../src/projections/views/timeline.ts";
import type { RunJournal } from "../../live/run-journal.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";
import type { EventRef } from "../event-detail/event-ref.ts";
import { treeOrder } from "../run-tree/roll-up.ts";
import { type Facet, matchesFacets } from "./facets.ts";

export interface TreeSearch {
  /** The sequence numbers of each run's hits, in order. */
  readonly hits: ReadonlyMap<string, readonly number[]>;
  readonly total: number;
  /** Searches the next entries. Returns true if some entries are still unsearched. */
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
          // The journal was loaded again from the start, so the search removes the earlier hits.
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

export interface TreeMatches {
  /** The number of matches in each run. */
  counts: ReadonlyMap<string, number>;
  total: number;
  /** The next or previous match in tree order. */
  step(from: EventRef | undefined, way: 1 | -1): EventRef | undefined;
  /** The number of this match, counted from 1. It is 0 if the event is not a match. */
  place(ref: EventRef | undefined): number;
}

/** How many entries are searched per frame. A higher number would freeze the page. */
const PIECE = 4_000;

export function useTreeSearch(journal: TreeJournal, q: string, show: readonly Facet[]): TreeMatches {
  const wanted = show.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `wanted` changes exactly when the content of `show` does
  const search = useMemo(() => createTreeSearch(q, show), [q, wanted]);
  const [, setTurn] = useState(0);
  const { version } = journal;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each version may have more entries to search
  useEffect(() => {
    if (q === "") return;
    let frame: number | undefined;
    const go = () => {
      const before = search.total;
      const more = search.advance(journal.runs, PIECE);
      if (search.total !== before) setTurn((turn) => turn + 1);
      if (more) frame = requestAnimationFrame(go);
    };
    go();
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [journal, search, q, version]);
  const all = () => inTreeOrder(journal, search.hits);
  return {
    counts: new Map([...search.hits].map(([runId, seqs]) => [runId, seqs.length])),
    total: search.total,
    step: (from, way) => stepIn(all(), from, way),
    place: (ref) =>
      ref ? all().findIndex(({ runId, seq }) => runId === ref.runId && seq === ref.seq) + 1 : 0,
  };
}

function inTreeOrder(journal: TreeJournal, hits: ReadonlyMap<string, readonly number[]>): EventRef[] {
  const root = journal.runs.values().next().value?.row.id;
  if (root === undefined || hits.size === 0) return [];
  return treeOrder(journal.runs, root).flatMap((runId) =>
    (hits.get(runId) ?? []).map((seq) => ({ runId, seq })),
  );
}

function stepIn(all: readonly EventRef[], from: EventRef | undefined, way: 1 | -1): EventRef | undefined {
  const at = all.findIndex(({ runId, seq }) => runId === from?.runId && seq === from.seq);
  if (at !== -1) return all[(at + way + all.length) % all.length];
  if (way === -1) return all.at(-1);
  // If the selected event is not a match, steps to the next match in its run, or else to the first match of the tree.
  return all.find(({ runId, seq }) => runId === from?.runId && seq > (from?.seq ?? 0)) ?? all[0];
}
