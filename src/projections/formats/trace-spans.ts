// Tracing spans of a run: the run, its steps, model calls, tool calls and waits, each with its first and last event.
// Span names are derived from the journal alone, so that every process produces the same names.
//  TR1  A span is produced when it ends. `ended` holds the spans that the latest event ended, inner spans first.
//  TR2  A child's parent span is the step whose call started the child. If no call started the child, it is the span of the parent's run.
//  TR3  If a process dies while a span is open, the span ends when the next process finds it. Such a span is marked as lost.

import { type EventOf, isTurn, type JournalEvent } from "../../journal/events.ts";
import { toolCallsOf } from "../../journal/message.ts";
import { callOfItem, newCalls } from "../folds/tool-call.ts";
import type { Projection } from "../projection.ts";

/** Identifies a span: its run and its name in that run. */
export interface SpanRef {
  runId: string;
  name: string;
}

interface SpanBase extends SpanRef {
  rootRunId: string;
  parent: SpanRef | undefined;
  /** True if the process died at some point during the span. */
  lost?: true;
}

export type TraceSpan = SpanBase &
  (
    | { kind: "run"; began: EventOf<"RUN_STARTED">; ended: RunEnded }
    | { kind: "step"; began: EventOf<"MODEL_CALL_STARTED">; ended: JournalEvent; number: number }
    | { kind: "model"; began: EventOf<"MODEL_CALL_STARTED">; ended: JournalEvent }
    | { kind: "tool"; began: EventOf<"TOOL_STARTED">; ended: JournalEvent; call: TracedCall | undefined }
    | { kind: "wait"; began: EventOf<"RUN_SUSPENDED">; ended: JournalEvent }
  );

type RunEnded = EventOf<"RUN_COMPLETED" | "RUN_FAILED" | "RUN_CANCELLED">;

interface TracedCall {
  name: string;
  input: unknown;
}

export interface Trace {
  seq: number;
  start: EventOf<"RUN_STARTED"> | undefined;
  step: { began: EventOf<"MODEL_CALL_STARTED">; number: number } | undefined;
  turns: number;
  model: EventOf<"MODEL_CALL_STARTED"> | undefined;
  tools: Map<string, EventOf<"TOOL_STARTED">>;
  /** Calls of the latest turn, and later calls of the agent's module. */
  calls: Map<string, TracedCall>;
  wait: { began: EventOf<"RUN_SUSPENDED">; items: Set<string> } | undefined;
  ended: TraceSpan[];
}

export const traceProjection: Projection<Trace> = {
  name: "trace",
  initial: () => ({
    seq: 0,
    start: undefined,
    step: undefined,
    turns: 0,
    model: undefined,
    tools: new Map(),
    calls: new Map(),
    wait: undefined,
    ended: [],
  }),
  apply: applyTrace,
};

function applyTrace(state: Trace, event: JournalEvent): Trace {
  state.seq = event.seq;
  state.ended = [];
  switch (event.type) {
    case "RUN_STARTED":
      state.start = event;
      break;
    case "MODEL_CALL_STARTED":
      startModelCall(state, event);
      break;
    case "AGENT_THOUGHT":
      endModel(state, event);
      state.calls = newTracedCalls(event);
      break;
    case "MODEL_CALL_FAILED":
      endModel(state, event);
      break;
    case "TOOL_PROPOSED":
      recordProposal(state, event);
      break;
    case "TOOL_STARTED":
      endWait(state, event);
      endTool(state, event.payload.toolCallId, event, "lost");
      state.tools.set(event.payload.toolCallId, event);
      break;
    case "TOOL_RESULT":
      endTool(state, event.payload.toolCallId, event);
      break;
    case "RUN_SUSPENDED":
      startWait(state, event);
      break;
    case "RUN_RESUMED":
      endWait(state, event);
      break;
    case "APPROVAL_DECIDED":
      recordEdit(state, event);
      arrive(state, event.payload.itemId, event);
      break;
    case "OUTCOME_DECIDED":
      arrive(state, `outcome/${event.payload.toolCallId}`, event);
      break;
    case "CHILD_RUN_COMPLETED":
      arrive(state, event.payload.child_run_id, event);
      break;
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED":
      endRun(state, event);
      break;
    default:
  }
  return state;
}

function startModelCall(state: Trace, event: EventOf<"MODEL_CALL_STARTED">): void {
  endWait(state, event);
  endModel(state, event, "lost");
  const { attempt = 1, purpose } = event.payload;
  // A later attempt belongs to the same step as the first attempt.
  if (isTurn(purpose) && attempt === 1) {
    endStep(state, event);
    state.turns++;
    state.step = { began: event, number: state.turns };
  }
  state.model = event;
}

