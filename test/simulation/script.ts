// The answers of the simulated models. They depend only on the plan and the position in the run.

import type { ScriptedRequest, ScriptedTurn } from "../../src/models/scripted/script.ts";
import type { CallPlan, ModelFailure, RunPlan } from "./options.ts";
import { type Offered, speakInPattern } from "./pattern-script.ts";

/** `children` has the ids of the children that the prompt mentions. Team members follow their plans only in the first round. */
export function speak(
  plans: readonly RunPlan[],
  request: ScriptedRequest,
  { children, offered }: { children: readonly string[]; offered: Offered },
): ScriptedTurn {
  const plan = plans.find(({ agent }) => agent === request.agent)!;
  const { turn, attempt, purpose } = request;
  if (purpose === "summary")
    return { text: "What was done so far, in short.", usage: { input: 300, output: 20 } };
  if (purpose === "brief") return briefingTurn(attempt);
  const planned = plan.turns[turn - 1];
  if (purpose !== "turn" || !planned || request.round > 1) {
    const said = plan.voice === undefined ? undefined : speakInPattern(plan, request, offered);
    return said ?? endingTurn(plan, turn, purpose);
  }
  const failure = planned.failures[attempt - 1];
  if (failure) return failedTurn(failure);
  return { text: planned.text, calls: planned.calls.map((one) => call(one, children)), usage: planned.usage };
}

function endingTurn(plan: RunPlan, turn: number, purpose: string): ScriptedTurn {
  const past = turn - plan.turns.length;
  const usage = { input: 200, output: 30 };
  if (plan.ending === "empty-first" && past === 1) return { text: "", usage };
  if (plan.ending === "with-calls" && (past === 1 || purpose === "final")) {
    const report = { tool: "final_report", input: { summary: "done" } };
    return { calls: [{ tool: "look", input: { what: "once more" } }, report], usage };
  }
  if (plan.ending === "text" && plan.output === "none") return { text: `agent ${plan.agent} is done`, usage };
  const wrong = plan.output === "wrong-first" && past <= 1;
  const output = plan.output === "none" ? {} : { output: wrong ? "no number" : { n: 1 } };
  return { report: { summary: "done", ...output }, usage };
}

/** Summarises the parent's work for a child. The first attempt of the model is empty, and the second attempt succeeds. */
function briefingTurn(attempt: number): ScriptedTurn {
  const usage = { input: 200, output: 20 };
  return attempt === 1 ? { text: "", usage } : { text: "So far, so good.", usage };
}

function call(plan: CallPlan, children: readonly string[]): NonNullable<ScriptedTurn["calls"]>[number] {
  const { tool, what, form, id, input, child, action = "check" } = plan;
  const base = { tool, ...(id === undefined ? {} : { id }) };
  if (child !== undefined) return { ...base, input: about(action, children[child] ?? "c-nobody", children) };
  if (input !== undefined && form === "right") return { ...base, input };
  if (form === "no-json") return { ...base, raw: `{"what": "${what}` };
  return { ...base, input: form === "wrong-type" ? { what: 7 } : { what } };
}

function about(action: string, one: string, all: readonly string[]): object {
  return { action, run_ids: action === "wait" && all.length > 0 ? all : [one] };
}

function failedTurn(failure: ModelFailure): ScriptedTurn {
  switch (failure) {
    case "429":
      return { error: { status: 429, message: "slow down", retryAfter: 20 } };
    case "529":
      return { error: { status: 529, message: "overloaded" } };
    case "400":
      return { error: { status: 400, message: "no such thing" } };
    case "network":
      return { error: "network" };
    case "cut":
      return { calls: [{ tool: "charge", input: { what: "never whole" } }], cut: "stream" };
    case "silent":
      return { calls: [{ tool: "charge", input: { what: "never finished" } }], cut: "silent" };
    case "length":
      return { calls: [{ tool: "charge", input: { what: "too long" } }], cut: "length" };
    default:
      return failure satisfies never;
  }
}
