// A run and all its descendants.

import type { RunRow } from "../projections/run-row.ts";
import { emptyUsage, type RunUsage } from "../projections/usage.ts";
import type { Store } from "../stores/store.ts";
import { MAX_PAGE } from "./schema.ts";

/** In the order in which they were started: the run first, a parent before its children. */
export async function subtreeOf(store: Store, top: RunRow): Promise<RunRow[]> {
  const tree: RunRow[] = [];
  let cursor: string | undefined;
  do {
    const filter = { root: top.rootRunId, limit: MAX_PAGE };
    const page = await store.runs(cursor === undefined ? filter : { ...filter, cursor });
    tree.push(...page.runs);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  const below = new Set([top.id]);
  return tree.reverse().filter((row) => {
    if (row.parentRunId !== undefined && below.has(row.parentRunId)) below.add(row.id);
    return below.has(row.id);
  });
}

export function totalUsage(runs: readonly RunRow[]): RunUsage {
  const total = emptyUsage();
  const keys = Object.keys(total) as (keyof RunUsage)[];
  for (const { usage } of runs) for (const key of keys) total[key] += usage[key];
  return total;
}
