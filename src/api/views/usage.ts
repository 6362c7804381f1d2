// The usage of all runs, or of one and everything below it. That of all runs is added up from what the store keeps of each
// tree: what it costs grows with the trees of the report, not with their journals.

import { setImmediate as nextTurn } from "node:timers/promises";
import {
  applyTreeUsage,
  BUCKET_MS,
  emptyTreeUsage,
  type TreeUsage,
} from "../../projections/usage/tree-usage.ts";
import { createUsageReport } from "../../projections/usage/usage-report.ts";
import type { Store } from "../../stores/store.ts";
import type { UsageFilter, UsageView } from "../routes/usage.ts";
import { subtreeOf } from "../subtree.ts";
import { treeEvents } from "../tree-journals.ts";
import { findRun } from "./read-runs.ts";

const PAGE = 2_000;

export async function readUsage(store: Store, filter: UsageFilter): Promise<UsageView> {
  const { root, every } = filter;
  const since = root === undefined ? bucketOf(filter.since) : filter.since;
  const report = createUsageReport({ since, every });
  if (root !== undefined) report.add(await usageBelow(store, root));
  else for await (const tree of keptTrees(store, since)) report.add(tree);
  return report.view();
}

const bucketOf = (ts = 0): number => Math.floor(ts / BUCKET_MS) * BUCKET_MS;

/** Exact: a bucket is a millisecond. */
async function usageBelow(store: Store, root: string): Promise<TreeUsage> {
  const top = await findRun(store, root);
  const below = new Set((await subtreeOf(store, top)).map(({ id }) => id));
  const tree = emptyTreeUsage(top.id);
  for await (const event of treeEvents(store, top.rootRunId))
    if (below.has(event.runId)) applyTreeUsage(tree, event, 1);
  return tree;
}

async function* keptTrees(store: Store, since: number | undefined): AsyncGenerator<TreeUsage> {
  let cursor: string | undefined;
  do {
    const page = await store.usage.trees({ since, cursor, limit: PAGE });
    yield* page.trees;
    cursor = page.nextCursor;
    // The store answers without leaving this turn: a long report must not hold up the runs that are driven.
    await nextTurn();
  } while (cursor !== undefined);
}
