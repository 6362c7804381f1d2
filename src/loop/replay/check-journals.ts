// Checks that the journals of a tree agree with each other.
// The checks need only the journals. They find changes that leave every hash chain intact.

import { isDeepStrictEqual } from "node:util";
import type { Digest } from "../../ids.ts";
import { type EventOf, type JournalEvent, type Payload, TERMINAL_TYPES } from "../../journal/events.ts";
import { ROUTE_TO } from "../../patterns/router.ts";
import { childCompletedEvent } from "../../projections/folds/parent-events.ts";
import { foldRow } from "../../projections/folds/run-row.ts";
import { applyRunState, emptyRunState } from "../../projections/folds/run-state.ts";
import { callReceipt, effectiveInput, isApproved, type ToolCall } from "../../projections/folds/tool-call.ts";
import type { Journals } from "../../projections/views/causes.ts";
import { parseDelegation } from "../builtin-tools/declared/delegate.ts";

export interface ReceiptProblem {
  runId: string;
  /** Seq of the event that contradicts another event. */
  seq: number;
  message: string;
}

export interface CheckedReceipts {
  /** Number of calls that started exactly as they were approved. */
  receipts: number;
  problem: ReceiptProblem | undefined;
}

/**
 * Checks that approved calls ran as approved, and that each child is the one that its parent started.
 * The hash of an approved call is in the person's decision, and also in the event that starts the call.
 * If one of these two events was altered, the hashes differ (P5, I8).
 */
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
  // Older versions of Cadre recorded no receipt.
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

/** Checks that a child's journal begins with the task and the agent in its parent's journal. */
function childProblem(event: Begins, journals: Journals): string | undefined {
  if (event.type !== "CHILD_RUN_STARTED") return undefined;
  const { child_run_id: id, task, agent_type: agent } = event.payload;
  const first = journals.get(id)?.[0];
  if (!first || isStartedAs(first, { task, agent })) return undefined;
  return `Run ${id} began with another task or agent than event ${event.seq} of run ${event.runId} has started.`;
}

const isStartedAs = (first: JournalEvent, { task, agent }: Pick<Payload<"RUN_STARTED">, "task" | "agent">) =>
  first.type === "RUN_STARTED" && first.payload.task === task && first.payload.agent === agent;

/** Checks that parents and children agree about the children. This finds a run that was removed or cut short (J7, P6). */
export function findTreeProblem(journals: Journals): ReceiptProblem | undefined {
  for (const journal of journals.values()) {
    for (const event of journal) {
      const message = problemAt(event, journals);
      if (message !== undefined) return { runId: event.runId, seq: event.seq, message };
    }
  }
  return undefined;
}

function problemAt(event: JournalEvent, journals: Journals): string | undefined {
  if (event.type === "CHILD_RUN_STARTED") return missingChild(event, journals);
  return event.type === "CHILD_RUN_COMPLETED" ? endProblem(event, journals) : undefined;
}

function missingChild(event: EventOf<"CHILD_RUN_STARTED">, journals: Journals): string | undefined {
  const { child_run_id: id } = event.payload;
  if (journals.has(id)) return undefined;
  return `Run ${id}, which event ${event.seq} of run ${event.runId} has started, is not there.`;
}

function endProblem(event: EventOf<"CHILD_RUN_COMPLETED">, journals: Journals): string | undefined {
  const { child_run_id: id } = event.payload;
  const child = journals.get(id);
  // E5: for its parent, a quarantined child has ended. The parent learns nothing about later events of the child.
  if (!child || event.payload.quarantined) return undefined;
  const last = child.at(-1)!;
  const says = `event ${event.seq} of run ${event.runId} says`;
  if (!TERMINAL_TYPES.has(last.type))
    return `The end of run ${id}, which ${says} that it has, is not there: its journal stops at event ${last.seq}.`;
  const expected = childCompletedEvent(foldRow(child), last);
  // The child was moved together with its parent. The parent learns in the other store how the child ended.
  if (last.type === "RUN_MOVED" || isDeepStrictEqual(plain(expected?.payload), plain(event.payload)))
    return undefined;
  return `Run ${id} has not ended as ${says}.`;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
