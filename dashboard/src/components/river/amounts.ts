import type { Budget } from "../../../../src/journal/events.ts";
import { money, shortCount } from "../../../../src/projections/words/format.ts";
import type { Unit } from "./river-bands.ts";

export const limitIn = ({ maxTokens, maxCost }: Budget, unit: Unit): number | undefined =>
  unit === "cost" ? maxCost : maxTokens;

/** The limit in the form the API expects. */
export const toBudget = (value: number, unit: Unit): { maxCost: number } | { maxTokens: number } =>
  unit === "cost" ? { maxCost: value } : { maxTokens: value };

export const formatAmount = (amount: number, unit: Unit): string =>
  unit === "cost" ? money(amount) : `${shortCount(amount)} tokens`;

/** Short form for a table cell. */
export const formatCell = (amount: number, unit: Unit): string => {
  if (amount === 0) return "–";
  return unit === "cost" ? money(amount) : shortCount(amount);
};
