// Decides what happens next with the calls of the latest model answer.
// Calls that only read run together, others one after the other. Every call gets exactly one result.
//  D0  A delegation that waits has neither TOOL_STARTED nor TOOL_RESULT: its child's end is its one result.
//  D1  Sequential: one child at a time. Parallel: up to `maxParallel`, and the results are in the order of the calls.

import { DEFAULT_DELEGATION } from "../../journal/definition.ts";
import type { EventBody, WaitingOn } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Action, Ending } from "../../patterns/action.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import { awaitsDecision, isOutcomeUnknown, outcomeItemId } from "../../projections/folds/approvals.ts";
import { type ChildRun, latestChildFor, mayBeRetried } from "../../projections/folds/child-runs.ts";
import { itemIdOf, type RunState, type ToolCall } from "../../projections/folds/run-state.ts";
import { DELEGATE, questionOf } from "../../projections/folds/tool-call.ts";
import { questionResult } from "../builtin-tools/declared/ask-user.ts";
import { reportOf } from "../builtin-tools/declared/final-report.ts";
import { declaredTool } from "../builtin-tools/declared/index.ts";

/** The next action for the open calls. Undefined: every call has its result, or the one call is the run's report. */
export function nextForCalls(view: DecisionView, now: number): Action | undefined {
  const { state } = view;
  // While a program works on a prompt, it carries out the calls that it has begun.
  const open = [...state.calls.values()].filter(
    (call) => !call.result && !(state.openModelCall && call.started),
  );
  if (open.length === 0 || reportOf(view)) return undefined;

  const unjudged = open.filter((call) => !call.proposal);
  if (unjudged.length > 0) return { type: "propose", calls: unjudged.map((call) => call.id) };

  const failure = open.map((call) => policyFailure(call, state)).find((ending) => ending);
  if (failure) return { type: "end", ending: failure };

  const answers = open.flatMap((call) => resultWithoutRun(call));
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

/** The end of a run whose policy says that it fails if a person does not decide. */
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

/** The result of a call that a person or a rule has answered, so that it does not run. Empty: the call is still open. */
function resultWithoutRun(call: ToolCall): EventBody[] {
  if (questionOf(call)) return questionResult(call);
  const { proposal, decision, verdict, id: toolCallId, attempts } = call;
  const base = { toolCallId, ...(attempts > 1 ? { attempt: attempts } : {}) };
  const result = (output: string, outcome?: "denied" | "unknown"): EventBody[] => [
    { type: "TOOL_RESULT", payload: { ...base, output, ...(outcome && { isError: true, outcome }) } },
  ];
  if (verdict?.verdict === "happened") return result(verdict.output ?? "A person checked: it was done.");
  if (verdict?.verdict === "fail") {
    return result(
      `It is not known whether this was done.${verdict.note ? ` ${verdict.note}` : ""}`,
      "unknown",
    );
  }
  if (decision?.decision === "reject") {
    return result(`Rejected by ${decision.by}${decision.note ? `: ${decision.note}` : "."}`, "denied");
  }
  if (decision?.decision === "expire") return result("Nobody decided in time: rejected.", "denied");
  if (proposal?.verdict === "deny")
    return result(`Not allowed (${proposal.rule}). Do it another way.`, "denied");
  return [];
}

/** The driver's own decision after the timeout. It has the key of a person's decision, so only one of the two is written. */
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

/** The action for the first open call, if it is of a built-in tool and can begin. */
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

/** Waits for children; or for a person, if one is asked about another call: the inbox must show that call. */
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

/** Whether the call may begin now, for the first time or again. */
function mayStart(call: ToolCall): boolean {
  const { proposal, decision, verdict } = call;
  if (!proposal || proposal.verdict === "deny") return false;
  if (proposal.verdict === "ask" && decision?.decision !== "approve" && decision?.decision !== "edit")
    return false;
  return !call.started || proposal.effect !== "unsafe" || verdict?.verdict === "run_again";
}

/** Waits for a person. Undefined: no person is asked about any of these calls. */
function suspendForApproval(open: readonly ToolCall[]): Action | undefined {
  const asked = open.filter(awaitsDecision);
  if (asked.length === 0) return undefined;
  return { type: "suspend", waitingOn: waitForPerson(asked), wakeAt: nextExpiry(open) };
}

function nextExpiry(open: readonly ToolCall[]): number | undefined {
  const times = open.filter(awaitsDecision).flatMap((call) => call.proposal?.expiresAt ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Describes the wait for a person: for answers if the run only asks questions. A single question is part of the wait. */
function waitForPerson(asked: readonly ToolCall[]): WaitingOn {
  const items = asked.map(itemIdOf);
  const questions = asked.flatMap((call) => questionOf(call) ?? []);
  if (questions.length < asked.length) return { kind: "approval", items };
  const [only] = questions;
  if (!only || questions.length > 1) return { kind: "question", items };
  const { question: detail, choices } = only;
  return { kind: "question", items, detail, ...omitUndefined({ choices }) };
}
