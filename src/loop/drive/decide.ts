// Decides what happens next, from the journal's fold alone. Pure: the same journal and the same time give the same action (L2).
// The order of the questions is the order of precedence: the end, a cancel, a pause, open calls, the next turn.

import type { WaitingOn } from "../../journal/events.ts";
import type { Action, Ending } from "../../patterns/action.ts";
import { patternsIn } from "../../patterns/declarations/facts.ts";
import { patternsOf } from "../../patterns/index.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import { unmergedChild } from "../../projections/folds/child-runs.ts";
import { hasEnded, type RunState } from "../../projections/folds/run-state.ts";
import { PROMPT } from "../../projections/folds/tool-call.ts";
import { reportProblem } from "../builtin-tools/declared/final-report.ts";
import { nextForCalls } from "./decide-calls.ts";
import { childAnswer, childFailure, endAfterChildren } from "./decide-children.ts";
import {
  type DecisionFacts,
  endRun,
  nextTurn,
  type RunView,
  requestBriefing,
  takeTurn,
  tellAgent,
} from "./decide-turn.ts";
import { hardLimit } from "./limits.ts";

export function decide(view: RunView, facts: DecisionFacts): Action {
  const { state } = view;
  if (state.end || hasEnded(state.status)) return { type: "stop" };
  if (!state.cancel && isOnHold(state)) return { type: "rest", wakeAt: undefined };
  const wanted = state.cancel ? endRun(cancelledEnding(state)) : (mergeNext(state) ?? next(view, facts));
  const action = wanted.type === "end" ? decideEnd(view, wanted.ending) : wanted;
  if (state.status === "suspended" && !isRest(action)) return { type: "resume", by: resumedBy(state) };
  return action.type === "suspend" && isSameWait(state.waitingOn, action.waitingOn)
    ? { type: "rest", wakeAt: action.wakeAt }
    : action;
}

/** The work of a child in a worktree is merged before anything else is decided. */
function mergeNext({ children }: RunState): Action | undefined {
  const child = unmergedChild(children);
  return child && { type: "merge-child", runId: child.runId };
}

/** A pattern may take the answer over; otherwise it must be the agent's to give. The run ends after its children. */
function decideEnd(view: RunView, ending: Ending): Action {
  if (ending.status !== "completed" || ending.stopReason === "handed_off")
    return endAfterChildren(view, ending);
  const settled = endAfterChildren(view, ending);
  if (settled.type === "end") {
    for (const pattern of patternsOf(view.definition)) {
      const action = pattern.onFinish?.(view, ending);
      if (action) return action.type === "end" ? endAfterChildren(view, action.ending) : action;
    }
  }
  return ending.stopReason === "routed" ? settled : ownAnswer(view, ending);
}

function ownAnswer(view: RunView, ending: Ending): Action {
  const { state, definition } = view;
  // A draft that was picked is the answer, although the agent itself gave none.
  const isGiven =
    ending.team !== undefined || patternsIn(definition).some(({ pattern }) => pattern.answer === "pattern");
  if (definition.finalizes !== false || ending.status !== "completed" || isGiven)
    return endAfterChildren(view, ending);
  const answer = childAnswer(state);
  if (answer) return endAfterChildren(view, { ...ending, ...answer });
  const id = "not-yours";
  if (!state.systemNotes.has(id) && !hardLimit(state)) return tellAgent(id, NOT_YOURS);
  return endAfterChildren(view, { status: "failed", stopReason: "invalid_output", summary: NO_ANSWER });
}

function next(view: RunView, facts: DecisionFacts): Action {
  const failure = childFailure(view);
  if (failure) return endRun(failure);
  for (const pattern of patternsOf(view.definition)) {
    const action = pattern.next(view, facts.now);
    if (action?.type === "take-turn" || (action?.type === "propose-made" && hasReachedLimit(view.state)))
      return takeTurn(view, facts);
    if (action) return action.type === "end" ? endRun(checkModuleOutput(action.ending, view)) : action;
  }
  const own =
    requestBriefing(view, facts.now) ??
    nextForCalls(view, facts.now) ??
    nextForRunner(view) ??
    nextTurn(view, facts);
  return (own.type === "end" ? answerForPattern(view, own.ending) : undefined) ?? own;
}

const isRest = (action: Action): boolean =>
  action.type === "rest" ||
  action.type === "suspend" ||
  action.type === "stop" ||
  action.type === "cancel-children";

/** Only a person's RUN_RESUMED ends these waits. */
function isOnHold({ status, waitingOn }: RunState): boolean {
  if (status !== "suspended") return false;
  return (
    waitingOn?.kind === "paused" ||
    waitingOn?.kind === "quarantine" ||
    waitingOn?.kind === "definition_changed"
  );
}

function cancelledEnding(state: RunState): Ending {
  const { by, reason, via } = state.cancel!;
  const summary = reason ? `Cancelled by ${by}: ${reason}` : `Cancelled by ${by}.`;
  return { status: "cancelled", stopReason: via === undefined ? "user" : "parent", summary };
}

function resumedBy(state: RunState): string {
  const decisions = [...state.decisions.values()];
  return decisions[decisions.length - 1]?.by ?? "cadre";
}

/** A run that waits for a child still waits for it while the child needs a person. */
function isSameWait(left: WaitingOn | undefined, right: WaitingOn): boolean {
  const forChild = right.kind === "child" || right.kind === "handoff";
  const isSame = left?.kind === right.kind || (left?.kind === "child_hitl" && forChild);
  return isSame && JSON.stringify(left?.items) === JSON.stringify(right.items);
}

/** A limit other than `maxTurns` is reached: only the last turn may still begin (B3). */
function hasReachedLimit(state: RunState): boolean {
  const limit = hardLimit(state);
  return limit !== undefined && limit.limit !== "maxTurns";
}

/** A pattern may have asked for the agent's answer: then it is not the run's own. */
function answerForPattern(view: DecisionView, ending: Ending): Action | undefined {
  for (const pattern of patternsOf(view.definition)) {
    const action = pattern.onAnswer?.(view, ending);
    if (action) return action;
  }
  return undefined;
}

/** The value that a module returns must fit the agent's output schema, as a report must. */
function checkModuleOutput(ending: Ending, { definition }: DecisionView): Ending {
  const { status, stopReason, summary, output } = ending;
  if (!definition.steps || status !== "completed" || stopReason !== "final_answer") return ending;
  const problem = reportProblem({ summary, output }, definition);
  if (problem === undefined) return ending;
  return { status: "failed", stopReason: "invalid_output", summary: `What the module returned: ${problem}` };
}

/**
 * Next action for an agent with a `runner`: an open prompt continues. After a lost prompt, a person has said how it
 * ended or that it starts again.
 */
function nextForRunner({ state, definition }: DecisionView): Action | undefined {
  if (!definition.runner) return undefined;
  const open = state.openModelCall;
  if (open) {
    const { callId, attempt, model, purpose } = open;
    return { type: "call-model", callId, attempt, model, purpose };
  }
  const lost = [...state.calls.values()].find(({ name, result }) => name === PROMPT && result);
  if (!lost || !state.failedCall || lost.result!.outcome === "not_started") return undefined;
  const summary = String(lost.result!.output);
  return lost.result!.outcome === "ok"
    ? endRun({ status: "completed", stopReason: "final_answer", summary })
    : endRun({ status: "failed", stopReason: "error", summary });
}

const NOT_YOURS =
  "Your own words are not the answer here (your policy has no Finalize): delegate, and what comes back is the answer.";
const NO_ANSWER = "The agent may not answer itself (its policy has no Finalize), and delegated to nobody.";
