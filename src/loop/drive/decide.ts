// Decides what happens next, using only the fold of the journal. Pure: the same journal and the same time give the same action (L2).
// The order of the questions is the order of precedence: the end, a cancel, a pause, open calls, the next turn.
// Read-only calls run in parallel; all other calls run one after the other. Every call has exactly one result.
//  D0  A waiting delegation has neither TOOL_STARTED nor TOOL_RESULT. Its only result is the end of its child.
//  D1  Sequential delegation runs one child at a time. Parallel delegation runs up to `maxParallel`; the results keep the order of the calls.
//  D2  A run completes only after its children have ended. If it fails, is cancelled or reaches a limit, its children are cancelled.

import { DEFAULT_DELEGATION } from "../../journal/definition.ts";
import type { EventBody, FirstCause, WaitingOn } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Action, Ending } from "../../patterns/action.ts";
import { patternsIn } from "../../patterns/declarations/facts.ts";
import { toolResult } from "../../patterns/events.ts";
import { patternsOf } from "../../patterns/index.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import { isLate } from "../../patterns/slot.ts";
import { awaitsDecision, isOutcomeUnknown, outcomeItemId } from "../../projections/folds/approvals.ts";
import {
  type ChildRun,
  childrenByTrigger,
  latestChildFor,
  liveChildren,
  type Merge,
  mayBeRetried,
  unmergedChildren,
} from "../../projections/folds/child-runs.ts";
import {
  CLOSING,
  hasEnded,
  itemIdOf,
  type RunState,
  type ToolCall,
} from "../../projections/folds/run-state.ts";
import { DELEGATE, describeEdit, mayRepeat, PROMPT, questionOf } from "../../projections/folds/tool-call.ts";
import { questionResult } from "../builtin-tools/declared/ask-user.ts";
import { reportOf, reportProblem } from "../builtin-tools/declared/closing-tools.ts";
import { declaredTool } from "../builtin-tools/declared/index.ts";
import {
  type DecisionFacts,
  endRun,
  nextTurn,
  type RunView,
  requestBriefing,
  takeTurn,
  tellAgent,
} from "./decide-turn.ts";
import { activeTimeLeft, hardLimit } from "./limits.ts";

export function decide(view: RunView, facts: DecisionFacts): Action {
  const { state } = view;
  if (state.end || hasEnded(state.status)) return { type: "stop" };
  if (!state.cancel && isOnHold(state)) return { type: "rest", wakeAt: undefined };
  const wanted = state.cancel
    ? endRun(cancelledEnding(state))
    : (mergeNext(state, facts.now) ?? next(view, facts));
  const settled = wanted.type === "end" ? decideEnd(view, wanted.ending) : wanted;
  const action = settled.type === "end" ? mergeAtEnd(settled, state, facts.now) : settled;
  if (state.status === "suspended" && !isRest(action)) return { type: "resume", by: resumedBy(state) };
  return action.type === "suspend" && isSameWait(state.waitingOn, action.waitingOn)
    ? { type: "rest", wakeAt: action.wakeAt }
    : action;
}

/** True if only a person can end the wait, by resuming the run (RUN_RESUMED). */
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

/**
 * The work of children with worktrees is merged before anything else is decided.
 * While a person looks at a merge, this run waits, because its next step might build on the merged files.
 */
function mergeNext({ children }: RunState, now: number): Action | undefined {
  const unmerged = unmergedChildren(children);
  const ready = unmerged.find(({ merge }) => !isUndecided(merge));
  if (ready) return { type: "merge-child", runId: ready.runId };
  return waitForMerges(
    unmerged.map(({ merge }) => merge),
    now,
  );
}

/** D7: a root in a worktree merges the work of its tree before it ends. The work of a cancelled run stays on its branch. */
function mergeAtEnd(
  end: Extract<Action, { type: "end" }>,
  { ownMerge, cancel }: RunState,
  now: number,
): Action {
  if (!ownMerge || ownMerge.done || cancel) return end;
  return waitForMerges(isUndecided(ownMerge) ? [ownMerge] : [], now) ?? { ...end, type: "merge-own" };
}

