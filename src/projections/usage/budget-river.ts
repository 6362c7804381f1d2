// The flow of a tree's budget (U35, U36): from the root through each run to the amounts that its calls spent, reserved and wasted.
// A run's limit applies to its own calls only; the tree's limit applies to all of its runs together.

import type { Budget } from "../../journal/events.ts";
import type { RunRow } from "../folds/run-row.ts";
import type { Spending } from "./budgets.ts";
import type { RunBudget } from "./run-budget.ts";
import { totalTokens } from "./run-usage.ts";

export interface Flow {
  /** Spent amount, including the wasted part. */
  spent: Spending;
  wasted: Spending;
  reserved: Spending;
}

export interface RiverNode {
  runId: string;
  agent: string;
  parentId: string | undefined;
  /** Number of levels below the top run. */
  level: number;
  row: RunRow;
  own: Flow;
  /** Sums over this run and all runs below it. */
  branch: Flow & { runs: number };
  /** Limits for the run's own calls. */
  limit: Budget;
  /** The frozen branches to which the run belongs, each named by its top run. */
  frozen: readonly string[];
}

export interface BudgetRiver {
  /** Limits for all runs of the tree together. */
  limit: Budget;
  /** The runs in start order, with parents before their children. */
  nodes: RiverNode[];
  /** Number of calls with an unknown price. If there are any, the amounts in dollars are too low. */
  unpriced: number;
}

/** `budgets` contains the budget of every run of the tree. */
export function budgetRiver(budgets: ReadonlyMap<string, RunBudget>, topId: string): BudgetRiver {
  const below = childrenOf(budgets);
  const nodes: RiverNode[] = [];
  const visit = (runId: string, level: number): Flow & { runs: number } => {
    const budget = budgets.get(runId)!;
    const node = nodeOf(budget, level);
    nodes.push(node);
    for (const child of below.get(runId) ?? []) add(node.branch, visit(child, level + 1));
    return node.branch;
  };
  if (budgets.get(topId)?.row) visit(topId, 0);
  return {
    limit: treeLimit(budgets, topId),
    nodes,
    unpriced: nodes.reduce((sum, { row }) => sum + row.usage.unpriced, 0),
  };
}

/** The amount that is left of each limit. Undefined if there is no limit. */
export function remainingBudget({ spent, reserved }: Flow, { maxTokens, maxCost }: Budget) {
  const remaining = (limit: number | undefined, used: number) =>
    limit === undefined ? undefined : Math.max(0, limit - used);
  return {
    tokens: remaining(maxTokens, spent.tokens + reserved.tokens),
    cost: remaining(maxCost, spent.cost + reserved.cost),
  };
}

function childrenOf(budgets: ReadonlyMap<string, RunBudget>): Map<string, string[]> {
  const below = new Map<string, string[]>();
  for (const { row } of budgets.values()) {
    if (row?.parentRunId === undefined) continue;
    const siblings = below.get(row.parentRunId) ?? [];
    siblings.push(row.id);
    below.set(row.parentRunId, siblings);
  }
  return below;
}

function nodeOf({ row: known, own, raised, wasted, reserved }: RunBudget, level: number): RiverNode {
  const row = known!;
  const spent = { tokens: totalTokens(row.usage), cost: row.usage.cost };
  const flow = (): Flow => ({ spent: { ...spent }, wasted: { ...wasted }, reserved: { ...reserved } });
  return {
    runId: row.id,
    agent: row.agent,
    parentId: row.parentRunId,
    level,
    row,
    own: flow(),
    branch: { ...flow(), runs: 1 },
    limit: { ...own, ...raised },
    frozen: row.waitingOn?.frozen ?? [],
  };
}

function add(sum: Flow & { runs: number }, { runs, ...flow }: Flow & { runs: number }): void {
  sum.runs += runs;
  for (const part of ["spent", "wasted", "reserved"] as const) {
    sum[part].tokens += flow[part].tokens;
    sum[part].cost += flow[part].cost;
  }
}

/** The root's initial limits, overridden by the latest change in any journal of the tree. */
function treeLimit(budgets: ReadonlyMap<string, RunBudget>, topId: string): Budget {
  const changes = [...budgets.values()].flatMap(({ treeChanges }) => treeChanges);
  changes.sort((a, b) => a.position - b.position);
  return Object.assign({}, budgets.get(topId)?.tree, ...changes.map(({ limits }) => limits)) as Budget;
}
