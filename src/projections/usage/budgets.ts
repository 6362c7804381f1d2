// Budgets of a run and its tree: whether a call fits, when to warn, and how people raise a used-up budget or set a new one.
// The functions are pure, so that all stores get the same results.

import {
  type Budget,
  type Estimate,
  type EventBody,
  type JournalEvent,
  keyOf,
  type Payload,
} from "../../journal/events.ts";

export interface Spending {
  tokens: number;
  cost: number;
}

/** A warning is written when this share of a budget is used. */
export const SOFT_SHARE = 0.8;

/** A limit that a call would exceed, in tokens or dollars. */
export interface ExceededLimit {
  limit: string;
  value: number;
  used: number;
  /** The amount that is kept for the last turns of other runs. */
  kept: number;
  /** The amount that is reserved for open calls of other runs. */
  open: number;
}

const NOTHING: Spending = { tokens: 0, cost: 0 };

/** The limit that a call would exceed. `of` is a prefix for the limit's name: `tree.` for the tree's limits. */
export function exceededLimit(
  { spent, kept = NOTHING, open = NOTHING }: { spent: Spending; kept?: Spending; open?: Spending },
  { tokens, cost }: Estimate,
  { maxTokens, maxCost }: Budget,
  of = "",
): ExceededLimit | undefined {
  const limitOf = (unit: "tokens" | "cost", value: number): ExceededLimit => ({
    limit: of + (unit === "tokens" ? "maxTokens" : "maxCost"),
    value,
    used: spent[unit],
    kept: kept[unit],
    open: open[unit],
  });
  if (maxTokens !== undefined && spent.tokens + kept.tokens + open.tokens + tokens > maxTokens)
    return limitOf("tokens", maxTokens);
  if (maxCost === undefined) return undefined;
  const held = spent.cost + kept.cost + open.cost;
  // A call without a known price reserves no money. But if the budget is already used up, the call is not made.
  const isBeyond = cost === null ? held >= maxCost : held + cost > maxCost;
  return isBeyond ? limitOf("cost", maxCost) : undefined;
}

export const sumOf = (one: Estimate, other: Estimate = { tokens: 0, cost: 0 }): Estimate => ({
  tokens: one.tokens + other.tokens,
  cost: one.cost === null || other.cost === null ? null : one.cost + other.cost,
});

/** B3: the warnings for the root of a tree when most of its budget is spent. */
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

export interface BudgetChanges {
  /** The run's own limits that differ from those it started with. */
  changedBudget: Budget;
  /** The tree's limits, as recorded in this run's journal. */
  changedTreeBudget: Budget;
}

export function trackBudget(state: BudgetChanges, event: JournalEvent): void {
  const change = budgetChangeIn(event);
  if (change?.scope === "tree") state.changedTreeBudget = { ...state.changedTreeBudget, ...change.limits };
  else if (change) state.changedBudget = { ...state.changedBudget, ...change.limits };
}

/** The change of a budget that an event records, with its scope. */
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

/** Whether a limit applies to all runs of a tree together. */
export const isTreeLimit = (limit: string): boolean => limit.startsWith("tree.");

export type TreeBudgetChange = Extract<EventBody, { type: "BUDGET_SET" | "APPROVAL_DECIDED" }>;

/** A person's change to the budget of a tree, if the events contain one. */
export function treeBudgetChangeIn(events: readonly EventBody[]): TreeBudgetChange | undefined {
  return events.find((event): event is TreeBudgetChange => {
    if (event.type === "BUDGET_SET") return event.payload.scope === "tree";
    if (event.type !== "APPROVAL_DECIDED" || event.payload.limits === undefined) return false;
    return event.payload.decision === "approve" && event.payload.scope === "tree";
  });
}

/** A run's stop at the tree's budget, if no person has decided on it yet. */
export type TreeStop = Pick<Payload<"LIMIT_REACHED">, "limit" | "value" | "itemId">;

export const decisionKey = (itemId: string): string =>
  keyOf({ type: "APPROVAL_DECIDED", payload: { itemId, decision: "approve", by: "" } });

/** Returns the approvals that let a run continue after a person raised the tree's limit at which the run had stopped. */
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