const isUndecided = ({ asked, isOutdated }: Merge): boolean =>
  asked !== undefined && !isOutdated && awaitsDecision(asked);

function waitForMerges(merges: readonly Merge[], now: number): Action | undefined {
  const asked = merges.flatMap((merge) => merge.asked ?? []);
  const expired = asked.filter(({ proposal }) => (proposal!.expiresAt ?? Infinity) <= now);
  return expired.length > 0 ? { type: "record", events: expired.map(expiry) } : suspendForApproval(asked);
}

function next(view: RunView, facts: DecisionFacts): Action {
  const failure = refusedPrompt(view) ?? childFailure(view);
  if (failure) return endRun(failure);
  for (const pattern of patternsOf(view.definition)) {
    const action = pattern.next(view, facts.now);
    if (action?.type === "take-turn" || (action?.type === "propose-made" && hasReachedLimit(view.state)))
      return takeTurn(view, facts);
    if (action) return action.type === "end" ? endRun(checkModuleOutput(action.ending, view)) : action;
  }
  const own =
    requestBriefing(view, facts) ??
    nextForCalls(view, facts.now) ??
    nextForRunner(view) ??
    nextTurn(view, facts);
  return (own.type === "end" ? answerForPattern(view, own.ending) : undefined) ?? own;
}

/** A hook refused the task before the agent saw it. */
function refusedPrompt({ state: { hooks } }: DecisionView): Ending | undefined {
  const answer = hooks.get("UserPromptSubmit");
  if (answer?.decision !== "block") return undefined;
  const summary = `A hook refused the task, so the agent did not see it: ${answer.reason}`;
  return { status: "failed", stopReason: "refused", summary };
}

/** The failure of a child, if the agent's file says that a failed child makes the run fail. */
function childFailure({ state, definition }: DecisionView): Ending | undefined {
  const { onFailure, onTimeout } = definition.delegation ?? DEFAULT_DELEGATION;
  const isFatal = (each: ChildRun): boolean => {
    if (each.trigger !== "delegation" || !each.ended) return false;
    const cause = timeout(each);
    if (cause && onTimeout !== undefined) return onTimeout === "fail";
    return each.ended.result.status === "failed" && onFailure === "fail";
  };
  const child = [...state.children.values()].find(isFatal);
  if (!child) return undefined;
  const { summary: why, result } = child.ended!;
  const cause = timeout(child);
  const summary =
    cause?.stop_reason === "max_duration" ? cause.summary : `${child.agent} did not succeed: ${why}`;
  return { status: "failed", stopReason: "error", summary, cause: result.first_cause ?? cause };
}

/** Why the child ran out of time, even if it could still report. Undefined if it did not: time of the runs below it does not count. */
function timeout({ runId, agent, ended }: ChildRun): FirstCause | undefined {
  const { first_cause: cause, stop_reason, duration_ms } = ended!.result;
  if (cause?.run_id === runId)
    return ["max_duration", "approval_expired"].includes(cause.stop_reason) ? cause : undefined;
  if (cause || stop_reason !== "max_duration") return undefined;
  const summary = `Child run ${runId} timed out after ${Math.round(duration_ms)} ms. Its last report: ${ended!.summary}`;
  return { run_id: runId, agent, stop_reason, summary };
}

/** True if a limit other than `maxTurns` is reached. From then on, only the last turn is allowed to begin (B3). */
function hasReachedLimit(state: RunState): boolean {
  const limit = hardLimit(state);
  return limit !== undefined && limit.limit !== "maxTurns";
}

/** Fails the run if its module returned a value that does not match the agent's output schema. */
function checkModuleOutput(ending: Ending, { definition }: DecisionView): Ending {
  const { status, stopReason, summary, output } = ending;
  if (!definition.steps || status !== "completed" || stopReason !== "final_answer") return ending;
  const problem = reportProblem({ summary, output }, definition);
  if (problem === undefined) return ending;
  return { status: "failed", stopReason: "invalid_output", summary: `What the module returned: ${problem}` };
}

