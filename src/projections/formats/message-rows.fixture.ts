// The oracle of the view `messages`: builds one row of the S2 document for each model call. The input is all journals in commit order.
// A row's id is the store position of the event that started the call.
// So ids grow, a parent's row comes before its child's row, and a second fold gives the same rows.

import { toolCallId } from "../../ids.ts";
import type { ContextMode } from "../../journal/definition.ts";
import {
  type EventOf,
  type FileChange,
  isTurn,
  type JournalEvent,
  type Payload,
  type StopReason,
  TERMINAL_TYPES,
} from "../../journal/events.ts";
import { textOf, toolCallsOf, type Usage } from "../../journal/message.ts";
import { changedFiles } from "../folds/changed-files.ts";
import { envelope, lateResultTitle, resultFor } from "../folds/child-result.ts";
import type { Projection } from "../projection.ts";
import type { MessageRow } from "./message-rows.ts";

export interface Messages {
  /** Rows that were added or changed since the fold began. */
  rows: Map<number, MessageRow>;
  /** State of the runs that have not ended, from which the fold continues. The state is plain data, so that a store can keep it. */
  runs: Map<string, Recording>;
}

export interface Recording {
  /** Columns that are the same in every row of the run. */
  about: Pick<
    MessageRow,
    | "session_id"
    | "parent_message_id"
    | "agent_role"
    | "agent_depth"
    | "system_prompt_id"
    | "context_mode"
    | "context_token_count"
    | "max_iterations"
    | "max_duration_ms"
  >;
  firstRequest: MessageRow["request_type"];
  turns: number;
  cancelled: boolean;
  /** All texts for the model, and the last event that the latest turn has seen (J11). */
  told: { seq: number; text: string; isResult: boolean; isTask?: true }[];
  sawSeq: number;
  /** The row of the latest turn. File changes and child runs are recorded in this row. */
  turn: MessageRow | undefined;
  /** The call of the latest turn, and what the turns before it had seen. Another attempt repeats the request of its call. */
  callId: string | undefined;
  sentUpTo: number;
  /** Children that have not ended yet. */
  children: Record<string, Payload<"CHILD_RUN_STARTED">>;
  /** The row of an open call that serves the runtime itself, such as a summary or a brief. */
  runtimeCall: MessageRow | undefined;
  /** Tool calls of the latest turn. */
  calls: Record<string, { name: string; context?: ContextMode | undefined; hidden?: true | undefined }>;
}

export const messagesProjection: Projection<Messages> = {
  name: "messages",
  initial: () => ({ rows: new Map(), runs: new Map() }),
  apply: applyMessages,
};

export function applyMessages(messages: Messages, event: JournalEvent): Messages {
  const { rows, runs } = messages;
  if (event.type === "RUN_STARTED") {
    runs.set(event.runId, startRecording(event, runs.get(event.payload.parentRunId ?? "")));
    return messages;
  }
  const recording = runs.get(event.runId);
  for (const row of recording ? record(recording, event) : []) if (row) rows.set(row.id, row);
  if (TERMINAL_TYPES.has(event.type)) runs.delete(event.runId);
  return messages;
}

function startRecording({ payload, seq }: EventOf<"RUN_STARTED">, parent: Recording | undefined): Recording {
  const { agent, depth, definition, limits, sessionId, rootRunId, parentKey = "" } = payload;
  const context = parent?.calls[parentKey]?.context ?? "none";
  return {
    about: {
      session_id: sessionId ?? rootRunId,
      parent_message_id: parent?.turn?.id ?? null,
      agent_role: agent,
      agent_depth: depth,
      system_prompt_id: definition,
      context_mode: context === "none" ? null : context,
      context_token_count: null,
      max_iterations: limits.maxTurns,
      max_duration_ms: limits.maxDuration,
    },
    firstRequest: firstRequest(payload),
    turns: 0,
    cancelled: false,
    told: [{ seq, text: openingTask(payload), isResult: false, isTask: true }],
    sawSeq: 0,
    callId: undefined,
    sentUpTo: 0,
    children: {},
    turn: undefined,
    runtimeCall: undefined,
    calls: {},
  };
}

function openingTask({
  task,
  criteria,
  contextFiles = [],
  input,
  ownMaxTurns,
  limits,
}: Payload<"RUN_STARTED">) {
  return [
    task,
    ...(criteria === undefined ? [] : [`Success criteria: ${criteria}`]),
    ...(contextFiles.length === 0 ? [] : [`Files to look at: ${contextFiles.join(", ")}`]),
    ...(input === undefined ? [] : [`Input:\n${JSON.stringify(input)}`]),
    ...(ownMaxTurns === undefined ? [] : [`You have at most ${limits.maxTurns} turns for this task.`]),
  ].join("\n\n");
}

