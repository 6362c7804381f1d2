// Calls of the latest thought that have no result yet: which may begin, and what the run waits for because of them.

import type { Action } from "../patterns/action.ts";
import { awaitsDecision } from "../projections/approvals.ts";
import { itemIdOf, type ToolCall } from "../projections/run-state.ts";

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
  const items = open.filter(awaitsDecision).map(itemIdOf);
  if (items.length === 0) return undefined;
  return { type: "suspend", waitingOn: { kind: "approval", items }, wakeAt: nextExpiry(open) };
}

export function nextExpiry(open: readonly ToolCall[]): number | undefined {
  const times = open.filter(awaitsDecision).flatMap((call) => call.proposal?.expiresAt ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}
