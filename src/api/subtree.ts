// A run and all its descendants.

import type { RunRow } from "../projections/folds/run-row.ts";
import type { Store } from "../stores/store.ts";
import { allRuns } from "./all-runs.ts";

/** In the order in which they were started: the run first, a parent before its children. */
export async function subtreeOf(store: Store, top: RunRow): Promise<RunRow[]> {
  const tree = await Array.fromAsync(allRuns(store, { root: top.rootRunId }));
  const below = new Set([top.id]);
  return tree.reverse().filter((row) => {
    if (row.parentRunId !== undefined && below.has(row.parentRunId)) below.add(row.id);
    return below.has(row.id);
  });
}