function firstRequest({ parentRunId, trigger }: Payload<"RUN_STARTED">): MessageRow["request_type"] {
  if (parentRunId !== undefined) return "delegation";
  return trigger === "retry" || trigger === "fork" ? "continuation" : "prompt";
}

/** Returns the rows that the event changed. */
function record(recording: Recording, event: JournalEvent): (MessageRow | undefined)[] {
  const { calls, turn, runtimeCall } = recording;
  switch (event.type) {
    case "CONTEXT_ADDED":
      if (event.payload.source === "parent")
        recording.about.context_token_count = Math.ceil(event.payload.text.length / 4);
      if (event.payload.opening) recording.told = recording.told.filter(({ isTask }) => !isTask);
      addTold(recording, event.seq, event.payload.text);
      return [];
    case "MODEL_CALL_STARTED":
      return [addRequest(recording, event)];
    case "AGENT_THOUGHT":
      return [addAnswer(recording, event)];
    case "MODEL_CALL_FAILED":
      return [addFailure(recording, event)];
    case "TOOL_PROPOSED":
      calls[event.payload.toolCallId] = callOf(event.payload, calls[event.payload.toolCallId]?.name);
      return [];
    case "TOOL_RESULT": {
      const { toolCallId: id, output } = event.payload;
      if (!calls[id]?.hidden) addTold(recording, event.seq, resultText(calls[id]?.name ?? id, output), true);
      return [touch(turn, changedFiles(event.payload))];
    }
    case "CHILD_RUN_STARTED":
      recording.children[event.payload.child_run_id] = event.payload;
      return [];
    case "CHILD_RUN_COMPLETED": {
      const text = childText(recording, event.payload);
      if (text !== undefined) addTold(recording, event.seq, text, true);
      return [];
    }
    case "CANCEL_REQUESTED":
      recording.cancelled = true;
      return [];
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED":
      return [
        cutOff(runtimeCall, event, recording.turns),
        end(cutOff(turn, event, recording.turns) ?? runtimeCall, event),
      ];
    default:
      return [];
  }
}

/** The name is that of the model's own call. A module's call has only its proposal. */
const callOf = ({ name, input, context, hidden }: Payload<"TOOL_PROPOSED">, written: string | undefined) => ({
  name: input === undefined ? (written ?? name) : name,
  context,
  ...(hidden ? { hidden } : {}),
});

/** What the parent's model reads about a child's end. Undefined if a pattern or a module handles the child, or if it is tried again. */
function childText(
  { calls, children }: Recording,
  ended: Payload<"CHILD_RUN_COMPLETED">,
): string | undefined {
  const { key, child_run_id: id, result } = ended;
  const started = children[id];
  if (calls[key]?.hidden || (started?.trigger !== "delegation" && started?.trigger !== "route"))
    return undefined;
  if (started.awaited === false) {
    if (started.trigger === "route") return undefined;
    return `${lateResultTitle(started, ended)}:\n${JSON.stringify(envelope(ended))}`;
  }
  if (result.status === "failed" && (started.retries ?? 0) > 0) return undefined;
  const name = calls[key]?.name ?? key;
  return resultText(name, resultFor(name, ended));
}

function addTold(recording: Recording, seq: number, text: string, isResult = false): void {
  recording.told.push({ seq, text, isResult });
}

const resultText = (name: string, output: unknown): string =>
  `[result of ${name}] ${typeof output === "string" ? output : JSON.stringify(output ?? null)}`;

function addRequest(
  recording: Recording,
  { payload, runId, position, seq, ts }: EventOf<"MODEL_CALL_STARTED">,
) {
  const { callId, attempt = 1, purpose = "turn", model, sawSeq = seq } = payload;
  const isRuntimeCall = !isTurn(purpose);
  if (!isRuntimeCall) {
    if (callId !== recording.callId) recording.sentUpTo = recording.sawSeq;
    Object.assign(recording, { callId, sawSeq });
  }
  const told = recording.told.filter(({ seq: at }) => at > recording.sentUpTo && at <= sawSeq);
  const row: MessageRow = {
    ...recording.about,
    id: position,
    started_at: timeText(ts),
    completed_at: null,
    duration_ms: null,
    model_id: model,
    request_type: isRuntimeCall ? "continuation" : requestType(recording, told),
    request_content: isRuntimeCall ? null : told.map(({ text }) => text.toWellFormed()).join("\n\n"),
    response_content: null,
    response_summary: null,
    tool_calls_json: null,
    files_modified_json: null,
    prompt_tokens: null,
    completion_tokens: null,
    total_tokens: null,
    iteration_count: recording.turns + (isRuntimeCall ? 0 : 1),
    bailout_reason: null,
    status: "running",
    error_message: null,
    metadata_json: JSON.stringify({
      run_id: runId,
      call_id: callId,
      ...(attempt > 1 ? { attempt } : {}),
      ...(purpose === "turn" ? {} : { purpose }),
    }),
  };
  recording[isRuntimeCall ? "runtimeCall" : "turn"] = row;
  return row;
}

