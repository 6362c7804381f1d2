// The live feed of S4 (S4-31 … S4-46): nine types of feed events, derived from journal events.
// One journal event can lead to any number of feed events.

import type { Delta } from "../../journal/deltas.ts";
import {
  type EventOf,
  isTurn,
  type JournalEvent,
  type Payload,
  type WaitingOn,
} from "../../journal/events.ts";
import { textOf } from "../../journal/message.ts";
import { stripUntrustedMarks } from "../../journal/untrusted.ts";
import { MOVED, type RunRow, waitingOnOf } from "../folds/run-row.ts";
import { timelineEntry } from "../views/timeline.ts";
import { waitDetail } from "../words/waits.ts";
import { type AgentRunRecord, agentRunRecord } from "./agent-records.ts";

export type AgentState = "model_loading" | "thinking" | "calling_tool" | "working" | "idle";

type Of = Pick<AgentRunRecord, "run_id" | "agent_id" | "session_id">;

export type LiveEvent =
  | ({ type: "StateUpdated"; run: AgentRunRecord } & Of)
  | ({ type: "Message"; from: string; text: string } & Of)
  | ({ type: "SubagentSpawned"; child_run_id: string; child_agent_id: string; task: string } & Of)
  | ({ type: "SubagentResult"; child_run_id: string; success: boolean; summary: string } & Of)
  | ({ type: "AgentStatus"; status: AgentState; detail: string } & Of)
  | ({ type: "QueueUpdated"; queue: readonly { id: string; from?: string; text: string }[] } & Of)
  | ({ type: "Token"; call_id: string; kind: "text" | "reasoning" | "tool_output"; text: string } & Of)
  | ({
      type: "Outcome";
      status: AgentRunRecord["status"];
      stop_reason: string;
      summary: string;
      output?: unknown;
    } & Of)
  | { type: "SettingsUpdated"; settings: unknown };

/** State of a run, from which later feed events are derived. */
export interface LiveState {
  run: AgentRunRecord;
  /** Tool names of calls, by call id. */
  tools: Map<string, string>;
  /** Messages that the model has not seen yet. */
  queue: { id: string; from?: string; text: string }[];
  /** The model call whose text has started to stream. */
  speaking: string | undefined;
}

export function initialLiveState(row: RunRow): LiveState {
  return { run: agentRunRecord(row), tools: new Map(), queue: [], speaking: undefined };
}

/** Returns the feed events for a journal event, and updates `state` for later events. */
export function liveEventsOf(state: LiveState, event: JournalEvent): LiveEvent[] {
  const tell = TELL[event.type] as ((state: LiveState, event: JournalEvent) => LiveEvent[]) | undefined;
  return tell?.(state, event) ?? [];
}

export function liveEventsOfDelta(state: LiveState, { type, callId, text }: Delta): LiveEvent[] {
  const kind = DELTA_KINDS[type];
  const token: LiveEvent = { type: "Token", ...of(state), call_id: callId, kind, text };
  if (kind === "tool_output" || state.speaking === callId) return [token];
  state.speaking = callId;
  return [status(state, "thinking", "Thinking"), token];
}

const DELTA_KINDS = {
  "text.delta": "text",
  "reasoning.delta": "reasoning",
  "tool-output.delta": "tool_output",
} as const;

