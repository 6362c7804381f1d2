// What happens next with the calls of the latest thought. Calls run together when all of them only read, in their order
// otherwise; each gets exactly one result.

import type { EventBody } from "../../journal/events.ts";
import type { Action, Ending } from "../../patterns/action.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import { awaitsDecision, isOutcomeUnknown, outcomeItemId } from "../../projections/folds/approvals.ts";
import { itemIdOf, type RunState, type ToolCall } from "../../projections/folds/run-state.ts";
import { questionOf } from "../../projections/folds/tool-call.ts";
import { questionResult, UNATTENDED } from "../builtin-tools/declared/ask-user.ts";
import { reportOf } from "../builtin-tools/declared/final-report.ts";
import { isLoopTool } from "../builtin-tools/index.ts";
import { nextForChildren } from "../decide-children.ts";
import { mayStart, nextExpiry, suspendForApproval } from "../open-calls.ts";

/** How the rule of a call begins that nobody was there to approve, where that fails the run. */
export const UNATTENDED_FAIL = `${UNATTENDED} fail`;

/** Undefined: every call has its result (or is the report that ends the run). */
export function nextForCalls(view: DecisionView, now: number): Action | undefined {
  const { state } = view;
  // What a program does while its prompt is under way is nobody else's business.
  const open = [...state.calls.values()].filter(
    (call) => !call.result && !(state.openModelCall && call.started),
  );
  if (open.length === 0 || reportOf(view)) return undefined;

  const unjudged = open.filter((call) => !call.proposal);
  if (unjudged.length > 0) return { type: "propose", calls: unjudged.map((call) => call.id) };

  const failure = open.map((call) => failureOfPolicy(call, state)).find((ending) => ending);
  if (failure) return { type: "end", ending: failure };

  const answers = open.flatMap((call) => answerWithoutEffect(call));
  if (answers.length > 0) return { type: "record", events: answers };

  const expired = open.filter(
    (call) => awaitsDecision(call) && (call.proposal?.expiresAt ?? Infinity) <= now,
  );
  if (expired.length > 0) return { type: "record", events: expired.map(expiry) };

  return (
    suspendForUnknown(open) ??
    nextForChildren(view, open) ??
    runNext(state, open) ??
    suspendForApproval(open) ?? { type: "rest", wakeAt: undefined }
  );
}

/** Where the run's policy says that an unanswered question fails it. */
function failureOfPolicy(call: ToolCall, { start }: RunState): Ending | undefined {
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
  if (proposal?.verdict === "deny" && proposal.rule.startsWith(UNATTENDED_FAIL)) {
    const summary =
      question === undefined
        ? `${name} needs a person, and nobody is there.`
        : `A question needs a person, and nobody is there: ${question}`;
    return { status: "failed", stopReason: "error", summary };
  }
  return undefined;
}

/** What a person's word, or a rule, says about a call is its result: nothing runs. */
function answerWithoutEffect(call: ToolCall): EventBody[] {
  if (questionOf(call)) return questionResult(call);
  const { proposal, decision, verdict, id, attempts } = call;
  const attempt = attempts > 1 ? { attempt: attempts } : {};
  const result = (output: string, outcome: "denied" | "ok" | "unknown"): EventBody[] => [
    {
      type: "TOOL_RESULT",
      payload: {
        toolCallId: id,
        ...attempt,
        output,
        ...(outcome === "ok" ? {} : { isError: true, outcome }),
      },
    },
  ];
  if (verdict?.verdict === "happened")
    return result(verdict.output ?? "It was done, says the person who looked.", "ok");
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

/** The driver's own decision when the time is over: the same event and key as a person's, so only one can win. */
function expiry(call: ToolCall): EventBody {
  const { hash } = call.proposal!;
  const payload = { itemId: itemIdOf(call), decision: "expire" as const, by: "cadre" };
  return { type: "APPROVAL_DECIDED", payload: hash === undefined ? payload : { ...payload, hash } };
}

function runNext(state: RunState, open: readonly ToolCall[]): Action | undefined {
  const all = [...state.calls.values()];
  if (all.every((call) => call.result || call.proposal?.effect === "read")) {
    const ready = open.filter((call) => mayStart(call) && !isLoopTool(call.name));
    return ready.length > 0 ? { type: "run-tools", calls: ready.map((call) => call.id) } : undefined;
  }
  const [first] = open;
  return first && mayStart(first) ? { type: "run-tools", calls: [first.id] } : undefined;
}

function suspendForUnknown(open: readonly ToolCall[]): Action | undefined {
  const unknown = open.filter(isOutcomeUnknown);
  if (unknown.length === 0) return undefined;
  const items = unknown.map((call) => outcomeItemId(call.id, call.attempts));
  return { type: "suspend", waitingOn: { kind: "outcome_unknown", items }, wakeAt: nextExpiry(open) };
}
