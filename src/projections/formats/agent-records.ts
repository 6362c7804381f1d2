// Converts runs and their messages to the formats of S1, and runs to the format of S4. S4 has fewer statuses.

import { toolCallId } from "../../ids.ts";
import {
  type EventOf,
  isTurn,
  type JournalEvent,
  type Payload,
  type RunStatus,
} from "../../journal/events.ts";
import type { ToolCallPart } from "../../journal/message.ts";
import type { RunnerStarted } from "../../journal/run.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { RunRow } from "../folds/run-row.ts";
import { waitDetail } from "../words/waits.ts";

/** A message to or from an agent, in the format of S1 (S1-57). */
export interface AgentMessage {
  id: string;
  agentSessionId: string;
  role: "user" | "assistant";
  content: unknown;
  createdAt: string;
}

export const SESSION_STATUSES = [
  "PENDING",
  "RUNNING",
  "WAITING_CHILD",
  "COMPLETED",
  "FAILED",
  "CANCELLED",
] as const;

/** A run in the format of S1 (S1-40 … S1-56). */
export interface AgentSession {
  id: string;
  workspaceId: string;
  agentType: string;
  parentAgentId: string | null;
  task: string;
  context: unknown;
  status: (typeof SESSION_STATUSES)[number];
  result: unknown;
  errorMessage: string | null;
  claudeSessionId: string | null;
  claudeProcessPid: number | null;
  model: string;
  promptTokens: number;
  completionTokens: number;
  turnCount: number;
  createdAt: string;
  startedAt: string | null;
  completedAt: string | null;
}

/** A run in the format of S4 (S4-21 … S4-30). */
export interface AgentRunRecord {
  run_id: string;
  repo_path: string;
  session_id: string;
  agent_id: string;
  agent_kind: "main" | "subagent";
  parent_run_id?: string;
  status: "running" | "completed" | "failed" | "cancelled";
  detail?: string;
  started_at: number;
  ended_at?: number;
}

/** Messages to and from the agent, in order. */
export function agentMessages(journal: readonly JournalEvent[]): AgentMessage[] {
  const runtimeCalls = new Set<string>();
  return journal.flatMap((event): AgentMessage[] => {
    if (event.type === "MODEL_CALL_STARTED" && !isTurn(event.payload.purpose))
      runtimeCalls.add(event.payload.callId);
    if (event.type === "AGENT_THOUGHT" && runtimeCalls.has(event.payload.callId)) return [];
    const said = messageIn(event);
    if (!said) return [];
    const { runId, seq, ts } = event;
    return [{ id: `${runId}/${seq}`, agentSessionId: runId, ...said, createdAt: timeText(ts) }];
  });
}

/** The parts of a session that are not in the run's row: its first event, its end, its model, and the program that does its work. */
export interface SessionParts {
  first: JournalEvent | undefined;
  last: JournalEvent | undefined;
  model: string;
  program: RunnerStarted | undefined;
}

export function agentSession(row: RunRow, { first, last, model, program }: SessionParts): AgentSession {
  return {
    id: row.id,
    workspaceId: row.workspace,
    agentType: typeName(row.agent),
    parentAgentId: row.parentRunId ?? null,
    task: row.task,
    context: (first?.type === "RUN_STARTED" ? first.payload.input : undefined) ?? null,
    status: sessionStatus(row),
    result: last && isEnd(last) ? last.payload.result : null,
    errorMessage: row.status === "failed" ? (row.summary ?? null) : null,
    claudeSessionId: program?.session ?? null,
    claudeProcessPid: program?.pid ?? null,
    model,
    promptTokens: Math.ceil(row.usage.input),
    completionTokens: Math.ceil(row.usage.output),
    turnCount: row.turns,
    createdAt: timeText(row.createdAt),
    startedAt: row.startedAt === undefined ? null : timeText(row.startedAt),
    completedAt: row.endedAt === undefined ? null : timeText(row.endedAt),
  };
}

