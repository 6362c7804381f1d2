// A run as a row in lists. The store keeps it next to the journal, so that lists need not read whole journals.
// The row is a cache: folding the journal again must give the same row (I3).

import {
  type EventOf,
  isTurn,
  type JournalEvent,
  type Payload,
  type StopReason,
  type WaitingOn,
} from "../../journal/events.ts";
import { triggerOf } from "../../patterns/declarations/facts.ts";
import type { RunRow } from "../run-row-schema.ts";
import { applyUsage, emptyUsage } from "../usage/run-usage.ts";

export type { RunRow };

export function initialRow(runId: string, start: Payload<"RUN_STARTED">, ts: number): RunRow {
  return {
    id: runId,
    rootRunId: start.rootRunId,
    parentRunId: start.parentRunId,
    parentKey: start.parentKey,
    budgetRunId: start.budgetRunId,
    agent: start.agent,
    definition: start.definition,
    kind: start.kind,
    depth: start.depth,
    trigger: start.trigger,
    task: start.task,
    mode: start.mode,
    attended: start.attended,
    sessionId: start.sessionId,
    userId: start.userId,
    workspace: homeOf(start),
    pool: start.pool,
    status: "pending",
    waitingOn: undefined,
    stopReason: undefined,
    summary: undefined,
    turns: 0,
    usage: emptyUsage(),
    cancelRequested: false,
    seq: 1,
    createdAt: ts,
    startedAt: undefined,
    updatedAt: ts,
    endedAt: undefined,
  };
}

/** The folder of the run. A root in a worktree belongs to the folder of its project, like a root without one. */
const homeOf = ({ parentRunId, workspace, mergesInto }: Payload<"RUN_STARTED">): string =>
  (parentRunId === undefined ? mergesInto?.at(-1) : undefined) ?? workspace;

export function foldRow(journal: readonly JournalEvent[]): RunRow {
  const [first, ...rest] = journal as readonly [EventOf<"RUN_STARTED">, ...JournalEvent[]];
  return rest.reduce(applyRunRow, initialRow(first.runId, first.payload, first.ts));
}

/** Applies an event to the row. A turn is counted when it starts, because the row does not track open calls. */
export function applyRunRow(row: RunRow, event: JournalEvent): RunRow {
  row.seq = event.seq;
  row.updatedAt = event.ts;
  applyUsage(row.usage, event);
  switch (event.type) {
    case "MODEL_CALL_STARTED":
      setRunning(row, event.ts);
      if ((event.payload.attempt ?? 1) === 1 && isTurn(event.payload.purpose)) row.turns++;
      break;
    case "TOOL_STARTED":
    case "RUN_RESUMED":
      setRunning(row, event.ts);
      break;
    case "MODEL_CALL_FAILED":
      // If the run was paused during the call, the pause stays in effect.
      if (event.payload.retryAt !== undefined && row.status !== "suspended") {
        row.status = "waiting";
        row.waitingOn = { kind: "provider", until: event.payload.retryAt, detail: event.payload.message };
      }
      break;
    case "RUN_SUSPENDED":
      row.waitingOn = waitingOnOf(event.payload);
      row.status = SELF_RESUMING.has(event.payload.waitingOn.kind) ? "waiting" : "suspended";
      break;
    case "CANCEL_REQUESTED":
      row.cancelRequested = true;
      break;
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED":
    case "RUN_MOVED":
      setEnd(row, runEnd(event));
      break;
    default:
  }
  return row;
}

/** The reason for a run's suspension, including the descendants that need a person. */
export function waitingOnOf({ waitingOn, blockers }: Payload<"RUN_SUSPENDED">): WaitingOn {
  return blockers === undefined ? waitingOn : { ...waitingOn, blockers };
}

/** Kinds of waits that end without a person. */
export const SELF_RESUMING: ReadonlySet<WaitingOn["kind"]> = new Set([
  "child",
  "handoff",
  "timer",
  "provider",
  "slot",
]);

function setRunning(row: RunRow, ts: number): void {
  row.status = "running";
  row.waitingOn = undefined;
  row.startedAt ??= ts;
}

/** E7: the recorded end of a run that was moved to another store. */
export const MOVED = {
  stopReason: "moved",
  summary: "It was moved and continues in another store.",
} as const;

function setEnd(row: RunRow, { status, stopReason, summary, ts }: RunEnd): void {
  row.status = status;
  row.waitingOn = undefined;
  row.stopReason = stopReason;
  row.summary = summary;
  row.endedAt = ts;
}

export interface RunEnd {
  status: "completed" | "failed" | "cancelled";
  stopReason: StopReason;
  summary: string;
  ts: number;
}

export const END_STATUSES = {
  RUN_COMPLETED: "completed",
  RUN_FAILED: "failed",
  RUN_CANCELLED: "cancelled",
  RUN_MOVED: "cancelled",
} as const;

/** How a run ended, from its terminal event. */
export function runEnd(event: EventOf<keyof typeof END_STATUSES>): RunEnd {
  const { stopReason, summary } = event.type === "RUN_MOVED" ? MOVED : event.payload;
  return { status: END_STATUSES[event.type], stopReason, summary, ts: event.ts };
}

/** J11: true if this run has taken over its parent's work. The parent's model is no longer called. */
export const hasTakenOver = ({ trigger }: RunRow): boolean => triggerOf(trigger)?.takesOver ?? false;
