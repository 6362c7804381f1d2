import { useEffect, useMemo, useState } from "react";
import type { TreeJournal } from "../../live/tree-journal.ts";
import type { EventRef } from "../event-detail/event-ref.ts";
import { treeOrder } from "../run-tree/roll-up.ts";
import type { Facet } from "./facets.ts";
import { createTreeSearch } from "./tree-search.ts";

export interface TreeMatches {
  /** Number of matches by run. */
  counts: ReadonlyMap<string, number>;
  total: number;
  /** The next or previous match in tree order. */
  step(from: EventRef | undefined, way: 1 | -1): EventRef | undefined;
  /** The number of this match, from 1; 0 if the event is not a match. */
  place(ref: EventRef | undefined): number;
}

/** Entries searched per frame; more would freeze the page. */
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
  // The selection is not a match: take the next match in the selected run, or the first of all.
  return all.find(({ runId, seq }) => runId === from?.runId && seq > (from?.seq ?? 0)) ?? all[0];
}
