// A run as a story of turns: what the agent said, the calls it made, the children it started, and the waits in between.
//  T8  Every event belongs to an item, so a link to any event finds the item that shows it.
//  T9  A changed item is replaced by a new object, so that a view renders only the items that changed.

import { toolCallId } from "../../ids.ts";
import { type EventOf, isTurn, type JournalEvent, type Payload } from "../../journal/events.ts";
import { reasoningOf, textOf, toolCallsOf } from "../../journal/message.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import {
  type CallOutcome,
  CONCLUDE_TEAM,
  callOfItem,
  callOutcome,
  FINAL_REPORT,
} from "../folds/tool-call.ts";
import type { Projection } from "../projection.ts";
import { describeWait } from "../words/waits.ts";
import {
  describeCallById,
  emptyNames,
  learnNames,
  type Names,
  type TimelineEntry,
  timelineEntry,
} from "./timeline.ts";

export type TurnItem = Turn | ChildSpan | WaitSpan | Line;

export interface Turn {
  kind: "turn";
  seq: number;
  ts: number;
  /** The number of the turn, from 1. Undefined for a model call that serves the runtime, and for calls of a steps module. */
  number: number | undefined;
  /** Purpose of the model call, if it is not a turn. */
  purpose: string | undefined;
  /** Undefined for calls that no model asked for. */
  model: string | undefined;
  /** The event that a click on the turn selects: the answer, the failure, or the start of the call. */
  shownSeq: number;
  text: string;
  reasoning: string;
  /** Attempts that failed before the model answered. */
  failures: { seq: number; message: string }[];
  /** When the provider may be asked again. */
  retryAt: number | undefined;
  /** `failed`: the last attempt failed, and no further attempt has started. */
  state: "open" | "answered" | "failed";
  /** When the model answered, or the last attempt failed. */
  answeredAt: number | undefined;
  input: number;
  cached: number;
  output: number;
  /** Dollars. Null if the model has no known price. */
  cost: number | null;
  calls: TurnCall[];
}

export interface TurnCall {
  id: string;
  /** The latest event of the call. */
  seq: number;
  tool: string;
  /** Short description of the call. */
  words: string;
  state: "said" | "asks" | "runs" | CallOutcome;
  startedAt: number | undefined;
  endedAt: number | undefined;
  decision: Pick<Payload<"APPROVAL_DECIDED">, "by" | "decision" | "note" | "answer"> | undefined;
  /** True if another item shows the call: a child, or the end of the run. */
  isReplaced: boolean;
}

export interface ChildSpan {
  kind: "child";
  seq: number;
  ts: number;
  runId: string;
  agent: string;
  task: string;
  trigger: Payload<"CHILD_RUN_STARTED">["trigger"];
  key: string;
  /** `isCut`: a limit cut the child off, although it still reported. `isCancelled`: somebody cancelled it, so it has not failed. */
  end:
    | { seq: number; ts: number; success: boolean; isCut?: true; isCancelled?: true; summary: string }
    | undefined;
}

/** Consecutive waits. Waits for children and for decisions about calls have no item: the child or the call shows them. */
export interface WaitSpan {
  kind: "wait";
  seq: number;
  ts: number;
  /** The thing that the run waits for: as a line of its own, and as the words after "waited for". */
  title: string;
  subject: string;
  until: number | undefined;
  endedAt: number | undefined;
  /** How long the earlier waits of the row took, and how many there were. */
  earlierMs: number;
  count: number;
  note: string | undefined;
  needsPerson: boolean;
}

/** Any other event, as in the list of all events. */
export interface Line {
  kind: "line";
  seq: number;
  ts: number;
  entry: TimelineEntry;
}

export interface TurnList {
  items: TurnItem[];
  /** The item of each event, as an index into `items`. Events without an item of their own belong to the item before. */
  itemOf: Map<number, number>;
  /** The turn and the position of each call. */
  calls: Map<string, { item: number; at: number }>;
  children: Map<string, number>;
  models: Map<string, number>;
  turns: number;
  names: Names;
}

export const turnsProjection: Projection<TurnList> = {
  name: "turns",
  initial: () => ({
    items: [],
    itemOf: new Map(),
    calls: new Map(),
    children: new Map(),
    models: new Map(),
    turns: 0,
    names: emptyNames(),
  }),
  apply: applyTurns,
};

