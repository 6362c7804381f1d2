import { emptyUsage, type RunUsage } from "../../../../src/projections/usage/run-usage.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { treeOrder } from "../run-tree/roll-up.ts";

/** What a run and all runs below it have used; each call counts once. */
export function subtreeUsage(journal: TreeJournal, runId: string): { usage: RunUsage; runs: number } {
  const total = { usage: emptyUsage(), runs: 0 };
  for (const id of treeOrder(journal.runs, runId)) {
    const { usage } = journal.runs.get(id)!.row;
    total.runs++;
    for (const key of Object.keys(total.usage) as (keyof RunUsage)[]) total.usage[key] += usage[key];
  }
  return total;
}
