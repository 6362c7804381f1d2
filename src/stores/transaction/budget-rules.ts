// What a run and its tree may still spend (B2, B3), and who is told of it, from what a store has read. Pure.

import type { EventBody, Payload } from "../../journal/events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { totalTokens } from "../../projections/usage/run-usage.ts";
import {
  decisionKey,
  exceededLimit,
  isTreeLimit,
  liftTreeStops,
  type Spending,
  softLimitWarnings,
  type TreeBudgetChange,
  type TreeStop,
} from "../../projections/usage/tree-budget.ts";
import type { Columns, RunRecord } from "../run-record.ts";
import type { Append, AppendResult } from "../store.ts";
import { readBudget } from "./transfer-rules.ts";

type Reserve = NonNullable<Append["reserve"]>;

export interface BudgetVerdict {
  refused?: Pick<AppendResult, "refused" | "exceeded">;
  /** What the root is to be told, if the call begins. */
  warnings?: EventBody[];
}

/** By the run's own budget. Undefined: there is one of the tree, which has to be asked. */
export function checkOwnBudget(
  { row }: RunRecord,
  { estimate, run, tree }: Reserve,
): BudgetVerdict | undefined {
  const beyond = exceededLimit(spentBy(row), estimate, run);
  if (beyond) return { refused: { refused: "budget", exceeded: beyond } };
  return tree.maxTokens === undefined && tree.maxCost === undefined ? {} : undefined;
}

/** `raised`: what a person has made of the tree's budget. `others`: the sums of its other runs. */
export function checkTreeBudget(
  { row }: RunRecord,
  { estimate, tree: given, anew }: Reserve,
  { raised, others }: { raised: Columns | undefined; others: Columns | undefined },
): BudgetVerdict {
  const tree = anew || !raised ? given : { ...given, ...readBudget(raised) };
  const sums = others as Record<"tokens" | "cost" | "open_tokens" | "open_cost", number>;
  const spent = plus(spentBy(row), sums);
  const beyond = exceededLimit(spent, estimate, tree, "tree.");
  if (beyond) return { refused: { refused: "budget", exceeded: beyond } };
  const withOpen = plus(spent, { tokens: sums.open_tokens, cost: sums.open_cost });
  if (exceededLimit(withOpen, estimate, tree)) return { refused: { refused: "reserved" } };
  return { warnings: softLimitWarnings(spent, tree) };
}

const spentBy = ({ usage }: RunRow): Spending => ({ tokens: totalTokens(usage), cost: usage.cost });

const plus = (one: Spending, other: Spending): Spending => ({
  tokens: one.tokens + other.tokens,
  cost: one.cost + other.cost,
});

/** Where a run stopped at a budget: the seqs. */
export const budgetStops = (keys: ReadonlyMap<string, number>): number[] =>
  [...keys].flatMap(([key, seq]) => (key.startsWith("limit/budget/") ? [seq] : []));

/** Of what stands there, the stops at the tree's budget that nobody has decided on. */
export const undecidedStops = (keys: ReadonlyMap<string, number>, found: readonly Columns[]): TreeStop[] =>
  found
    .map(({ payload }) => JSON.parse(payload as string) as Payload<"LIMIT_REACHED">)
    .filter(({ limit, itemId }) => isTreeLimit(limit) && !keys.has(decisionKey(itemId!)));

/** What a run of the tree hears of a person's word on its budget that was said to one of them. */
export function budgetNewsFor(
  word: TreeBudgetChange,
  { row, saidTo, stops }: { row: RunRow; saidTo: RunRow; stops: readonly TreeStop[] },
): EventBody[] {
  if (row.cancelRequested) return [];
  const told = liftTreeStops(word, stops);
  return word.type === "BUDGET_SET" && row.id !== saidTo.id ? [word, ...told] : told;
}
