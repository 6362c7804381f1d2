// Decides what happens next, from the journal's fold alone.
// Pure: the same journal and the same time give the same action (L2).
// The order of the questions is the order of precedence: the end, a cancel, a pause, open calls, the next turn.
//  D2  A completed run ends after its children. If it fails, is cancelled or reaches a limit, its children are cancelled.

import { DEFAULT_DELEGATION } from "../../journal/definition.ts";
import type { WaitingOn } from "../../journal/events.ts";
import type { Action, Ending } from "../../patterns/action.ts";
import { patternsIn } from "../../patterns/declarations/facts.ts";
import { patternsOf } from "../../patterns/index.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import { isLate } from "../../patterns/slot.ts";
import { childrenByTrigger, liveChildren, unmergedChild } from "../../projections/folds/child-runs.ts";
import { CLOSING, hasEnded, type RunState } from "../../projections/folds/run-state.ts";
import { PROMPT } from "../../projections/folds/tool-call.ts";
import { reportProblem } from "../builtin-tools/declared/final-report.ts";
import { nextForCalls } from "./decide-calls.ts";
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

/** Merges the work of a child in a worktree before anything else is decided. */
function mergeNext({ children }: RunState): Action | undefined {
  const child = unmergedChild(children);
  return child && { type: "merge-child", runId: child.runId };
}

/** Lets a pattern take the answer over. Otherwise checks that the agent may answer itself. The run ends after its children. */
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
  // A picked draft is the answer, although the agent itself gave none.
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

/** Whether only a person's RUN_RESUMED ends the wait. */
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

/** Whether two waits are the same. A run that waits for a child still waits for the child when the child needs a person. */
function isSameWait(left: WaitingOn | undefined, right: WaitingOn): boolean {
  const forChild = right.kind === "child" || right.kind === "handoff";
  const isSame = left?.kind === right.kind || (left?.kind === "child_hitl" && forChild);
  return isSame && JSON.stringify(left?.items) === JSON.stringify(right.items);
}

/** Whether a limit other than `maxTurns` is reached. Then only the last turn may still begin (B3). */
function hasReachedLimit(state: RunState): boolean {
  const limit = hardLimit(state);
  return limit !== undefined && limit.limit !== "maxTurns";
}

/** The action of a pattern that asked for the agent's answer. Undefined: the answer is the run's own. */
function answerForPattern(view: DecisionView, ending: Ending): Action | undefined {
  for (const pattern of patternsOf(view.definition)) {
    const action = pattern.onAnswer?.(view, ending);
    if (action) return action;
  }
  return undefined;
}

/** Fails the run if its module returned a value that does not fit the agent's output schema. */
function checkModuleOutput(ending: Ending, { definition }: DecisionView): Ending {
  const { status, stopReason, summary, output } = ending;
  if (!definition.steps || status !== "completed" || stopReason !== "final_answer") return ending;
  const problem = reportProblem({ summary, output }, definition);
  if (problem === undefined) return ending;
  return { status: "failed", stopReason: "invalid_output", summary: `What the module returned: ${problem}` };
}

/** Next action for an agent with a `runner`. An open prompt continues. A person says how a lost prompt ended. */
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

/** The failure of a child, if the agent's file says that a failed child fails the run. */
function childFailure({ state, definition }: DecisionView): Ending | undefined {
  if ((definition.delegation ?? DEFAULT_DELEGATION).onFailure !== "fail") return undefined;
  const child = [...state.children.values()].find(
    ({ trigger, ended }) => trigger === "delegation" && ended?.result.status === "failed",
  );
  if (!child) return undefined;
  const { summary: why, result } = child.ended!;
  const summary = `${child.agent} did not succeed: ${why}`;
  return { status: "failed", stopReason: "error", summary, cause: result.first_cause };
}

/** The latest answer of a child, for an agent that may not answer itself. */
function childAnswer({ children }: RunState): Pick<Ending, "summary" | "details" | "output"> | undefined {
  const succeeded = childrenByTrigger(children, "delegation").filter(({ ended }) => ended?.success);
  const result = succeeded.at(-1)?.ended?.result;
  return result && { summary: result.summary, details: result.details, output: result.output };
}

/** Ends the run, unless children are still at work (D2). */
export function endAfterChildren({ state, definition }: DecisionView, ending: Ending): Action {
  const live = liveChildren(state.children);
  if (live.length === 0) return { type: "end", ending };
  const items = live.map(({ runId }) => runId);
  const waitingOn = { kind: "child" as const, items, ...CLOSING };
  // F27: a crash may have come after a child was recorded as late and before it was cancelled.
  const waits =
    ending.status === "completed" &&
    !hardLimit(state) &&
    definition.delegation?.atEnd !== "cancel" &&
    !live.every((child) => isLate(state, child));
  return waits
    ? { type: "suspend", waitingOn, wakeAt: undefined }
    : { type: "cancel-children", runIds: items, waitingOn };
}
