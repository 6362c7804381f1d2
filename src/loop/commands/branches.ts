// The commands with which people control a branch of a tree: set its budget, freeze it, thaw it.
//  BV1  A budget is never lower than the sum of what is spent and what open calls could still spend.
//  BV2  A run's budget never exceeds what is left of its tree's budget.
//  BV3  A run that stopped at its budget has an inbox item. A new budget that is high enough also answers that item.
//  BV4  In a frozen branch nothing new begins until the branch is thawed. Effects under way end normally.

import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { Budget, Estimate, EventBody } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { RunState } from "../../projections/folds/run-state.ts";
import { type Spending, sumOf } from "../../projections/usage/budgets.ts";
import { totalTokens } from "../../projections/usage/run-usage.ts";
import { describeBudget } from "../../projections/words/format.ts";
import { budgetOf, treeBudgetOf } from "../drive/limits.ts";
import { loadDefinition } from "../drive/run-journal.ts";
import { type CommandParts, requireNotEnded, signalRun } from "./person-commands.ts";

type Parts = Pick<CommandParts, "store" | "wake" | "ids">;
type BudgetParts = Parts & Pick<CommandParts, "checkPrices">;

/** A new budget. It is a total and not an addition, so setting it twice changes nothing. */
export interface NewBudget {
  limits: Budget;
  /** `tree` sets the budget of the whole tree: all runs whose costs the run's root pays. */
  scope?: "tree" | undefined;
}

export async function setBudget(
  runId: RunId,
  { limits, scope }: NewBudget,
  by: string,
  parts: BudgetParts,
): Promise<void> {
  const key = `budget-set/${parts.ids.nonce()}`;
  const payload = { limits, ...(scope ? { scope } : {}), by };
  const set: EventBody = { type: "BUDGET_SET", payload, key };
  await signalRun<void>(runId, parts, async (state) => {
    requireNotEnded(state);
    await requireKnownPrices(state, { limits, scope }, parts);
    const own = openEstimate(state);
    if (scope === "tree") {
      const reserve = { estimate: own, run: {}, tree: limits, anew: true as const };
      return { events: [set], done: undefined, reserve, refuse: () => tooLittleForTree(limits) };
    }
    requireEnough(state, limits, own);
    requireNotLastTurn(state, limits);
    const reserve = { estimate: extraBudget(state, limits), run: {}, tree: treeBudgetOf(state) ?? {} };
    return {
      events: [set, ...liftedStops(state, limits, by)],
      done: undefined,
      reserve,
      refuse: tooMuchForTree,
    };
  });
}

/** B5: refuses a cost limit that could not be enforced, because the run might use a model without a known price. */
async function requireKnownPrices(
  { start }: RunState,
  { limits: { maxCost }, scope }: NewBudget,
  { store, checkPrices }: BudgetParts,
): Promise<void> {
  if (maxCost === undefined) return;
  const limits = scope === "tree" ? { tree: { maxCost } } : { maxCost };
  const hashes = scope === "tree" ? await activeDefinitions(start!.rootRunId, store) : [start!.definition];
  for (const hash of hashes) {
    const { problem } = await checkPrices(await loadDefinition(store, hash), limits);
    if (problem !== undefined) throw new CadreError("UNPROCESSABLE", `${problem} Nothing was changed.`);
  }
}

/** Hashes of the definitions with which the active runs of a tree work. */
async function activeDefinitions(root: RunId, store: Parts["store"]): Promise<Set<string>> {
  const hashes = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await store.runs.list({ root, limit: PAGE, ...omitUndefined({ cursor }) });
    for (const row of page.runs) if (row.endedAt === undefined) hashes.add(row.definition);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return hashes;
}

const PAGE = 500;

export const freezeBranch = (runId: RunId, by: string, parts: Parts): Promise<{ runs: RunId[] }> =>
  setFrozen(runId, { by, key: `frozen/${parts.ids.nonce()}` }, parts);

export const thawBranch = (runId: RunId, by: string, parts: Parts): Promise<{ runs: RunId[] }> =>
  setFrozen(runId, { by, thaw: true, key: `thawed/${parts.ids.nonce()}` }, parts);

