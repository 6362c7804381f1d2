// A run as a conversation (S4-55 … S4-58): each message to the agent, and an answer with everything the agent thought, did and started.
// The end of the run supplies the final text of the answer.

import { toolCallId } from "../../ids.ts";
import type { Attachment } from "../../journal/attachment.ts";
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
import {
  describeCallById,
  emptyNames,
  learnNames,
  type Names,
  type TimelineEntry,
  timelineEntry,
} from "./timeline.ts";

export type ConversationMessage = IncomingMessage | Answer;

export interface IncomingMessage {
  kind: "heard";
  seq: number;
  ts: number;
  source: "task" | Payload<"CONTEXT_ADDED">["source"];
  from: string | undefined;
  text: string;
  attachments: readonly Attachment[];
  /** Untrusted sources whose text is in the message. */
  untrusted: readonly string[];
}

export interface Answer {
  kind: "answer";
  seq: number;
  ts: number;
  /** The time at which the answer was complete. */
  to: number | undefined;
  activity: ConversationActivity[];
  /** The final text; undefined while the answer is under way. */
  text: string | undefined;
  end: Pick<Payload<"RUN_COMPLETED">, "stopReason" | "result"> | undefined;
}

export type ConversationActivity =
  | ConversationThought
  | ConversationCall
  | ConversationChild
  | ConversationNote;

export interface ConversationThought {
  kind: "thought";
  seq: number;
  ts: number;
  text: string;
  reasoning: string;
}

export interface ConversationCall {
  kind: "call";
  seq: number;
  ts: number;
  id: string;
  tool: string;
  /** Short description of the call. */
  words: string;
  input: unknown;
  state: "said" | "asks" | "runs" | CallOutcome;
  startedAt: number | undefined;
  endedAt: number | undefined;
  /** The preview that was shown to a person for approval. */
  preview: string | undefined;
  /** The person who approved or rejected the call, and the reason. */
  decision: Pick<Payload<"APPROVAL_DECIDED">, "by" | "decision" | "note"> | undefined;
  result: Payload<"TOOL_RESULT"> | undefined;
  /** True if the call started a child or ended the run. The page then shows the child or the end instead of the call. */
  isReplaced: boolean;
}

export interface ConversationChild {
  kind: "child";
  seq: number;
  ts: number;
  runId: string;
  agent: string;
  task: string;
}

export interface ConversationNote {
  kind: "note";
  seq: number;
  ts: number;
  text: string;
  tone: TimelineEntry["tone"];
  detail: string | undefined;
}

export interface Conversation {
  messages: ConversationMessage[];
  calls: Map<string, ConversationCall>;
  /** The answer that the agent is writing. Messages that arrive in the meantime are shown below it. */
  current: Answer | undefined;
  /** Whether a message has arrived that the agent reads at its next turn. */
  hasNews: boolean;
  /** The open model call. */
  open: { callId: string; isTurn: boolean } | undefined;
  names: Names;
}

export const conversationProjection: Projection<Conversation> = {
  name: "conversation",
  initial: () => ({
    messages: [],
    calls: new Map(),
    current: undefined,
    hasNews: false,
    open: undefined,
    names: emptyNames(),
  }),
  apply: applyConversation,
};

export function applyConversation(talk: Conversation, event: JournalEvent): Conversation {
  learnNames(talk.names, event);
  switch (event.type) {
    case "RUN_STARTED":
      addMessage(talk, event, "task", event.payload.userId, event.payload.task);
      break;
    case "CONTEXT_ADDED":
      addContext(talk, event);
      break;
    case "MODEL_CALL_STARTED":
      startModelCall(talk, event);
      break;
    case "AGENT_THOUGHT":
      addThought(talk, event);
      break;
    case "TOOL_PROPOSED":
      addProposal(talk, event);
      break;
    case "APPROVAL_DECIDED":
      addDecision(talk, event);
      break;
    case "TOOL_STARTED":
      startCall(talk, event);
      break;
    case "TOOL_RESULT":
      addResult(talk, event);
      break;
    case "CHILD_RUN_STARTED":
      addChild(talk, event);
      break;
    case "CHILD_RUN_COMPLETED":
    case "STEP_YIELDED":
    case "RUN_SUSPENDED":
      break;
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED":
      endAnswer(talk, event);
      break;
    default:
      if (event.type === "MODEL_CALL_FAILED") talk.open = undefined;
      addNote(talk, event);
  }
  return talk;
}

/** Number of calls and changed files in an answer, and its duration. */
export function activityCounts({ activity, ts, to }: Answer): {
  tools: number;
  files: number;
  ms: number | undefined;
} {
  const calls = activity.filter((each) => each.kind === "call" && !each.isReplaced) as ConversationCall[];
  const files = new Set(calls.flatMap((call) => call.result?.files?.map(({ path }) => path) ?? []));
  return { tools: calls.length, files: files.size, ms: to === undefined ? undefined : to - ts };
}

function addMessage(
  talk: Conversation,
  { seq, ts, payload }: EventOf<"RUN_STARTED" | "CONTEXT_ADDED">,
  source: IncomingMessage["source"],
  from: string | undefined,
  text: string,
): void {
  const { untrusted = [], attachments = [] } = payload;
  talk.messages.push({ kind: "heard", seq, ts, source, from, text, attachments, untrusted });
}

/** The agent reads a message at its next turn, so the next turn begins a new answer, below the message. */
function startModelCall(talk: Conversation, event: EventOf<"MODEL_CALL_STARTED">): void {
  const { callId, purpose, attempt = 1 } = event.payload;
  if (talk.hasNews && isTurn(purpose) && attempt === 1) {
    const answer = openAnswer(talk);
    if (answer) close(answer, event.ts);
    talk.hasNews = false;
  }
  talk.open = { callId, isTurn: isTurn(purpose) };
  answerOf(talk, event);
}

