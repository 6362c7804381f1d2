// What a budget says of a call, and when it is close to its end. Pure, so that every store answers the same.

import type { Estimate, EventBody, Payload } from "../../journal/events.ts";
import { keyOf } from "../../journal/keys.ts";

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
export function exceededLimit(
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
export function softLimitWarnings(spent: Spending, { maxTokens, maxCost }: Budget): EventBody[] {
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

export type TreeBudgetChange = Extract<EventBody, { type: "BUDGET_SET" | "APPROVAL_DECIDED" }>;

/** A person's word on the budget of a tree. */
export function treeBudgetChangeIn(events: readonly EventBody[]): TreeBudgetChange | undefined {
  return events.find((event): event is TreeBudgetChange => {
    if (event.type === "BUDGET_SET") return event.payload.scope === "tree";
    if (event.type !== "APPROVAL_DECIDED" || event.payload.limits === undefined) return false;
    return event.payload.decision === "approve" && event.payload.scope === "tree";
  });
}

/** A stop at the tree's budget that nobody has decided on. */
export type TreeStop = Pick<Payload<"LIMIT_REACHED">, "limit" | "value" | "itemId">;

/** Of the decision on an item. */
export const decisionKey = (itemId: string): string =>
  keyOf({ type: "APPROVAL_DECIDED", payload: { itemId, decision: "approve", by: "" } });

/** What a run of the tree is told of that word: whoever stopped for what is more now goes on with it. */
export function liftTreeStops(word: TreeBudgetChange, stops: readonly TreeStop[]): EventBody[] {
  const lifted = stops.filter(
    (stop) => word.type === "APPROVAL_DECIDED" || isMore(word.payload.limits, stop),
  );
  const decision: Omit<Payload<"APPROVAL_DECIDED">, "itemId"> = word.type === "APPROVAL_DECIDED"
    ? word.payload
    : { ...word.payload, decision: "approve" };
  return lifted.map(({ itemId }) => ({
    type: "APPROVAL_DECIDED",
    payload: { ...decision, itemId: itemId! },
  }));
}

function isMore({ maxTokens = 0, maxCost = 0 }: Budget, { limit, value }: TreeStop): boolean {
  return (limit === "tree.maxCost" ? maxCost : maxTokens) > value;
}
