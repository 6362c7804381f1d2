import { emptyUsage, type RunUsage } from "../../../../src/projections/usage/run-usage.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";

/** Of a run and everything below it; each call counts once. */
export function subtreeUsage(journal: TreeJournal, runId: string): { usage: RunUsage; runs: number } {
  const total = { usage: emptyUsage(), runs: 0 };
  const visit = (id: string): void => {
    const run = journal.runs.get(id);
    if (!run) return;
    total.runs++;
    for (const key of Object.keys(total.usage) as (keyof RunUsage)[]) total.usage[key] += run.row.usage[key];
    run.children.forEach(visit);
  };
  visit(runId);
  return total;
}
