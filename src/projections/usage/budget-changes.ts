// Changes by people to the budgets of a run and its tree: by raising one that is used up, or by setting a new one.

import type { Budget, JournalEvent } from "../../journal/events.ts";

export interface BudgetChanges {
  /** The run's own limits that differ from those it started with. */
  changedBudget: Budget;
  /** The tree's limits, as far as they are recorded in this run's journal. */
  changedTreeBudget: Budget;
}

export function trackBudget(state: BudgetChanges, event: JournalEvent): void {
  const change = budgetChangeIn(event);
  if (change?.scope === "tree") state.changedTreeBudget = { ...state.changedTreeBudget, ...change.limits };
  else if (change) state.changedBudget = { ...state.changedBudget, ...change.limits };
}

/** The budget change in an event, with its scope. */
export function budgetChangeIn({
  type,
  payload,
}: JournalEvent): { limits: Budget; scope: string } | undefined {
  const isChange =
    type === "BUDGET_SET" ||
    (type === "APPROVAL_DECIDED" && payload.decision !== "reject" && payload.decision !== "expire");
  if (!isChange || payload.limits === undefined) return undefined;
  return { limits: payload.limits, scope: payload.scope === "tree" ? "tree" : "run" };
}
