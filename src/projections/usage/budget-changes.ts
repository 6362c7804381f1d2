// Changes by people to the budgets of a run and its tree: by raising one that is used up, or by setting a new one.

import type { Budget, JournalEvent } from "../../journal/events.ts";

export interface BudgetChanges {
  /** The run's own limits that differ from those it started with. */
  changedBudget: Budget;
  /** The tree's limits, as far as they are recorded in this run's journal. */
  changedTreeBudget: Budget;
}

export function trackBudget(set: BudgetChanges, event: JournalEvent): void {
  const word = budgetChangeIn(event);
  if (word?.scope === "tree") set.changedTreeBudget = { ...set.changedTreeBudget, ...word.limits };
  else if (word) set.changedBudget = { ...set.changedBudget, ...word.limits };
}

/** The budget change in an event, with its scope. */
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
