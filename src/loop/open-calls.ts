// Calls of the latest thought that have no result yet: which may begin, and what the run waits for because of them.

import type { WaitingOn } from "../journal/events.ts";
import type { Action } from "../patterns/action.ts";
import { awaitsDecision } from "../projections/folds/approvals.ts";
import { itemIdOf, type ToolCall } from "../projections/folds/run-state.ts";
import { questionOf } from "../projections/folds/tool-call.ts";

/** True where the call may begin now, for the first time or again. */
export function mayStart(call: ToolCall): boolean {
  const { proposal, decision, verdict } = call;
  if (!proposal || proposal.verdict === "deny") return false;
  if (proposal.verdict === "ask" && decision?.decision !== "approve" && decision?.decision !== "edit")
    return false;
  return !call.started || proposal.effect !== "unsafe" || verdict?.verdict === "run_again";
}

/** Undefined: nobody is asked about any of them. */
export function suspendForApproval(open: readonly ToolCall[]): Action | undefined {
  const asked = open.filter(awaitsDecision);
  if (asked.length === 0) return undefined;
  return { type: "suspend", waitingOn: waitFor(asked), wakeAt: nextExpiry(open) };
}

export function nextExpiry(open: readonly ToolCall[]): number | undefined {
  const times = open.filter(awaitsDecision).flatMap((call) => call.proposal?.expiresAt ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** For an answer only where nothing else is asked; of one question it says which. */
function waitFor(asked: readonly ToolCall[]): WaitingOn {
  const items = asked.map(itemIdOf);
  const questions = asked.flatMap((call) => questionOf(call) ?? []);
  if (questions.length < asked.length) return { kind: "approval", items };
  const [only] = questions;
  if (!only || questions.length > 1) return { kind: "question", items };
  const { question: detail, choices } = only;
  return { kind: "question", items, detail, ...(choices === undefined ? {} : { choices }) };
}
