// What happens next, from the fold alone. Pure: the same journal and the same time give the same action (L2).
// Reads from top to bottom in the order in which things bind: the end, a cancel, a pause, open calls, the next turn.

import type { WaitingOn } from "../../journal/events.ts";
import type { Action, Ending } from "../../patterns/action.ts";
import { patternsOf } from "../../patterns/index.ts";
import { unmergedChild } from "../../projections/folds/child-runs.ts";
import { hasEnded, type RunState } from "../../projections/folds/run-state.ts";
import { childAnswer, childFailure, endAfterChildren } from "../decide-children.ts";
import { nextForRunner } from "../decide-runner.ts";
import { answerForPattern, checkModuleOutput, hasReachedLimit } from "../decide-steps.ts";
import { nextForCalls } from "./decide-calls.ts";
import { type DecisionFacts, endRun, nextTurn, requestBriefing, takeTurn, tellAgent } from "./decide-turn.ts";
import { hardLimit } from "./limits.ts";
import type { RunView } from "./run-journal.ts";

export function decide(view: RunView, facts: DecisionFacts): Action {
  const { state } = view;
  if (state.end || hasEnded(state.status)) return { type: "stop" };
  if (!state.cancel && isHeld(state)) return { type: "rest", wakeAt: undefined };
  const wanted = state.cancel ? endRun(cancelled(state)) : (merging(state) ?? next(view, facts));
  const action = wanted.type === "end" ? atTheEnd(view, wanted.ending) : wanted;
  if (state.status === "suspended" && !isRest(action)) return { type: "resume", by: resumedBy(state) };
  return action.type === "suspend" && sameWait(state.waitingOn, action.waitingOn)
    ? { type: "rest", wakeAt: action.wakeAt }
    : action;
}

/** Nothing is decided, and nothing ends, before the work of a child that worked apart is in. */
function merging({ children }: RunState): Action | undefined {
  const child = unmergedChild(children);
  return child && { type: "merge-child", runId: child.runId };
}

/** Whoever takes the answer over; the answer, if it is the agent's to give; then the end, after its children. */
function atTheEnd(view: RunView, ending: Ending): Action {
  if (ending.status !== "completed" || ending.stopReason === "handed_off")
    return endAfterChildren(view, ending);
  const settled = endAfterChildren(view, ending);
  if (settled.type === "end") {
    for (const pattern of patternsOf(view.definition)) {
      const action = pattern.finished?.(view, ending);
      if (action) return action.type === "end" ? endAfterChildren(view, action.ending) : action;
    }
  }
  return ending.stopReason === "routed" ? settled : ownAnswer(view, ending);
}

function ownAnswer(view: RunView, ending: Ending): Action {
  const { state, definition } = view;
  // A draft that was picked is an answer: the agent itself has said nothing.
  const isGiven = ending.team !== undefined || definition.bestOf !== undefined;
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

/** Kinds of waiting that only a person's RUN_RESUMED ends. */
function isHeld({ status, waitingOn }: RunState): boolean {
  if (status !== "suspended") return false;
  return (
    waitingOn?.kind === "paused" ||
    waitingOn?.kind === "quarantine" ||
    waitingOn?.kind === "definition_changed"
  );
}

function cancelled(state: RunState): Ending {
  const { by, reason, via } = state.cancel!;
  const summary = reason ? `Cancelled by ${by}: ${reason}` : `Cancelled by ${by}.`;
  return { status: "cancelled", stopReason: via === undefined ? "user" : "parent", summary };
}

function resumedBy(state: RunState): string {
  const decisions = [...state.decisions.values()];
  return decisions[decisions.length - 1]?.by ?? "cadre";
}

/** A run that waits for a child waits for it also while the child needs a person. */
function sameWait(left: WaitingOn | undefined, right: WaitingOn): boolean {
  const forChild = right.kind === "child" || right.kind === "handoff";
  const isSame = left?.kind === right.kind || (left?.kind === "child_hitl" && forChild);
  return isSame && JSON.stringify(left?.items) === JSON.stringify(right.items);
}

const NOT_YOURS =
  "Your own words are not the answer here (your policy has no Finalize): delegate, and what comes back is the answer.";
const NO_ANSWER = "The agent may not answer itself (its policy has no Finalize), and delegated to nobody.";
