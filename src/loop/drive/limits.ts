// Limits of a run. They are checked against the journal, never against the model's own statements. A limit of 0 allows nothing.
// Limits are checked before every model call. After a hard limit the agent has one last turn to report (B3).

import type { Limits } from "../../journal/definition.ts";
import type { Budget, Payload, StopReason } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { RunState } from "../../projections/folds/run-state.ts";
import { isTreeLimit, SOFT_SHARE } from "../../projections/usage/budgets.ts";
import { totalTokens } from "../../projections/usage/run-usage.ts";

export type LimitName =
  | "maxTurns"
  | "maxDuration"
  | "maxTokens"
  | "maxCost"
  | "maxEvents"
  | "tree.maxTokens"
  | "tree.maxCost";

const STOP_REASONS: Record<LimitName, StopReason> = {
  maxTurns: "max_turns",
  maxDuration: "max_duration",
  maxTokens: "budget",
  maxCost: "budget",
  "tree.maxTokens": "budget",
  "tree.maxCost": "budget",
  maxEvents: "history_limit",
};

export const stopReasonOf = (limit: LimitName): StopReason => STOP_REASONS[limit];

export interface HardLimit extends Pick<Payload<"LIMIT_REACHED">, "used" | "kept" | "needs"> {
  limit: LimitName;
  value: number;
}

const MINUTE = 60_000;

/** Milliseconds that the run may still be active. At 0, tools and model calls are stopped. */
export const activeTimeLeft = ({ start, usage }: RunState): number =>
  Math.max(0, start!.limits.maxDuration - usage.activeMs);

/** Milliseconds for the last turn of a run whose time is over: as long as the limit itself, but between 3 seconds and 10 minutes. */
export const lastTurnTime = ({ start }: RunState): number =>
  Math.min(10 * MINUTE, Math.max(3_000, start!.limits.maxDuration));

/** The limit that ends this run, if a limit is reached. At most one more turn follows. */
export function hardLimit(state: RunState): HardLimit | undefined {
  const { limits } = state.start!;
  if (state.seq >= limits.maxEvents) return { limit: "maxEvents", value: limits.maxEvents };
  const recorded = [...state.reachedLimits.values()].find(
    (reached) => reached.hard && !isLifted(state, reached),
  );
  if (recorded) {
    const { limit, value, used, kept, needs } = recorded;
    return { limit: limit as LimitName, value, ...omitUndefined({ used, kept, needs }) };
  }
  if (state.usage.activeMs >= limits.maxDuration) return { limit: "maxDuration", value: limits.maxDuration };
  if (state.turns >= limits.maxTurns - 1) return { limit: "maxTurns", value: limits.maxTurns };
  return undefined;
}

/** The event that warns of a limit, if a warning is due and was not given before. */
export function softLimit(state: RunState): Payload<"LIMIT_REACHED"> | undefined {
  const { limits } = state.start!;
  const { maxTokens, maxCost } = budgetOf(state);
  const checks: [LimitName, number, number | undefined, number][] = [
    ["maxTokens", totalTokens(state.usage), maxTokens, SOFT_SHARE],
    ["maxCost", state.usage.cost, maxCost, SOFT_SHARE],
    ["maxEvents", state.seq, limits.maxEvents, 0.2],
  ];
  for (const [limit, used, max, share] of checks) {
    if (max === undefined || max === 0 || used < max * share) continue;
    if (!state.reachedLimits.has(`limit/${limit}/soft`)) return { limit, value: max, hard: false };
  }
  return undefined;
}

/** The run's own budget, including changes by people. */
export function budgetOf(state: RunState): Budget {
  const { maxTokens, maxCost } = state.start!.limits;
  return {
    maxTokens: state.changedBudget.maxTokens ?? maxTokens,
    maxCost: state.changedBudget.maxCost ?? maxCost,
  };
}

/** The budget of the whole tree, as this run last saw it. The store has the latest value. */
export function treeBudgetOf({ start, changedTreeBudget }: RunState): Limits["tree"] {
  const { tree } = start!.limits;
  return hasBudget(changedTreeBudget) ? { ...tree, ...changedTreeBudget } : tree;
}

/** The policy that applies when a budget is used up. For the tree's budget, this is the root's policy. */
export function budgetPolicy(limit: string, { start }: RunState): "stop" | "suspend" {
  const { tree, onBudget: own } = start!.limits;
  return (isTreeLimit(limit) ? tree?.onBudget : undefined) ?? own;
}

export const hasBudget = (budget: Budget): boolean =>
  budget.maxTokens !== undefined || budget.maxCost !== undefined;

/** The inbox item about a used-up budget, if one is open. */
export function openBudgetItem(state: RunState): string | undefined {
  for (const reached of state.reachedLimits.values()) {
    if (reached.hard && reached.itemId && !state.decisions.has(reached.itemId)) return reached.itemId;
  }
  return undefined;
}

function isLifted(state: RunState, reached: Payload<"LIMIT_REACHED">): boolean {
  return reached.itemId !== undefined && state.decisions.get(reached.itemId)?.decision === "approve";
}
