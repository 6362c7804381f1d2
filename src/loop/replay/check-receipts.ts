// Checks consent receipts: a hash of an approved call is stored twice, in the person's decision and in the event that
// starts the
// call. The check needs only the journals. It finds an altered event even if its hash chain was rebuilt, because the
// approval and
// the call then disagree (P5, I8).

import type { Digest } from "../../ids.ts";
import type { EventOf, JournalEvent, Payload } from "../../journal/events.ts";
import { callReceipt } from "../../journal/hash.ts";
import { ROUTE_TO } from "../../patterns/router.ts";
import { applyRunState, emptyRunState } from "../../projections/folds/run-state.ts";
import { effectiveInput, isApproved, type ToolCall } from "../../projections/folds/tool-call.ts";
import type { Journals } from "../../projections/views/causes.ts";
import { parseDelegation } from "../builtin-tools/declared/delegate.ts";

export interface ReceiptProblem {
  runId: string;
  /** The event that contradicts another one. */
  seq: number;
  message: string;
}

export interface CheckedReceipts {
  /** Calls that started exactly as they were approved. */
  receipts: number;
  problem: ReceiptProblem | undefined;
}

/** Checks that approved calls ran as approved, and that children are what their parents started. */
export function checkReceipts(journals: Journals, digest: Digest): CheckedReceipts {
  let receipts = 0;
  for (const journal of journals.values()) {
    const state = emptyRunState();
    for (const event of journal) {
      if (beginsCall(event)) {
        const { runId, seq, payload } = event;
        const call = state.calls.get(callBegun(payload));
        const message = (call && receiptProblem(event, call, digest)) ?? childProblem(event, journals);
        if (message !== undefined) return { receipts, problem: { runId, seq, message } };
        if (call?.decision?.receipt !== undefined) receipts++;
      }
      applyRunState(state, event);
    }
  }
  return { receipts, problem: undefined };
}

type Begins = EventOf<"TOOL_STARTED" | "CHILD_RUN_STARTED">;

const beginsCall = (event: JournalEvent): event is Begins =>
  event.type === "TOOL_STARTED" || event.type === "CHILD_RUN_STARTED";

const callBegun = (payload: Begins["payload"]): string =>
  "toolCallId" in payload ? payload.toolCallId : payload.key;

function receiptProblem(event: Begins, call: ToolCall, digest: Digest): string | undefined {
  const { proposal, decision } = call;
  if (proposal?.verdict !== "ask") return undefined;
  const what = `${call.name} (${call.id}) began at event ${event.seq} of run ${event.runId}`;
  if (!decision || !isApproved(call)) return `${what}, and no person had approved it.`;
  const said = `what ${decision.by} approved (${decision.itemId})`;
  if (decision.hash !== proposal.hash) return `${what}, but ${said} was bound to something else.`;
  // Journals from before receipts have none.
  if (decision.receipt === undefined) return undefined;
  const now = callReceipt(digest, call.name, effectiveInput(call));
  if (decision.receipt !== now)
    return `${what} as sha256 ${now}, and is not ${said}, sha256 ${decision.receipt}.`;
  if (event.payload.receipt !== now)
    return `${what} as sha256 ${event.payload.receipt ?? "unknown"}, and is not ${said}, sha256 ${now}.`;
  return event.type === "CHILD_RUN_STARTED" ? taskProblem(event, call, what) : undefined;
}

function taskProblem(
  { payload }: EventOf<"CHILD_RUN_STARTED">,
  call: ToolCall,
  what: string,
): string | undefined {
  if (call.name === ROUTE_TO) return undefined;
  const asked = parseDelegation({ ...call, input: effectiveInput(call) });
  if (!asked || "problem" in asked || asked.task === payload.task) return undefined;
  return `${what} with another task than was approved.`;
}

/** A child's journal must begin with what its parent's says. */
function childProblem(event: Begins, journals: Journals): string | undefined {
  if (event.type !== "CHILD_RUN_STARTED") return undefined;
  const { child_run_id: id, task, agent_type: agent } = event.payload;
  const first = journals.get(id)?.[0];
  if (!first || isStartedAs(first, { task, agent })) return undefined;
  return `Run ${id} began with another task or agent than event ${event.seq} of run ${event.runId} has started.`;
}

const isStartedAs = (first: JournalEvent, { task, agent }: Pick<Payload<"RUN_STARTED">, "task" | "agent">) =>
  first.type === "RUN_STARTED" && first.payload.task === task && first.payload.agent === agent;