/** S1-41: `factory/worker` is WORKER, and `log-analyzer` is LOG_ANALYZER. */
const typeName = (agent: string): string =>
  agent
    .slice(agent.lastIndexOf("/") + 1)
    .replaceAll("-", "_")
    .toUpperCase();

/** S1-56: a run that waits for anything but a child is RUNNING. */
function sessionStatus({ status, waitingOn }: RunRow): AgentSession["status"] {
  switch (status) {
    case "pending":
      return "PENDING";
    case "completed":
      return "COMPLETED";
    case "failed":
      return "FAILED";
    case "cancelled":
      return "CANCELLED";
    default:
      return waitingOn && CHILD_WAITS.has(waitingOn.kind) ? "WAITING_CHILD" : "RUNNING";
  }
}

const CHILD_WAITS: ReadonlySet<string> = new Set(["child", "handoff", "child_hitl"]);

const isEnd = (event: JournalEvent): event is EventOf<"RUN_COMPLETED" | "RUN_FAILED" | "RUN_CANCELLED"> =>
  event.type === "RUN_COMPLETED" || event.type === "RUN_FAILED" || event.type === "RUN_CANCELLED";

export function agentRunRecord(row: RunRow): AgentRunRecord {
  const detail = detailOf(row);
  return omitUndefined({
    run_id: row.id,
    repo_path: row.workspace,
    session_id: row.sessionId ?? row.rootRunId,
    agent_id: row.agent,
    agent_kind: row.kind,
    parent_run_id: row.parentRunId,
    status: recordStatus(row.status),
    detail,
    started_at: row.createdAt,
    ended_at: row.endedAt,
  });
}

/** S4-27: a run that has not ended is `running`, even while it waits. */
const recordStatus = (status: RunStatus): AgentRunRecord["status"] =>
  status === "completed" || status === "failed" || status === "cancelled" ? status : "running";

function messageIn(event: JournalEvent): Pick<AgentMessage, "role" | "content"> | undefined {
  switch (event.type) {
    case "RUN_STARTED":
      return message("user", { type: "text", text: event.payload.task });
    case "CONTEXT_ADDED":
      return message("user", { type: "text", text: event.payload.text });
    case "AGENT_THOUGHT":
      return { role: "assistant", content: assistantContent(event.payload) };
    case "TOOL_PROPOSED":
      return moduleCall(event.payload);
    case "TOOL_RESULT":
      return message("user", toolResult(event.payload));
    case "CHILD_RUN_COMPLETED": {
      const { key, result, success } = event.payload;
      return message("user", { type: "tool_result", tool_use_id: key, content: result, is_error: !success });
    }
    default:
      return undefined;
  }
}

const message = (role: AgentMessage["role"], part: object) => ({ role, content: [part] });

/** Adds a call that the agent's module made. No model answer contains such a call. */
function moduleCall({ toolCallId: id, name, input, round = 1 }: Payload<"TOOL_PROPOSED">) {
  if (input === undefined || round > 1) return undefined;
  return message("assistant", { type: "tool_use", id, name, input });
}

const toolResult = ({ toolCallId: id, output, isError }: Payload<"TOOL_RESULT">) => ({
  type: "tool_result",
  tool_use_id: id,
  content: output,
  is_error: isError === true,
});

/** Uses Cadre's own call ids, as the tool results do, because the ids of a provider can repeat (J10). */
function assistantContent({ callId, content }: Payload<"AGENT_THOUGHT">): unknown[] {
  let next = 0;
  return content.map((part) => {
    if (part.type !== "tool-call") return part;
    const { toolName: name, input } = part as ToolCallPart;
    return { type: "tool_use", id: toolCallId(callId, next++), name, input };
  });
}

/** S4-28: the reason for the status, as text. */
function detailOf({ waitingOn, summary, stopReason, endedAt }: RunRow): string | undefined {
  if (endedAt !== undefined) return summary === undefined || summary === "" ? stopReason : summary;
  if (!waitingOn) return undefined;
  return waitDetail(waitingOn);
}

const timeText = (ts: number): string => new Date(ts).toISOString();
