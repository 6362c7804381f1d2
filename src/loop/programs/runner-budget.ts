// Checks the cost that a program reports against the budgets of its run and tree.
// The cost of a prompt is not known beforehand, so the budget may end the work in the middle.

import type { Payload } from "../../journal/events.ts";
import type { Action } from "../../patterns/action.ts";
import { isTreeLimit } from "../../projections/usage/tree-budget.ts";
import { budgetOf, hasBudget, openBudgetItem, treeBudgetOf } from "../drive/limits.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import { attemptOf, recordBudgetStop } from "../model/call-model.ts";
import type { LiveRunner } from "./runner.ts";

interface Prompt {
  action: Extract<Action, { type: "call-model" }>;
  live: LiveRunner;
  run: RunJournal;
}

type Failure = Pick<Payload<"MODEL_CALL_FAILED">, "cause" | "message">;

/** Reserves nothing, because the cost is unknown. Only money that is already spent can refuse the prompt. */
export function runnerReservation({ state }: RunJournal) {
  const budget = budgetOf(state);
  const tree = treeBudgetOf(state) ?? {};
  if (!hasBudget(budget) && !hasBudget(tree)) return {};
  return { reserve: { estimate: { tokens: 0, cost: null }, run: budget, tree } };
}

/** Records the reported cost, before the run rests and before other runs spend from the same budget. */
export function recordCost({ action, live, run }: Prompt): void {
  if (!live.cost) return;
  const payload = { ...attemptOf(action), index: run.state.runner.spent, cost: live.takeCost()! };
  run.record({ type: "RUNNER_SPENT", payload });
}

/** Whether the reported cost ends the work: for good, or until a person raises the budget (`stays`). */
export async function checkRunnerBudget(prompt: Prompt): Promise<(Failure & { stays: boolean }) | undefined> {
  const { action, live, run } = prompt;
  const needs = runnerReservation(run);
  if (!needs.reserve || !live.cost) return undefined;
  recordCost(prompt);
  let refused = await run.begin([], needs);
  // A signal arrived in between and is folded now. The money is spent all the same.
  if (refused === "signals") refused = await run.begin([], runnerReservation(run));
  if (refused !== "budget") return undefined;
  const { limit, value } = run.exceededBudget!;
  recordBudgetStop(action, run);
  const stays = openBudgetItem(run.state) !== undefined;
  const message = `Stopped: ${isTreeLimit(limit) ? "its tree" : "it"} has cost what it may (${value}).`;
  return { cause: stays ? "interrupted" : "model", message, stays };
}
