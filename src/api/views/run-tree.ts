// Shows a run with all its descendants as a tree, and adds up their usage.

import { z } from "zod";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { emptyUsage, type RunUsage } from "../../projections/usage/run-usage.ts";
import type { Store } from "../../stores/store.ts";
import { nameSchema, RunSummary, RunUsageView } from "../routes/schemas.ts";
import { subtreeOf } from "./read-runs.ts";
import { markUnreadable } from "./unreadable-runs.ts";

export const RunTree = RunSummary.extend({
  /** Usage of the run and all its descendants. Each model call is counted once. */
  treeUsage: RunUsageView,
  /** The child runs, sorted by start time. */
  get children() {
    return z.array(RunTree);
  },
});
nameSchema("RunTree", RunTree);
export type RunTree = z.infer<typeof RunTree>;

export const readRunTree = async (store: Store, top: RunRow): Promise<RunTree> =>
  nestRuns(await markUnreadable(store, await subtreeOf(store, top)));

/** Builds a tree from rows sorted by start time. The tree's top must be first, and every parent must come before its children. */
export function nestRuns(rows: readonly RunRow[]): RunTree {
  const nodes = new Map(
    rows.map((row): [string, RunTree] => [row.id, { ...row, treeUsage: { ...row.usage }, children: [] }]),
  );
  const [top, ...below] = nodes.values();
  const parentOf = ({ parentRunId }: RunTree): RunTree => nodes.get(parentRunId!)!;
  for (const node of below) parentOf(node).children.push(node);
  // Start with the last run: a run's usage must be complete before it is added to the parent's usage.
  for (const node of below.toReversed()) addUsage(parentOf(node).treeUsage, node.treeUsage);
  return top!;
}

export const totalUsage = (rows: readonly RunRow[]): RunUsage => sumUsage(rows.map(({ usage }) => usage));

export function sumUsage(usages: readonly RunUsage[]): RunUsage {
  const total = emptyUsage();
  for (const usage of usages) addUsage(total, usage);
  return total;
}

function addUsage(total: RunUsage, usage: RunUsage): void {
  for (const key of Object.keys(total) as (keyof RunUsage)[]) total[key] += usage[key];
}
