// What people have made of a run's budget and of its tree's: by raising one that was used up, by giving and by taking.

import type { Budget, JournalEvent } from "../journal/events.ts";

export interface SetBudgets {
  /** The run's own, where it is another than it began with. */
  raised: Budget;
  /** The tree's, as far as this run was told. */
  raisedTree: Budget;
}

export function followBudget(set: SetBudgets, event: JournalEvent): void {
  const word = limitsIn(event);
  if (word?.scope === "tree") set.raisedTree = { ...set.raisedTree, ...word.limits };
  else if (word) set.raised = { ...set.raised, ...word.limits };
}

/** A person's word on a budget: the run's own, or the tree's. */
export function limitsIn({ type, payload }: JournalEvent): { limits: Budget; scope: string } | undefined {
  const isWord =
    type === "BUDGET_SET" ||
    (type === "APPROVAL_DECIDED" && payload.decision !== "reject" && payload.decision !== "expire");
  if (!isWord || payload.limits === undefined) return undefined;
  return { limits: payload.limits, scope: payload.scope === "tree" ? "tree" : "run" };
}

/** `$2.00 and 20,000 tokens`. */
export function budgetWords({ maxTokens, maxCost }: Budget): string {
  const money = maxCost === undefined ? [] : [dollars(maxCost)];
  const tokens = maxTokens === undefined ? [] : [`${maxTokens.toLocaleString("en-US")} tokens`];
  return [...money, ...tokens].join(" and ");
}

const dollars = (amount: number): string => `$${amount.toFixed(amount !== 0 && amount < 0.01 ? 4 : 2)}`;