function requestType(recording: Recording, told: Recording["told"]): MessageRow["request_type"] {
  if (recording.sentUpTo === 0) return recording.firstRequest;
  return told.some(({ isResult }) => isResult) ? "tool_call" : "continuation";
}

function addAnswer(recording: Recording, event: EventOf<"AGENT_THOUGHT">): MessageRow | undefined {
  const { callId, content, usage, cost, finish } = event.payload;
  const { turn, runtimeCall } = recording;
  const row = close(recording, event.ts);
  if (!row) return undefined;
  row.status = "completed";
  row.response_content = textOf(content).toWellFormed();
  count(row, usage);
  addMetadata(row, { cost, finish });
  const calls = toolCallsOf(content).map(({ toolName: name, input }, index) => {
    return { id: toolCallId(callId, index), name, input };
  });
  if (calls.length > 0) row.tool_calls_json = JSON.stringify(calls);
  if (runtimeCall || !turn) return row;
  recording.turns++;
  recording.calls = Object.fromEntries(calls.map(({ id, name }) => [id, { name }]));
  return row;
}

function addFailure(recording: Recording, event: EventOf<"MODEL_CALL_FAILED">): MessageRow | undefined {
  const { cause, message, usage, cost } = event.payload;
  const row = close(recording, event.ts);
  if (!row) return undefined;
  row.iteration_count = recording.turns;
  row.status = failedStatus(cause, recording.cancelled);
  row.error_message = message.toWellFormed();
  if (usage) count(row, usage);
  addMetadata(row, { cost });
  return row;
}

function failedStatus(
  cause: Payload<"MODEL_CALL_FAILED">["cause"],
  cancelled: boolean,
): MessageRow["status"] {
  if (cause === "timeout") return "timeout";
  return cause === "interrupted" && cancelled ? "cancelled" : "failed";
}

/** Completes the row of the open call. */
function close(recording: Recording, ts: number): MessageRow | undefined {
  const row = recording.runtimeCall ?? recording.turn;
  recording.runtimeCall = undefined;
  if (!row) return undefined;
  complete(row, ts);
  return row;
}

/** S2-84: records the files that a turn's calls changed. */
function touch(row: MessageRow | undefined, files: readonly FileChange[]) {
  if (!row || files.length === 0) return undefined;
  const known = JSON.parse(row.files_modified_json ?? "[]") as string[];
  row.files_modified_json = JSON.stringify([...new Set([...known, ...files.map(({ path }) => path)])]);
  return row;
}

/** Completes the row of a call that is still open when its run ends. */
function cutOff(
  row: MessageRow | undefined,
  { type, payload, ts }: EndEvent,
  turns: number,
): MessageRow | undefined {
  if (row?.status !== "running") return row;
  row.iteration_count = turns;
  const late = payload.stopReason === "max_duration";
  row.status = type === "RUN_CANCELLED" ? "cancelled" : late ? "timeout" : "failed";
  complete(row, ts);
  return row;
}

function end(row: MessageRow | undefined, { type, payload }: EndEvent): MessageRow | undefined {
  if (!row) return undefined;
  const { stopReason, summary } = payload;
  row.response_summary = summary.toWellFormed();
  row.bailout_reason = BAILOUTS[stopReason] ?? (type === "RUN_FAILED" ? "error" : null);
  if (type === "RUN_FAILED") row.error_message ??= summary.toWellFormed();
  if (row.status === "completed") row.status = endStatus(type, stopReason);
  addMetadata(row, { stop_reason: stopReason });
  return row;
}

/** S2-26: the status of the last call of a run, if the call itself was answered. */
function endStatus(type: EndEvent["type"], stopReason: StopReason): MessageRow["status"] {
  if (type === "RUN_CANCELLED") return "completed";
  if (stopReason === "max_duration") return "timeout";
  return type === "RUN_FAILED" ? "failed" : "completed";
}

type EndEvent = EventOf<"RUN_COMPLETED" | "RUN_FAILED" | "RUN_CANCELLED">;

/** S2-25: stop reasons that have another name in the S2 document. */
const BAILOUTS: Partial<Record<StopReason, MessageRow["bailout_reason"]>> = {
  max_turns: "max_iterations",
  max_duration: "timeout",
};

function count(row: MessageRow, { input, output }: Usage): void {
  row.prompt_tokens = Math.ceil(input);
  row.completion_tokens = Math.ceil(output);
  row.total_tokens = row.prompt_tokens + row.completion_tokens;
}

function addMetadata(row: MessageRow, more: Record<string, unknown>): void {
  row.metadata_json = JSON.stringify({ ...JSON.parse(row.metadata_json), ...more });
}

function complete(row: MessageRow, ts: number): void {
  row.completed_at = timeText(ts);
  row.duration_ms = ts - Date.parse(row.started_at);
}

const timeText = (ts: number): string => new Date(ts).toISOString();
