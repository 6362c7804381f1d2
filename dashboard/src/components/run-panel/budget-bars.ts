// U36: what of each limit of a run is spent, what is held back for calls that are under way, and what it will come to if
// it goes on as it did so far.

import type { RunState } from "../../../../src/projections/folds/run-state.ts";
import { type RunUsage, totalTokens } from "../../../../src/projections/usage/run-usage.ts";

export interface BudgetBar {
  name: string;
  unit: "count" | "money" | "time";
  spent: number;
  reserved: number;
  limit: number;
  /** At the pace of its turns so far, at its last turn; undefined where there is nothing to go by. */
  projected?: number;
}

export function budgetBars(
  state: RunState,
  tree: { usage: RunUsage; runs: number; openTokens: number; openCost: number },
): BudgetBar[] {
  const { limits } = state.start!;
  const { estimate } = state.openModelCall ?? {};
  const ahead = state.end || state.turns === 0 ? undefined : limits.maxTurns / state.turns;
  const bar = (
    name: string,
    unit: BudgetBar["unit"],
    spent: number,
    reserved: number,
    limit: number | undefined,
    paced = true,
  ): BudgetBar[] => {
    if (limit === undefined) return [];
    return [
      {
        name,
        unit,
        spent,
        reserved,
        limit,
        ...(ahead === undefined || !paced ? {} : { projected: spent * ahead }),
      },
    ];
  };
  const { maxTokens = limits.maxTokens, maxCost = limits.maxCost } = state.changedBudget;
  const may = { ...limits.tree, ...state.changedTreeBudget };
  return [
    ...bar("Turns", "count", state.turns, state.openModelCall ? 1 : 0, limits.maxTurns, false),
    ...bar("Time at work", "time", state.usage.activeMs, 0, limits.maxDuration),
    ...bar("Tokens", "count", totalTokens(state.usage), estimate?.tokens ?? 0, maxTokens),
    ...bar("Cost", "money", state.usage.cost, estimate?.cost ?? 0, maxCost),
    ...bar("Events", "count", state.seq, 0, limits.maxEvents, false),
    ...bar("Tree: tokens", "count", totalTokens(tree.usage), tree.openTokens, may.maxTokens, false),
    ...bar("Tree: cost", "money", tree.usage.cost, tree.openCost, may.maxCost, false),
    ...bar("Tree: runs", "count", tree.runs, 0, may.maxRuns, false),
  ];
}