/** The next action for the open calls. Undefined if every call has its result, or if the only call is the run's report. */
function nextForCalls(view: DecisionView, now: number): Action | undefined {
  const { state } = view;
  // While a program works on a prompt, the program itself carries out the calls that it has started.
  const open = [...state.calls.values()].filter(
    (call) => !call.result && !(state.openModelCall && call.started),
  );
  if (open.length === 0 || reportOf(view)) return undefined;

  const unjudged = open.filter((call) => !call.proposal);
  if (unjudged.length > 0) return { type: "propose", calls: unjudged.map((call) => call.id) };

  const failure = open.map((call) => policyFailure(call, state)).find((ending) => ending);
  if (failure) return { type: "end", ending: failure };

  const answers = open.flatMap((call) => {
    const result = resultWithoutRun(call);
    return result.length === 0 && isOutOfTime(call, view)
      ? [toolResult(call.id, OUT_OF_TIME, "not_started")]
      : result;
  });
  if (answers.length > 0) return { type: "record", events: answers };

  const expired = open.filter(
    (call) => awaitsDecision(call) && (call.proposal?.expiresAt ?? Infinity) <= now,
  );
  if (expired.length > 0) return { type: "record", events: expired.map(expiry) };

  return (
    suspendForUnknown(open) ??
    nextForBuiltinTool(view, open) ??
    runTools(state, open) ??
    suspendForApproval(open) ?? { type: "rest", wakeAt: undefined }
  );
}

/** Ends a run whose policy is to fail when no person decides about a call. */
function policyFailure(call: ToolCall, { start }: RunState): Ending | undefined {
  const { proposal, decision, name } = call;
  const question = questionOf(call)?.question;
  if (decision?.decision === "expire" && start!.approvals.onTimeout === "fail") {
    return {
      status: "failed",
      stopReason: "approval_expired",
      summary:
        question === undefined
          ? `Nobody decided on ${name} in time.`
          : `Nobody answered in time: ${question}`,
    };
  }
  if (proposal?.unattended === "fail") {
    const summary =
      question === undefined
        ? `${name} needs a person, and nobody is there.`
        : `A question needs a person, and nobody is there: ${question}`;
    return { status: "failed", stopReason: "error", summary };
  }
  return undefined;
}

/** The result of a call that needs no run, for example because a rule denied it or a person rejected it. Empty if the call is still open. */
function resultWithoutRun(call: ToolCall): EventBody[] {
  if (questionOf(call)) return questionResult(call);
  const { proposal, decision, verdict, id: toolCallId, attempts } = call;
  const base = { toolCallId, ...(attempts > 1 ? { attempt: attempts } : {}) };
  const result = (output: string, outcome?: "denied" | "unknown"): EventBody[] => [
    { type: "TOOL_RESULT", payload: { ...base, output, ...(outcome && { isError: true, outcome }) } },
  ];
  const edit = describeEdit(call);
  const ran = edit === undefined ? "" : `${edit}\n\n`;
  const reason = verdict?.note && verdict.by !== "cadre" ? ` ${verdict.note}` : "";
  if (verdict?.verdict === "happened")
    return result(`${ran}${verdict.output ?? "A person checked: it was done."}${reason}`);
  if (verdict?.verdict === "fail")
    return result(`${ran}It is not known whether this was done.${reason}`, "unknown");
  if (decision?.decision === "reject") {
    return result(`Rejected by ${decision.by}${decision.note ? `: ${decision.note}` : "."}`, "denied");
  }
  if (decision?.decision === "expire") return result("Nobody decided in time: rejected.", "denied");
  if (proposal?.verdict === "deny")
    return result(`Not allowed (${proposal.rule}). Do it another way.`, "denied");
  return [];
}

/** True if the run's time was over before the call could start a tool or a child. The calls of the last turn are judged on their own. */
function isOutOfTime(call: ToolCall, { state, definition }: DecisionView): boolean {
  if (activeTimeLeft(state) > 0 || state.latest?.purpose === "final" || definition.runner) return false;
  const builtin = declaredTool(call.proposal!.name);
  if (builtin && builtin.kind !== "delegation") return false;
  return !call.started && latestChildFor(state.children, call.id) === undefined;
}