export function applyTurns(list: TurnList, event: JournalEvent): TurnList {
  learnNames(list.names, event);
  const item = place(list, event) ?? Math.max(0, list.items.length - 1);
  list.itemOf.set(event.seq, item);
  return list;
}

/** Adds the event to its item, and returns the item's index. Undefined if the event has no item of its own. */
function place(list: TurnList, event: JournalEvent): number | undefined {
  switch (event.type) {
    case "MODEL_CALL_STARTED":
      return startModelCall(list, event);
    case "AGENT_THOUGHT":
      return addThought(list, event);
    case "MODEL_CALL_FAILED":
      return addFailure(list, event);
    case "TOOL_PROPOSED":
      return addProposal(list, event);
    case "APPROVAL_DECIDED":
      return addDecision(list, event) ?? addLine(list, event);
    case "TOOL_STARTED":
      return changeCall(list, event.payload.toolCallId, event.seq, {
        state: "runs",
        startedAt: event.ts,
        endedAt: undefined,
      });
    case "TOOL_RESULT":
      return addResult(list, event);
    case "CHILD_RUN_STARTED":
      return startChild(list, event);
    case "CHILD_RUN_COMPLETED":
      return endChild(list, event) ?? addLine(list, event);
    case "RUN_SUSPENDED":
      return startWait(list, event);
    case "RUN_RESUMED":
      return endWait(list, event);
    case "TIMER_SET":
      return startTimer(list, event);
    case "TIMER_FIRED":
    case "HOOKS_STARTED":
    case "STEP_YIELDED":
      return undefined;
    default:
      return addLine(list, event);
  }
}

function startModelCall(list: TurnList, { seq, ts, payload }: EventOf<"MODEL_CALL_STARTED">): number {
  const { callId, model, purpose } = payload;
  const known = list.models.get(callId);
  if (known !== undefined) {
    change<Turn>(list, known, { model, state: "open", retryAt: undefined });
    return known;
  }
  const isOwn = isTurn(purpose);
  if (isOwn) list.turns++;
  const index = add(list, {
    ...newTurn(seq, ts),
    number: isOwn ? list.turns : undefined,
    purpose: isOwn ? undefined : purpose,
    model,
    state: "open",
  });
  list.models.set(callId, index);
  return index;
}

const newTurn = (seq: number, ts: number): Turn => ({
  kind: "turn",
  seq,
  ts,
  number: undefined,
  purpose: undefined,
  model: undefined,
  shownSeq: seq,
  text: "",
  reasoning: "",
  failures: [],
  retryAt: undefined,
  state: "answered",
  answeredAt: undefined,
  input: 0,
  cached: 0,
  output: 0,
  cost: 0,
  calls: [],
});

function addThought(list: TurnList, { seq, ts, payload }: EventOf<"AGENT_THOUGHT">): number {
  const { callId, content, usage, cost } = payload;
  const index = list.models.get(callId) ?? add(list, newTurn(seq, ts));
  const turn = list.items[index] as Turn;
  // The answer of a call that serves the runtime is not shown: its result has an event of its own.
  const isOwn = turn.purpose === undefined;
  const calls = isOwn ? toolCallsOf(content) : [];
  change<Turn>(list, index, {
    shownSeq: seq,
    text: isOwn ? textOf(content).trim() : "",
    reasoning: reasoningOf(content).trim(),
    state: "answered",
    answeredAt: ts,
    retryAt: undefined,
    ...spent(turn, usage, cost),
    calls: calls.map(({ toolName }, at) => {
      const id = toolCallId(callId, at);
      list.calls.set(id, { item: index, at });
      return newCall(list, id, toolName, seq);
    }),
  });
  return index;
}

/** A failed attempt that was paid for counts towards the turn. */
function spent(
  turn: Turn,
  usage: Payload<"AGENT_THOUGHT">["usage"] | undefined,
  cost: number | null | undefined,
): Pick<Turn, "input" | "cached" | "output" | "cost"> {
  return {
    input: turn.input + (usage?.input ?? 0),
    cached: turn.cached + (usage?.cacheRead ?? 0),
    output: turn.output + (usage?.output ?? 0),
    cost: cost === null || turn.cost === null ? null : turn.cost + (cost ?? 0),
  };
}