/**
 * A message from a person or an agent is shown below the current answer, which continues until the agent's next turn.
 * So the answer keeps its place, and its streamed text stays visible. A message from the runtime becomes part of the answer.
 */
function addContext(talk: Conversation, event: EventOf<"CONTEXT_ADDED">): void {
  const { source, from, text } = event.payload;
  const answer = openAnswer(talk);
  const isSaid = source === "person" || source === "agent" || source === "parent";
  if (answer && !isSaid) {
    addNote(talk, event);
    return;
  }
  talk.hasNews = answer !== undefined;
  addMessage(talk, event, source, from, text);
}

function addThought(talk: Conversation, { seq, ts, payload }: EventOf<"AGENT_THOUGHT">): void {
  const turn = talk.open?.isTurn ?? true;
  talk.open = undefined;
  if (!turn) return;
  const { callId, content } = payload;
  const { activity } = answerOf(talk, { seq, ts });
  const [text, reasoning] = [textOf(content), reasoningOf(content)];
  if (text.trim() !== "" || reasoning.trim() !== "")
    activity.push({ kind: "thought", seq, ts, text, reasoning });
  toolCallsOf(content).forEach(({ toolName, input }, index) => {
    activity.push(newCall(talk, toolCallId(callId, index), toolName, input, { seq, ts }));
  });
}

function newCall(
  talk: Conversation,
  id: string,
  tool: string,
  input: unknown,
  { seq, ts }: { seq: number; ts: number },
): ConversationCall {
  const call: ConversationCall = {
    kind: "call",
    seq,
    ts,
    id,
    tool,
    words: describeCallById(talk.names, id, tool),
    input,
    state: "said",
    startedAt: undefined,
    endedAt: undefined,
    preview: undefined,
    decision: undefined,
    result: undefined,
    isReplaced: tool === FINAL_REPORT || tool === CONCLUDE_TEAM,
  };
  talk.calls.set(id, call);
  return call;
}

function addProposal(talk: Conversation, { seq, ts, payload }: EventOf<"TOOL_PROPOSED">): void {
  const { toolCallId: id, name, input, verdict, preview } = payload;
  const known = talk.calls.get(id);
  const call = known ?? newCall(talk, id, name, input, { seq, ts });
  if (!known) answerOf(talk, { seq, ts }).activity.push(call);
  if (verdict === "ask") call.state = "asks";
  call.preview = preview ?? call.preview;
}

function addDecision(talk: Conversation, event: EventOf<"APPROVAL_DECIDED">): void {
  const { itemId, by, decision, note: why, input } = event.payload;
  const call = talk.calls.get(callOfItem(itemId));
  if (!call) {
    addNote(talk, event);
    return;
  }
  call.decision = omitUndefined({ by, decision, note: why });
  if (decision === "edit") {
    call.input = input;
    call.words = describeCallById(talk.names, call.id, call.tool);
  }
  if (call.state === "asks") call.state = "said";
}

function startCall(talk: Conversation, { ts, payload }: EventOf<"TOOL_STARTED">): void {
  const call = talk.calls.get(payload.toolCallId);
  if (!call) return;
  call.state = "runs";
  call.startedAt = ts;
}

function addResult(talk: Conversation, event: EventOf<"TOOL_RESULT">): void {
  const call = talk.calls.get(event.payload.toolCallId);
  if (!call) return;
  call.state = callOutcome(event, talk.names.cancelSeq);
  call.endedAt = event.ts;
  call.result = event.payload;
  if (call.state !== "ok") call.isReplaced = false;
}

function addChild(talk: Conversation, { seq, ts, payload }: EventOf<"CHILD_RUN_STARTED">): void {
  const { child_run_id: runId, agent_type: agent, task, key } = payload;
  const call = talk.calls.get(key);
  if (call) call.isReplaced = true;
  answerOf(talk, { seq, ts }).activity.push({ kind: "child", seq, ts, runId, agent, task });
}

function addNote(talk: Conversation, event: JournalEvent): void {
  const entry = timelineEntry(event, talk.names);
  if (!entry) return;
  const { seq, ts, title: text, tone, detail } = entry;
  answerOf(talk, event).activity.push({ kind: "note", seq, ts, text, tone, detail });
}

function endAnswer(
  talk: Conversation,
  event: EventOf<"RUN_COMPLETED" | "RUN_FAILED" | "RUN_CANCELLED">,
): void {
  const { stopReason, summary, result: envelope } = event.payload;
  const answer = answerOf(talk, event);
  answer.end = { stopReason, result: envelope };
  const details =
    envelope.details === undefined || envelope.details === summary ? "" : `\n\n${envelope.details}`;
  close(answer, event.ts, summary + details);
}

/** If the final text repeats the last thought, the thought is removed, so that the text is shown once. */
function close(answer: Answer, ts: number, words?: string): void {
  const last = answer.activity.at(-1);
  const said = last?.kind === "thought" ? last : undefined;
  answer.to = ts;
  answer.text = words ?? said?.text;
  if (!said || said.text.trim() !== answer.text?.trim()) return;
  if (said.reasoning === "") answer.activity.pop();
  else said.text = "";
}

const openAnswer = ({ current }: Conversation): Answer | undefined =>
  current?.to === undefined ? current : undefined;

function answerOf(talk: Conversation, { seq, ts }: { seq: number; ts: number }): Answer {
  const open = openAnswer(talk);
  if (open) return open;
  const answer: Answer = {
    kind: "answer",
    seq,
    ts,
    to: undefined,
    activity: [],
    text: undefined,
    end: undefined,
  };
  talk.messages.push(answer);
  talk.current = answer;
  return answer;
}
