import type { UsageView } from "../../../../src/api/client/types.ts";
import { emptyTreeTotals } from "../../../../src/projections/usage/usage-report.ts";

/** The totals of a report. */
export function usageTotals({ byAgent, overTime }: UsageView) {
  const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
    items.reduce((total, item) => total + of(item), 0);
  const runs = overTime?.runs ?? [];
  return {
    cost: sum(byAgent, ({ cost }) => cost),
    unpriced: sum(byAgent, ({ unpriced }) => unpriced),
    input: sum(byAgent, ({ input }) => input),
    output: sum(byAgent, ({ output }) => output),
    cacheRead: sum(byAgent, ({ cacheRead }) => cacheRead),
    toolCalls: sum(byAgent, ({ toolCalls }) => toolCalls),
    wastedCalls: sum(byAgent, ({ wastedCalls }) => wastedCalls),
    wastedCost: sum(byAgent, ({ wastedCost }) => wastedCost),
    turns: sum(overTime?.spent ?? [], ({ turns }) => turns),
    started: sum(runs, ({ started }) => started),
    completed: sum(runs, ({ completed }) => completed),
    failed: sum(runs, ({ failed }) => failed),
    cancelled: sum(runs, ({ cancelled }) => cancelled),
    trees: overTime?.trees ?? emptyTreeTotals(),
  };
}
