// What people have made of a run's budget and of its tree's: by raising one that was used up, by giving and by taking.

import type { Budget, JournalEvent } from "../../journal/events.ts";

export interface BudgetChanges {
  /** The run's own, where it is another than it began with. */
  changedBudget: Budget;
  /** The tree's, as far as this run was told. */
  changedTreeBudget: Budget;
}

export function trackBudget(set: BudgetChanges, event: JournalEvent): void {
  const word = budgetChangeIn(event);
  if (word?.scope === "tree") set.changedTreeBudget = { ...set.changedTreeBudget, ...word.limits };
  else if (word) set.changedBudget = { ...set.changedBudget, ...word.limits };
}

/** A person's word on a budget: the run's own, or the tree's. */
export function budgetChangeIn({
  type,
  payload,
}: JournalEvent): { limits: Budget; scope: string } | undefined {
  const isWord =
    type === "BUDGET_SET" ||
    (type === "APPROVAL_DECIDED" && payload.decision !== "reject" && payload.decision !== "expire");
  if (!isWord || payload.limits === undefined) return undefined;
  return { limits: payload.limits, scope: payload.scope === "tree" ? "tree" : "run" };
}

/** `$2.00 and 20,000 tokens`. */
export function describeBudget({ maxTokens, maxCost }: Budget): string {
  const money = maxCost === undefined ? [] : [dollars(maxCost)];
  const tokens = maxTokens === undefined ? [] : [`${maxTokens.toLocaleString("en-US")} tokens`];
  return [...money, ...tokens].join(" and ");
}

const dollars = (amount: number): string => `$${amount.toFixed(amount !== 0 && amount < 0.01 ? 4 : 2)}`;
