import type { Budget } from "../../../../src/journal/events.ts";
import type { BudgetRiver } from "../../../../src/projections/budget-river.ts";
import { count, money } from "../../display/words.ts";
import type { Unit } from "./river-bands.ts";

export const limitIn = ({ maxTokens, maxCost }: Budget, unit: Unit): number | undefined =>
  unit === "cost" ? maxCost : maxTokens;

/** As the API wants it. */
export const budgetOf = (value: number, unit: Unit): { maxCost: number } | { maxTokens: number } =>
  unit === "cost" ? { maxCost: value } : { maxTokens: value };

export const amountWords = (amount: number, unit: Unit): string =>
  unit === "cost" ? money(amount) : `${count(amount)} tokens`;

/** Short, for a column whose head says what it is. */
export const amountCell = (amount: number, unit: Unit): string => {
  if (amount === 0) return "–";
  return unit === "cost" ? money(amount) : count(amount);
};

/** Money where some is spent or limited; else tokens, which are always known. */
export function usualUnit({ nodes: [top], limit, nodes }: BudgetRiver): Unit {
  const limited = [limit, ...nodes.map((node) => node.limit)];
  if (limited.some(({ maxCost }) => maxCost !== undefined)) return "cost";
  if (limited.some(({ maxTokens }) => maxTokens !== undefined)) return "tokens";
  return (top?.branch.spent.cost ?? 0) > 0 ? "cost" : "tokens";
}