const OUT_OF_TIME = "Not started: the run's time is over (`maxDuration`).";

/** The driver's expiry event for a call without a decision. A person's decision has the same key, so only one of them is written. */
function expiry(call: ToolCall): EventBody {
  const payload = { itemId: itemIdOf(call), decision: "expire" as const, by: "cadre" };
  return {
    type: "APPROVAL_DECIDED",
    payload: { ...payload, ...omitUndefined({ hash: call.proposal!.hash }) },
  };
}

function suspendForUnknown(open: readonly ToolCall[]): Action | undefined {
  const unknown = open.filter(isOutcomeUnknown);
  if (unknown.length === 0) return undefined;
  const items = unknown.map((call) => outcomeItemId(call.id, call.attempts));
  return { type: "suspend", waitingOn: { kind: "outcome_unknown", items }, wakeAt: nextExpiry(open) };
}

/** The action for the first open call, if the call is for a built-in tool and can begin. */
function nextForBuiltinTool(view: DecisionView, open: readonly ToolCall[]): Action | undefined {
  const [first] = open;
  const tool = first?.proposal && declaredTool(first.proposal.name);
  if (!first || !tool) return undefined;
  if (tool.kind === "delegation") return delegate(view, open);
  if (!mayStart(first)) return undefined;
  const decided = tool.decide?.(first, view.state);
  if (!decided) return { type: "run-builtin", call: first.id };
  return "result" in decided
    ? { type: "record", events: [decided.result] }
    : waitForChildren(decided.waitFor, open);
}

function delegate({ state, definition }: DecisionView, open: readonly ToolCall[]): Action | undefined {
  const isDelegation = ({ proposal }: ToolCall): boolean => proposal?.name === DELEGATE;
  const others = open.findIndex((call) => !isDelegation(call));
  const calls = open.slice(0, others < 0 ? open.length : others);
  const { mode, maxParallel } = definition.delegation ?? DEFAULT_DELEGATION;
  const live = calls.flatMap((call) => liveChildFor(state, call) ?? []);
  const together = mode === "parallel" || calls.some(({ isStep }) => isStep);
  const free = (together ? maxParallel : 1) - live.length;
  const ready = calls.filter((call) => mayStart(call) && needsChild(state, call)).slice(0, Math.max(0, free));
  if (ready.length > 0) return { type: "start-children", calls: ready.map(({ id }) => id) };
  return live.length > 0 ? waitForChildren(live, open) : undefined;
}

function needsChild({ children }: RunState, call: ToolCall): boolean {
  const child = latestChildFor(children, call.id);
  return child === undefined || mayBeRetried(child);
}

function liveChildFor({ children }: RunState, call: ToolCall): ChildRun | undefined {
  const child = latestChildFor(children, call.id);
  return child?.ended ? undefined : child;
}

/** Waits for children. If another call needs a person's decision, the run waits for the person instead, so that the inbox shows that call. */
function waitForChildren(live: readonly ChildRun[], open: readonly ToolCall[]): Action {
  const waitingOn = { kind: "child" as const, items: live.map(({ runId }) => runId) };
  return suspendForApproval(open) ?? { type: "suspend", waitingOn, wakeAt: undefined };
}

function runTools(state: RunState, open: readonly ToolCall[]): Action | undefined {
  const all = [...state.calls.values()];
  if (all.every((call) => call.result || call.proposal?.effect === "read")) {
    const ready = open.filter((call) => mayStart(call) && !isBuiltin(call));
    return ready.length > 0 ? { type: "run-tools", calls: ready.map((call) => call.id) } : undefined;
  }
  const [first] = open;
  return first && mayStart(first) ? { type: "run-tools", calls: [first.id] } : undefined;
}

const isBuiltin = ({ proposal }: ToolCall): boolean => declaredTool(proposal!.name) !== undefined;