function addFailure(list: TurnList, { seq, ts, payload }: EventOf<"MODEL_CALL_FAILED">): number | undefined {
  const { callId, message, retryAt, usage, cost } = payload;
  const index = list.models.get(callId);
  if (index === undefined) return undefined;
  const turn = list.items[index] as Turn;
  change<Turn>(list, index, {
    shownSeq: seq,
    failures: [...turn.failures, { seq, message }],
    retryAt,
    state: "failed",
    answeredAt: ts,
    ...(usage === undefined ? {} : spent(turn, usage, cost)),
  });
  return index;
}

const newCall = (list: TurnList, id: string, tool: string, seq: number): TurnCall => ({
  id,
  seq,
  tool,
  words: describeCallById(list.names, id, tool),
  state: "said",
  startedAt: undefined,
  endedAt: undefined,
  decision: undefined,
  isReplaced: tool === FINAL_REPORT || tool === CONCLUDE_TEAM,
});

function addProposal(list: TurnList, { seq, ts, payload }: EventOf<"TOOL_PROPOSED">): number {
  const { toolCallId: id, name, verdict } = payload;
  if (!list.calls.has(id)) addStepCall(list, newCall(list, id, name, seq), ts);
  return changeCall(list, id, seq, verdict === "ask" ? { state: "asks" } : {})!;
}

/** A call that no model asked for, such as a call of a steps module. Such calls in a row share an item. */
function addStepCall(list: TurnList, call: TurnCall, ts: number): void {
  const last = list.items.at(-1);
  const isGroup = last?.kind === "turn" && last.model === undefined;
  const index = isGroup ? list.items.length - 1 : add(list, newTurn(call.seq, ts));
  const { calls } = list.items[index] as Turn;
  list.calls.set(call.id, { item: index, at: calls.length });
  change<Turn>(list, index, { calls: [...calls, call] });
}

function addDecision(list: TurnList, { seq, payload }: EventOf<"APPROVAL_DECIDED">): number | undefined {
  const { itemId, by, decision, note, answer } = payload;
  const id = callOfItem(itemId);
  const call = callAt(list, id);
  if (!call) return undefined;
  return changeCall(list, id, seq, {
    words: describeCallById(list.names, id, call.tool),
    state: call.state === "asks" ? "said" : call.state,
    decision: omitUndefined({ by, decision, note, answer }),
  });
}

function addResult(list: TurnList, event: EventOf<"TOOL_RESULT">): number | undefined {
  const id = event.payload.toolCallId;
  const call = callAt(list, id);
  const state = callOutcome(event, list.names.cancelSeq);
  return changeCall(list, id, event.seq, {
    state,
    endedAt: event.ts,
    isReplaced: call?.isReplaced === true && state === "ok",
  });
}

function startChild(list: TurnList, { seq, ts, payload }: EventOf<"CHILD_RUN_STARTED">): number {
  const { child_run_id: runId, agent_type: agent, task, trigger, key } = payload;
  if (list.calls.has(key)) changeCall(list, key, seq, { isReplaced: true });
  const index = add(list, { kind: "child", seq, ts, runId, agent, task, trigger, key, end: undefined });
  list.children.set(runId, index);
  return index;
}

function endChild(list: TurnList, { seq, ts, payload }: EventOf<"CHILD_RUN_COMPLETED">): number | undefined {
  const index = list.children.get(payload.child_run_id);
  if (index === undefined) return undefined;
  const { success, summary, result } = payload;
  const cut = success && result.stop_reason !== undefined ? { isCut: true as const } : {};
  const cancelled = result.status === "cancelled" ? { isCancelled: true as const } : {};
  change<ChildSpan>(list, index, { end: { seq, ts, success, summary, ...cut, ...cancelled } });
  return index;
}

/** The waits that another item shows: a child, a call, or the turn whose model call is repeated. */
const SHOWN_ELSEWHERE = new Set([
  "child",
  "child_hitl",
  "handoff",
  "approval",
  "question",
  "outcome_unknown",
]);

const NEEDS_NOBODY = new Set(["timer", "provider", "slot", "storage"]);

