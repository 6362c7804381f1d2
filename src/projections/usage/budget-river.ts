// The flow of a tree's budget (U35, U36): from the root through each run to what its own calls have spent, hold and wasted.
// A run's limit is for its own calls; that of the tree is one for all of its runs.

import type { Budget } from "../../journal/events.ts";
import type { RunRow } from "../folds/run-row.ts";
import type { RunBudget } from "./run-budget.ts";
import { totalTokens } from "./run-usage.ts";
import type { Spending } from "./tree-budget.ts";

export interface Flow {
  /** With what was wasted. */
  spent: Spending;
  wasted: Spending;
  reserved: Spending;
}

export interface RiverNode {
  runId: string;
  agent: string;
  parentId: string | undefined;
  /** Runs between it and the top. */
  level: number;
  row: RunRow;
  own: Flow;
  /** Of it and all below it. */
  branch: Flow & { runs: number };
  /** What it may spend itself. */
  limit: Budget;
  /** The branches that it is frozen with, each by its topmost run. */
  frozen: readonly string[];
}

export interface BudgetRiver {
  /** What all of them may spend together. */
  limit: Budget;
  /** A run before those below it, in the order in which they were started. */
  nodes: RiverNode[];
  /** Calls whose price nobody knows: what is shown in money is then too little. */
  unpriced: number;
}

/** `budgets`: by run, of the whole tree. */
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

/** What is left to whoever is bound by a limit; undefined: it is bound by none. */
export function remainingBudget({ spent, reserved }: Flow, { maxTokens, maxCost }: Budget) {
  const left = (limit: number | undefined, used: number) =>
    limit === undefined ? undefined : Math.max(0, limit - used);
  return {
    tokens: left(maxTokens, spent.tokens + reserved.tokens),
    cost: left(maxCost, spent.cost + reserved.cost),
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

/** The root began with one; whoever spoke of it last, in whichever journal of the tree, has the word. */
function treeLimit(budgets: ReadonlyMap<string, RunBudget>, topId: string): Budget {
  const words = [...budgets.values()].flatMap(({ treeChanges }) => treeChanges);
  words.sort((a, b) => a.position - b.position);
  return Object.assign({}, budgets.get(topId)?.tree, ...words.map(({ limits }) => limits)) as Budget;
}