async function setFrozen(
  runId: RunId,
  freeze: Parameters<CommandParts["store"]["runs"]["freeze"]>[1],
  { store, wake }: Parts,
): Promise<{ runs: RunId[] }> {
  const row = await store.runs.get(runId);
  if (row?.endedAt !== undefined)
    throw new CadreError("RUN_TERMINAL", `Run ${runId} has ended (${row.status}). Nothing was changed.`);
  const runs = await store.runs.freeze(runId, freeze);
  await Promise.all(runs.map((id) => wake(id)));
  return { runs };
}

function openEstimate({ openModelCall }: RunState): Estimate & Spending {
  const { estimate = { tokens: 0, cost: 0 }, lastTurn } = openModelCall ?? {};
  const { tokens, cost } = sumOf(estimate, lastTurn);
  return { tokens, cost: cost ?? 0 };
}

const spentBy = ({ usage }: RunState): Spending => ({ tokens: totalTokens(usage), cost: usage.cost });

function requireEnough(state: RunState, { maxTokens, maxCost }: Budget, open: Spending): void {
  const spent = spentBy(state);
  const least = { tokens: spent.tokens + open.tokens, cost: spent.cost + open.cost };
  const needs: Budget = {
    ...(maxTokens !== undefined && maxTokens < least.tokens ? { maxTokens: least.tokens } : {}),
    ...(maxCost !== undefined && maxCost < least.cost ? { maxCost: least.cost } : {}),
  };
  if (needs.maxTokens === undefined && needs.maxCost === undefined) return;
  const held = open.tokens > 0 ? "spent or reserved for the open call" : "spent";
  throw new CadreError(
    "CONFLICT",
    `Run ${state.runId} cannot have less than ${describeBudget(needs)}: that much is already ${held}. Nothing was changed.`,
  );
}

/** B3: refuses a new budget for a run that has already begun its last turn. */
function requireNotLastTurn({ reachedLimits, runId }: RunState, limits: Budget): void {
  const isOver = [...reachedLimits.values()].some(
    ({ limit, hard, itemId }) => hard && itemId === undefined && limit in limits,
  );
  if (!isOver) return;
  throw new CadreError(
    "CONFLICT",
    `Run ${runId} has used up its budget and is writing its report. Nothing was changed: try it again when it has ended, and it goes on from there.`,
  );
}

/** The additional amount that the run could spend with the new budget. Zero if the budget does not grow. */
function extraBudget(state: RunState, limits: Budget): Estimate {
  const now = budgetOf(state);
  const spent = spentBy(state);
  const room = (to: number | undefined, from: number | undefined, used: number): number =>
    to === undefined || from === undefined || to <= from ? 0 : to - used;
  const cost = room(limits.maxCost, now.maxCost, spent.cost);
  return {
    tokens: room(limits.maxTokens, now.maxTokens, spent.tokens),
    // Rounded down, because a floating-point error could exceed the remaining amount.
    cost: Math.floor(cost * 1e9) / 1e9,
  };
}

function liftedStops(state: RunState, limits: Budget, by: string): EventBody[] {
  return [...state.reachedLimits.values()].flatMap(({ limit, value, itemId }) => {
    if (itemId === undefined || state.decisions.has(itemId)) return [];
    const given = limit === "maxTokens" || limit === "maxCost" ? (limits[limit] ?? 0) : 0;
    if (given <= value) return [];
    return [
      { type: "APPROVAL_DECIDED" as const, payload: { itemId, decision: "approve" as const, by, limits } },
    ];
  });
}

function tooMuchForTree(): never {
  throw new CadreError(
    "CONFLICT",
    "The tree does not have so much left for one of its runs. Nothing was changed: give the tree more first.",
  );
}

function tooLittleForTree(limits: Budget): never {
  throw new CadreError(
    "CONFLICT",
    `The tree cannot have ${describeBudget(limits)}: more is spent or reserved for open calls. Nothing was changed.`,
  );
}