const TELL: { [T in JournalEvent["type"]]?: (state: LiveState, event: EventOf<T>) => LiveEvent[] } = {
  RUN_STARTED: (state, { payload }) => [
    stateUpdated(state),
    { type: "Message", ...of(state), from: senderOf(payload), text: shownText(payload.task) },
    status(state, "working", "Starting"),
  ],
  CONTEXT_ADDED(state, { payload: { id, source, from = source, text } }) {
    const shown = shownText(text);
    state.queue.push({ id, from, text: shown });
    return [{ type: "Message", ...of(state), from, text: shown }, queueUpdated(state)];
  },
  MODEL_CALL_STARTED(state, { payload: { model, purpose } }) {
    state.speaking = undefined;
    const loading = status(state, "model_loading", `Waiting for ${model}`);
    if (!isTurn(purpose) || state.queue.length === 0) return [loading];
    state.queue = [];
    return [loading, queueUpdated(state)];
  },
  MODEL_CALL_FAILED: (state, event) => [status(state, "model_loading", titleOf(event))],
  AGENT_THOUGHT(state, { payload: { content } }) {
    const text = textOf(content).trim();
    const working = status(state, "working", "Working");
    if (text === "") return [working];
    return [{ type: "Message", ...of(state), from: state.run.agent_id, text }, working];
  },
  TOOL_PROPOSED(state, { payload: { toolCallId, name } }) {
    state.tools.set(toolCallId, name);
    return [];
  },
  TOOL_STARTED: (state, { payload }) => [
    status(state, "calling_tool", `Calling ${state.tools.get(payload.toolCallId) ?? "a tool"}`),
  ],
  TOOL_RESULT(state, { payload }) {
    const tool = state.tools.get(payload.toolCallId) ?? "A tool";
    state.tools.delete(payload.toolCallId);
    return [status(state, "working", `${tool} ${payload.isError ? "failed" : "is done"}`)];
  },
  CHILD_RUN_STARTED: (state, { payload: { child_run_id, agent_type, task } }) => [
    { type: "SubagentSpawned", ...of(state), child_run_id, child_agent_id: agent_type, task },
    status(state, "working", `Waiting for ${agent_type}`),
  ],
  CHILD_RUN_COMPLETED: (state, { payload: { child_run_id, success, summary } }) => [
    { type: "SubagentResult", ...of(state), child_run_id, success, summary },
  ],
  RUN_SUSPENDED(state, event) {
    const waitingOn = waitingOnOf(event.payload);
    state.run.detail = waitDetail(waitingOn);
    const isBusy = CHILD_WAITS.has(waitingOn.kind);
    return [stateUpdated(state), status(state, isBusy ? "working" : "idle", titleOf(event))];
  },
  // Sends the new state immediately. The next driver might start much later, and until then the page would still ask for the decision.
  APPROVAL_DECIDED: (state) => [stateUpdated(state)],
  OUTCOME_DECIDED: (state) => [stateUpdated(state)],
  CANCEL_REQUESTED: (state) => [stateUpdated(state)],
  PERSON_ASKED: (state) => [stateUpdated(state)],
  OUTCOME_PROBED: (state) => [stateUpdated(state)],
  RUN_RESUMED(state) {
    delete state.run.detail;
    return [stateUpdated(state), status(state, "working", "Goes on")];
  },
  RUN_COMPLETED: (state, event) => endEvents(state, event, "completed"),
  RUN_FAILED: (state, event) => endEvents(state, event, "failed"),
  RUN_CANCELLED: (state, event) => endEvents(state, event, "cancelled"),
  RUN_MOVED: (state, { ts }) => endEvents(state, { ts, payload: MOVED }, "cancelled"),
};

const shownText = (text: string): string => stripUntrustedMarks(text).trimEnd();

/** Waits in which other agents do the run's work. */
const CHILD_WAITS: ReadonlySet<WaitingOn["kind"]> = new Set(["child", "handoff"]);

/** The agent or the user whose words are the task. */
const senderOf = ({ from, parentRunId, ancestors, userId, trigger }: Payload<"RUN_STARTED">): string =>
  from ?? (parentRunId === undefined ? undefined : ancestors?.at(-1)?.agent) ?? userId ?? trigger;

type EndWords = Pick<Payload<"RUN_COMPLETED">, "stopReason" | "summary"> & { output?: unknown };

function endEvents(
  state: LiveState,
  { payload, ts }: { ts: number; payload: EndWords },
  how: "completed" | "failed" | "cancelled",
): LiveEvent[] {
  const { stopReason: stop_reason, summary, output } = payload;
  Object.assign(state.run, { status: how, ended_at: ts, detail: summary || stop_reason });
  const given = output === undefined ? {} : { output };
  return [
    stateUpdated(state),
    status(state, "idle", how === "completed" ? "Done" : how === "failed" ? "Failed" : "Cancelled"),
    { type: "Outcome", ...of(state), status: how, stop_reason, summary, ...given },
  ];
}

const of = ({ run: { run_id, agent_id, session_id } }: LiveState): Of => ({ run_id, agent_id, session_id });

const status = (state: LiveState, word: AgentState, detail: string): LiveEvent => ({
  type: "AgentStatus",
  ...of(state),
  status: word,
  detail,
});

const stateUpdated = (state: LiveState): LiveEvent => ({
  type: "StateUpdated",
  ...of(state),
  run: { ...state.run },
});
const queueUpdated = (state: LiveState): LiveEvent => ({
  type: "QueueUpdated",
  ...of(state),
  queue: [...state.queue],
});

const titleOf = (event: JournalEvent): string => timelineEntry(event)?.title ?? "";