const newTracedCalls = ({ payload }: EventOf<"AGENT_THOUGHT">): Trace["calls"] =>
  new Map(
    [...newCalls(payload.callId, toolCallsOf(payload.content))].map(([id, { name, input }]) => [
      id,
      { name, input },
    ]),
  );

/** Records the tool's real name. The model might have used another name for the tool. */
function recordProposal({ calls }: Trace, { payload }: EventOf<"TOOL_PROPOSED">): void {
  const { toolCallId: id, name, input = calls.get(id)?.input } = payload;
  calls.set(id, { name, input });
}

function recordEdit({ calls }: Trace, { payload }: EventOf<"APPROVAL_DECIDED">): void {
  const call = calls.get(callOfItem(payload.itemId));
  if (call && payload.decision === "edit") call.input = payload.input;
}

function startWait(state: Trace, event: EventOf<"RUN_SUSPENDED">): void {
  endWait(state, event);
  const { kind, items } = event.payload.waitingOn;
  if (kind === "outcome_unknown") for (const id of [...state.tools.keys()]) endTool(state, id, event, "lost");
  state.wait = {
    began: event,
    items: new Set(items?.map((item) => item.replace(/^(outcome\/.*)~\d+$/, "$1"))),
  };
}

/** Removes an item that has arrived. The wait ends with its last item. */
function arrive(state: Trace, item: string, event: JournalEvent): void {
  if (state.wait?.items.delete(item) && state.wait.items.size === 0) endWait(state, event);
}

function endRun(state: Trace, event: RunEnded): void {
  endWait(state, event);
  for (const id of [...state.tools.keys()]) endTool(state, id, event, "lost");
  endModel(state, event, "lost");
  endStep(state, event);
  const { start } = state;
  if (!start) return;
  state.ended.push({
    ...spanBase(start, event),
    kind: "run",
    name: RUN,
    parent: parentOf(start),
    began: start,
  });
}

function endStep(state: Trace, ended: JournalEvent): void {
  const { start, step } = state;
  state.step = undefined;
  if (!start || !step) return;
  const name = stepName(step.began.payload.callId);
  const parent = { runId: start.runId, name: RUN };
  state.ended.push({ ...spanBase(start, ended), kind: "step", name, parent, ...step });
}

function endModel(state: Trace, ended: JournalEvent, how?: "lost"): void {
  const { start, model: began } = state;
  state.model = undefined;
  if (!start || !began) return;
  const name = `model/${began.key}`;
  state.ended.push({
    ...spanBase(start, ended, how),
    kind: "model",
    name,
    parent: enclosingSpan(state, start),
    began,
  });
}

function endTool(state: Trace, id: string, ended: JournalEvent, how?: "lost"): void {
  const began = state.tools.get(id);
  state.tools.delete(id);
  const { start } = state;
  if (!start || !began) return;
  const call = state.calls.get(id);
  const name = `tool/${began.key}`;
  const parent = enclosingSpan(state, start);
  state.ended.push({ ...spanBase(start, ended, how), kind: "tool", name, parent, began, call });
}

function endWait(state: Trace, ended: JournalEvent): void {
  const { start, wait } = state;
  state.wait = undefined;
  if (!start || !wait) return;
  const { began } = wait;
  const name = `wait/${began.key}`;
  state.ended.push({
    ...spanBase(start, ended),
    kind: "wait",
    name,
    parent: enclosingSpan(state, start),
    began,
  });
}

const RUN = "run";
const stepName = (callId: string): string => `step/${callId}`;

const spanBase = <E extends JournalEvent>(start: EventOf<"RUN_STARTED">, ended: E, how?: "lost") => ({
  runId: start.runId,
  rootRunId: start.payload.rootRunId,
  ended,
  ...(how ? { lost: true as const } : {}),
});

const enclosingSpan = ({ step }: Trace, { runId }: EventOf<"RUN_STARTED">): SpanRef => ({
  runId,
  name: step ? stepName(step.began.payload.callId) : RUN,
});

/** TR2: the parent span of this run. */
function parentOf({ payload }: EventOf<"RUN_STARTED">): SpanRef | undefined {
  const { parentRunId: runId, parentKey = "" } = payload;
  if (runId === undefined) return undefined;
  const callId = /^(m\d+)\.\d+$/.exec(parentKey)?.[1];
  return { runId, name: callId === undefined ? RUN : stepName(callId) };
}
