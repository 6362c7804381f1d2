// Shows what a branch of a tree has spent and may spend, one line per run.

import type { Budget } from "../../journal/events.ts";
import {
  type BudgetRiver,
  type Flow,
  type RiverNode,
  remainingBudget,
} from "../../projections/usage/budget-river.ts";
import type { Spending } from "../../projections/usage/tree-budget.ts";
import { describeBudget, plural, shortCount } from "../../projections/words/format.ts";
import { plainLine } from "./text/plain.ts";
import { table } from "./text/table.ts";

export function budgetLines(
  { nodes, unpriced }: BudgetRiver,
  { nodes: [top], limit }: BudgetRiver,
): string[] {
  const rows = nodes.map((node) => [
    node.runId,
    `${"  ".repeat(node.level)}${plainLine(node.agent)}`,
    node.frozen.length > 0 ? "frozen" : node.row.status,
    amount(node.own.spent),
    amount(node.own.wasted),
    amount(node.own.reserved),
    describeBudget(node.limit) || "–",
  ]);
  const all = nodes[0]!.branch;
  return [
    ...table([["run", "agent", "state", "spent", "wasted", "reserved", "own limit"], ...rows]),
    "",
    `Together: ${inWords(all.spent)} spent, ${inWords(all.wasted)} of it wasted; ${inWords(all.reserved)} reserved for calls in progress.`,
    treeLine(top!.branch, limit),
    ...(unpriced > 0 ? [`The price of ${plural(unpriced, "call")} is unknown, so the cost is higher.`] : []),
  ];
}

/** For `--json`: the numbers of each run, and the limits of the tree. */
export const budgetJson = ({ nodes }: BudgetRiver, tree: Budget) => ({
  tree,
  runs: nodes.map(({ runId, agent, parentId, row, own, branch, limit, frozen }: RiverNode) => ({
    runId,
    agent,
    ...(parentId === undefined ? {} : { parentRunId: parentId }),
    status: row.status,
    ...own,
    branch,
    limit,
    frozen,
  })),
});

function treeLine(flow: Flow, limit: Budget): string {
  const may = describeBudget(limit);
  if (may === "") return "The tree has no budget: `--tree --set 5.00` sets one.";
  const { tokens, cost } = remainingBudget(flow, limit);
  const left = describeBudget({
    ...(tokens === undefined ? {} : { maxTokens: tokens }),
    ...(cost === undefined ? {} : { maxCost: cost }),
  });
  return `The tree may spend ${may}; ${left} are left.`;
}

const inWords = (spending: Spending): string =>
  spending.tokens === 0 && spending.cost === 0 ? "nothing" : amount(spending);

function amount({ tokens, cost }: Spending): string {
  if (tokens === 0 && cost === 0) return "–";
  return cost === 0 ? shortCount(tokens) : `${shortCount(tokens)} ${describeBudget({ maxCost: cost })}`;
}
