// What a budget says of a call, and when it is close to its end. Pure, so that every store answers the same.

import type { Estimate, EventBody } from "../journal/events.ts";

export interface Spending {
  tokens: number;
  cost: number;
}

interface Budget {
  maxTokens?: number | undefined;
  maxCost?: number | undefined;
}

/** From this share of a budget on it is warned of. */
export const SOFT_SHARE = 0.8;

/** The limit that a call would go beyond; `of` is how it is named where it is not the run's own. */
export function exceeded(
  spent: Spending,
  { tokens, cost }: Estimate,
  { maxTokens, maxCost }: Budget,
  of = "",
): { limit: string; value: number } | undefined {
  if (maxTokens !== undefined && spent.tokens + tokens > maxTokens)
    return { limit: `${of}maxTokens`, value: maxTokens };
  if (maxCost === undefined) return undefined;
  // Without a price nothing can be reserved; but a budget that is used up, or zero, is none.
  const isBeyond = cost === null ? spent.cost >= maxCost : spent.cost + cost > maxCost;
  return isBeyond ? { limit: `${of}maxCost`, value: maxCost } : undefined;
}

/** B3: what the root of a tree is told when most of its budget is spent. */
export function closeTo(spent: Spending, { maxTokens, maxCost }: Budget): EventBody[] {
  return [
    ...warning("tree.maxTokens", spent.tokens, maxTokens),
    ...warning("tree.maxCost", spent.cost, maxCost),
  ];
}

function warning(limit: string, used: number, value: number | undefined): EventBody[] {
  if (value === undefined || value === 0 || used < value * SOFT_SHARE) return [];
  return [{ type: "LIMIT_REACHED", payload: { limit, value, hard: false } }];
}

/** A limit that binds all runs of a tree together; `treeBudget` is its name in journals of before. */
export const isTreeLimit = (limit: string): boolean => limit.startsWith("tree.") || limit === "treeBudget";