function startWait(list: TurnList, { seq, ts, payload }: EventOf<"RUN_SUSPENDED">): number | undefined {
  const { kind, until, detail } = payload.waitingOn;
  if (SHOWN_ELSEWHERE.has(kind)) return undefined;
  const last = list.items.at(-1);
  if (kind === "provider" && last?.kind === "turn" && last.state === "failed") return undefined;
  const { title, subject } = describeWait(payload.waitingOn);
  const why = detail === undefined || kind === "paused" ? "" : ` (${detail})`;
  return openWait(list, seq, ts, {
    title: `${title}${why}`,
    subject,
    until,
    needsPerson: !NEEDS_NOBODY.has(kind),
  });
}

function startTimer(list: TurnList, { seq, ts, payload: { at, purpose } }: EventOf<"TIMER_SET">): number {
  const title = `Waiting for its timer: ${purpose}`;
  return openWait(list, seq, ts, { title, subject: `its timer: ${purpose}`, until: at, needsPerson: false });
}

function openWait(
  list: TurnList,
  seq: number,
  ts: number,
  about: Pick<WaitSpan, "title" | "subject" | "until" | "needsPerson">,
): number {
  const last = list.items.at(-1);
  if (last?.kind !== "wait") {
    const fresh = { endedAt: undefined, earlierMs: 0, count: 1, note: undefined };
    return add(list, { kind: "wait", seq, ts, ...about, ...fresh });
  }
  const index = list.items.length - 1;
  // A timer and the suspension that waits for it are one wait.
  if (last.endedAt === undefined) change<WaitSpan>(list, index, { until: about.until ?? last.until });
  else
    change<WaitSpan>(list, index, {
      ...about,
      ts,
      endedAt: undefined,
      earlierMs: last.earlierMs + (last.endedAt - last.ts),
      count: last.count + 1,
    });
  return index;
}

function endWait(list: TurnList, event: EventOf<"RUN_RESUMED">): number | undefined {
  const last = list.items.at(-1);
  if (last?.kind === "wait" && last.endedAt === undefined) {
    const note = event.payload.by === "cadre" ? undefined : timelineEntry(event, list.names)?.title;
    change<WaitSpan>(list, list.items.length - 1, { endedAt: event.ts, note });
    return list.items.length - 1;
  }
  return event.payload.by === "cadre" ? undefined : addLine(list, event);
}

function addLine(list: TurnList, event: JournalEvent): number | undefined {
  const entry = timelineEntry(event, list.names);
  return entry && add(list, { kind: "line", seq: event.seq, ts: event.ts, entry });
}

function add(list: TurnList, item: TurnItem): number {
  const last = list.items.at(-1);
  // A wait without a recorded end is over when the next thing happens.
  if (last?.kind === "wait" && last.endedAt === undefined)
    change<WaitSpan>(list, list.items.length - 1, { endedAt: item.ts });
  list.items.push(item);
  return list.items.length - 1;
}

function change<Item extends TurnItem>(list: TurnList, index: number, changes: Partial<Item>): void {
  list.items[index] = { ...(list.items[index] as Item), ...changes };
}

function callAt(list: TurnList, id: string): TurnCall | undefined {
  const at = list.calls.get(id);
  return at && (list.items[at.item] as Turn).calls[at.at];
}

function changeCall(list: TurnList, id: string, seq: number, changes: Partial<TurnCall>): number | undefined {
  const place = list.calls.get(id);
  if (!place) return undefined;
  const { calls } = list.items[place.item] as Turn;
  change<Turn>(list, place.item, {
    calls: calls.map((call, at) => (at === place.at ? { ...call, ...changes, seq } : call)),
  });
  return place.item;
}

/** The event that represents `event` in the story: the latest event of its call, or the event that its item shows. */
export function shownEventOf(list: TurnList, event: JournalEvent): number | undefined {
  const item = list.items[list.itemOf.get(event.seq) ?? -1];
  if (item?.kind !== "turn") return item?.seq;
  const id = callOfEvent(event);
  const call = item.calls.find((each) => each.id === id && !each.isReplaced);
  return call?.seq ?? item.shownSeq;
}

/** The call that the event is about. */
function callOfEvent(event: JournalEvent): string | undefined {
  switch (event.type) {
    case "TOOL_PROPOSED":
    case "TOOL_STARTED":
    case "TOOL_RESULT":
      return event.payload.toolCallId;
    case "APPROVAL_DECIDED":
      return callOfItem(event.payload.itemId);
    default:
      return undefined;
  }
}
