// The files of a tree that a tainted run has changed. They are read from the journals of the tree's runs (A73).

import {
  noTaintedWrites,
  type TaintedWrite,
  type TaintedWrites,
  trackTaintedWrites,
} from "../../projections/folds/tainted-writes.ts";
import type { Store } from "../../stores/store.ts";
import type { RunJournal } from "../drive/run-journal.ts";

interface Known {
  seq: number;
  state: TaintedWrites;
}

/** Cache of each run's tainted writes, so that only new events are read. The least recently used runs are dropped. */
const known = new WeakMap<Store, Map<string, Known>>();
const MOST_RUNS = 1_000;
const PAGE = 100;

/** The tainted writes of a run's tree, its own included. */
export async function taintedWrites(run: RunJournal, store: Store): Promise<TaintedWrite[]> {
  const { parentRunId, rootRunId } = run.state.start!;
  const isAlone = parentRunId === undefined && run.state.children.size === 0;
  if (isAlone && run.state.taint.sources.length === 0) return [];
  if (isAlone) return writesOf(run.runId, Number.POSITIVE_INFINITY, store);
  const found: TaintedWrite[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.runs.list({
      root: rootRunId,
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { id, seq } of page.runs) found.push(...(await writesOf(id, seq, store)));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

async function writesOf(runId: string, seq: number, store: Store): Promise<TaintedWrite[]> {
  const runs = known.get(store) ?? new Map<string, Known>();
  known.set(store, runs);
  const one = runs.get(runId) ?? { seq: 0, state: noTaintedWrites() };
  if (one.seq < seq) {
    for (const event of await store.journal.read(runId, one.seq)) {
      // Another call could have read the same events in the meantime.
      if (event.seq <= one.seq) continue;
      trackTaintedWrites(one.state, event);
      one.seq = event.seq;
    }
  }
  runs.delete(runId);
  runs.set(runId, one);
  if (runs.size > MOST_RUNS) runs.delete(runs.keys().next().value!);
  return one.state.writes;
}