/** Whether the call can begin now. This can be its first start, or a repetition after a crash. */
function mayStart(call: ToolCall): boolean {
  const { proposal, decision, verdict } = call;
  if (!proposal || proposal.verdict === "deny") return false;
  if (proposal.verdict === "ask" && decision?.decision !== "approve" && decision?.decision !== "edit")
    return false;
  return !call.started || mayRepeat(call) || verdict?.verdict === "run_again";
}

/** Waits for a person. Undefined if none of these calls needs a decision. */
function suspendForApproval(open: readonly ToolCall[]): Action | undefined {
  const asked = open.filter(awaitsDecision);
  if (asked.length === 0) return undefined;
  return { type: "suspend", waitingOn: waitForPerson(asked), wakeAt: nextExpiry(open) };
}

function nextExpiry(open: readonly ToolCall[]): number | undefined {
  const times = open.filter(awaitsDecision).flatMap((call) => call.proposal?.expiresAt ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Describes the wait for a person. If all calls are questions, the run waits for answers. For a single question, the wait contains its text. */
function waitForPerson(asked: readonly ToolCall[]): WaitingOn {
  const items = asked.map(itemIdOf);
  const questions = asked.flatMap((call) => questionOf(call) ?? []);
  if (questions.length < asked.length) return { kind: "approval", items };
  const [only] = questions;
  if (!only || questions.length > 1) return { kind: "question", items };
  const { question: detail, choices } = only;
  return { kind: "question", items, detail, ...omitUndefined({ choices }) };
}

/** Next action for an agent with a `runner`. An open prompt is continued. If a prompt was lost, a person says how it ended. */
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

/** The action of the first pattern that uses the agent's answer. Undefined if no pattern uses the answer. */
function answerForPattern(view: DecisionView, ending: Ending): Action | undefined {
  for (const pattern of patternsOf(view.definition)) {
    const action = pattern.onAnswer?.(view, ending);
    if (action) return action;
  }
  return undefined;
}

/** Ends the run once its children have ended, unless a pattern chooses another action. */
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
  // The answer comes from a team or a pattern: for example, it is a picked draft.
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

/** The answer of the latest successful child. A run uses this answer if its agent is not allowed to answer itself. */
function childAnswer({ children }: RunState): Pick<Ending, "summary" | "details" | "output"> | undefined {
  const succeeded = childrenByTrigger(children, "delegation").filter(({ ended }) => ended?.success);
  const result = succeeded.at(-1)?.ended?.result;
  return result && { summary: result.summary, details: result.details, output: result.output };
}

const NOT_YOURS =
  "Your own words are not the answer here (your policy has no Finalize): delegate, and what comes back is the answer.";

const NO_ANSWER = "The agent may not answer itself (its policy has no Finalize), and delegated to nobody.";

/** Ends the run, unless children are still at work (D2). */
function endAfterChildren({ state, definition }: DecisionView, ending: Ending): Action {
  const live = liveChildren(state.children);
  if (live.length === 0) return { type: "end", ending };
  const items = live.map(({ runId }) => runId);
  const waitingOn = { kind: "child" as const, items, ...CLOSING };
  // F27: if only late children are left, they are cancelled here. A crash might have prevented their cancellation.
  const waits =
    ending.status === "completed" &&
    !hardLimit(state) &&
    definition.delegation?.atEnd !== "cancel" &&
    !live.every((child) => isLate(state, child));
  return waits
    ? { type: "suspend", waitingOn, wakeAt: undefined }
    : { type: "cancel-children", runIds: items, waitingOn };
}

const isRest = (action: Action): boolean =>
  action.type === "rest" ||
  action.type === "suspend" ||
  action.type === "stop" ||
  action.type === "cancel-children";

function resumedBy(state: RunState): string {
  const decisions = [...state.decisions.values()];
  return decisions[decisions.length - 1]?.by ?? "cadre";
}

/** Whether two waits are the same. A run that waits for a child keeps its wait even when the child needs a person. */
function isSameWait(left: WaitingOn | undefined, right: WaitingOn): boolean {
  const forChild = right.kind === "child" || right.kind === "handoff";
  const isSame = left?.kind === right.kind || (left?.kind === "child_hitl" && forChild);
  return isSame && JSON.stringify(left?.items) === JSON.stringify(right.items);
}
