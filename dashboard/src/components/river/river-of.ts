// The river of a tree's journal, and the budgets in it that a person may change.

import {
  type BudgetRiver,
  budgetRiver,
  type RiverNode,
} from "../../../../src/projections/usage/budget-river.ts";
import { runBudgetOf } from "../../live/folds.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { limitIn } from "./amounts.ts";
import type { BudgetTarget } from "./budget-dialog.tsx";
import type { Unit } from "./river-bands.ts";

export function riverOf(journal: TreeJournal, runId: string): BudgetRiver {
  const { rootRunId } = journal.runs.get(runId)!.row;
  const budgets = new Map([...journal.runs].map(([id, { events }]) => [id, runBudgetOf(events)]));
  // Of a tree whose root cannot be read, what is below the run.
  return budgetRiver(budgets, budgets.has(rootRunId) ? rootRunId : runId);
}

export function runTarget({ runId, agent, limit, own }: RiverNode, unit: Unit): BudgetTarget {
  const used = own.spent[unit] + own.reserved[unit];
  return { runId, name: agent, tree: false, limit: limitIn(limit, unit), used };
}

export function treeTarget({ nodes: [top], limit }: BudgetRiver, unit: Unit): BudgetTarget {
  const { runId, agent, branch } = top!;
  const used = branch.spent[unit] + branch.reserved[unit];
  return { runId, name: agent, tree: true, limit: limitIn(limit, unit), used };
}

/** Money where some is spent or limited; else tokens, which are always known. */
export function defaultUnit({ nodes: [top], limit, nodes }: BudgetRiver): Unit {
  const limited = [limit, ...nodes.map((node) => node.limit)];
  if (limited.some(({ maxCost }) => maxCost !== undefined)) return "cost";
  if (limited.some(({ maxTokens }) => maxTokens !== undefined)) return "tokens";
  return (top?.branch.spent.cost ?? 0) > 0 ? "cost" : "tokens";
}
