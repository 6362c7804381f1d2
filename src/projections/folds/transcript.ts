// Converts the journal to the prompt: the messages that the model sees. Every call has exactly one result.
// Results follow the order of their calls, not of their arrival. Messages that arrived while a call was open follow its results (J11).
// The beginning of the prompt never changes from turn to turn, so that the provider's cache can be used.

import { toolCallId } from "../../ids.ts";
import { type Attachment, fileTokens } from "../../journal/attachment.ts";
import { type EventOf, isTurn, type JournalEvent, type Payload } from "../../journal/events.ts";
import {
  type PromptAssistantPart,
  type PromptFile,
  type PromptMessage,
  type PromptToolResult,
  type ThoughtPart,
  type ToolCallPart,
  toolCallsOf,
} from "../../journal/message.ts";
import type { Projection } from "../projection.ts";
import { childMessage, childResult } from "./child-result.ts";

interface Placed {
  seq: number;
  message: PromptMessage;
  /** The model that wrote the message. */
  model?: string;
}

export interface Transcript {
  placed: Placed[];
  /** The run's task. Undefined: the run continues in the middle of another run's work. */
  task: Placed | undefined;
  /** Characters in all messages, to estimate their tokens. */
  characters: number;
  /**
   * The provider's last count: tokens of the prompt and its answer, and their number of characters.
   * `cachedShare` is the share of the prompt that the provider read from its cache.
   */
  measured: { tokens: number; characters: number; cachedShare: number } | undefined;
  /** Messages that no model call has seen yet. */
  unseen: { seq: number; id: string; text: string; attachments?: Attachment[] | undefined }[];
  /** Purpose and model of the open model call, and all call ids that the prompt contains so far. */
  purpose: string;
  model: string;
  usedIds: Set<string>;
  /** Children that have not ended yet. */
  started: Map<string, Payload<"CHILD_RUN_STARTED">>;
  /** The places for the results of the latest calls: a message, and an index in that message. */
  slots: Map<string, { message: Extract<PromptMessage, { role: "tool" }>; index: number }>;
  /** Calls of the agent's module that the model must not see. */
  hidden: Set<string>;
}

export const emptyTranscript = (): Transcript => ({
  placed: [],
  task: undefined,
  characters: 0,
  measured: undefined,
  unseen: [],
  purpose: "turn",
  model: "",
  usedIds: new Set(),
  started: new Map(),
  slots: new Map(),
  hidden: new Set(),
});

export function applyTranscript(transcript: Transcript, event: JournalEvent): Transcript {
  switch (event.type) {
    case "RUN_STARTED":
      begin(transcript, event);
      break;
    case "CONTEXT_ADDED":
      if (event.payload.opening) replaceTask(transcript, event.seq, event.payload.text);
      else transcript.unseen.push(unseenMessage(event));
      break;
    case "MODEL_CALL_STARTED":
      transcript.purpose = event.payload.purpose ?? "turn";
      transcript.model = event.payload.model;
      if (isTurn(transcript.purpose)) showUnseen(transcript, event.payload.sawSeq ?? event.seq);
      break;
    case "AGENT_THOUGHT":
      if (isTurn(transcript.purpose)) addThought(transcript, event);
      break;
    case "TOOL_PROPOSED":
      addStepCall(transcript, event);
      break;
    case "TOOL_RESULT":
      fillSlot(
        transcript,
        event.payload.toolCallId,
        resultOutput(event.payload),
        filesIn(event.payload.attachments),
      );
      break;
    case "CHILD_RUN_STARTED":
      transcript.started.set(event.payload.child_run_id, event.payload);
      break;
    case "CHILD_RUN_COMPLETED":
      addChildEnd(transcript, event);
      break;
    case "CONTEXT_COMPACTED":
      compact(transcript, event.payload);
      break;
    default:
  }
  return transcript;
}

export const transcriptProjection: Projection<Transcript> = {
  name: "transcript",
  initial: emptyTranscript,
  apply: applyTranscript,
};

export function promptMessages(transcript: Transcript): PromptMessage[] {
  return transcript.placed.map((placed) => placed.message);
}

/**
 * The messages as one model is allowed to see them. Only the model that wrote an answer gets its reasoning and its provider's data back,
 * because signatures and encrypted reasoning are of no use to another model, and its provider rejects them.
 */
export function promptMessagesFor(model: string, { placed }: Transcript): PromptMessage[] {
  return placed.flatMap(({ message, model: writer }): PromptMessage[] => {
    if (message.role !== "assistant" || writer === model) return [message];
    const content = message.content.filter(isWords).map(withoutProviderData);
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

const isWords = (part: PromptAssistantPart): boolean =>
  part.type === "tool-call" || (part.type === "text" && part.text !== "");

const withoutProviderData = ({ providerOptions: _, ...part }: PromptAssistantPart): PromptAssistantPart =>
  part;

/** The messages without placeholders for results of open calls. They are used to show a run that is still under way. */
export function messagesWithoutOpenCalls({ placed, slots }: Transcript): PromptMessage[] {
  const open = new Set(Array.from(slots.values(), ({ message, index }) => message.content[index]));
  return placed.flatMap(({ message }): PromptMessage[] => {
    if (message.role !== "tool") return [message];
    const content = message.content.filter((result) => !open.has(result));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** Estimated tokens of the next prompt: the provider's last count, plus an estimate for everything added since. */
export function promptTokens(transcript: Transcript): number {
  const { measured, unseen } = transcript;
  const characters = unseen.reduce(
    (sum, { text, attachments }) => sum + text.length + filesLength(attachments),
    transcript.characters,
  );
  if (!measured) return Math.ceil(characters / 4);
  return measured.tokens + Math.ceil(Math.max(0, characters - measured.characters) / 4);
}

/** Length to which a tool result can be shortened. */
const SHORT_RESULT = 300;
const LEFT_OUT = "\n… The rest was left out: the budget does not cover it.";

/** Number of tokens by which the newest results can be shortened. */
export function shortenableTokens({ placed }: Transcript): number {
  const results = newestResults(placed.map(({ message }) => message));
  const lengths = results.map(({ text }) => Math.max(0, text.length - SHORT_RESULT - LEFT_OUT.length));
  return Math.floor(lengths.reduce((sum, length) => sum + length, 0) / 4);
}

/** The messages without `tokens` of the newest results. The longest results are shortened first. */
export function shortenResults(messages: PromptMessage[], tokens = 0): PromptMessage[] {
  let excess = tokens * 4;
  const shortened = new Map<PromptToolResult, PromptToolResult>();
  for (const { result, text } of newestResults(messages).toSorted((a, b) => b.text.length - a.text.length)) {
    if (excess <= 0 || text.length <= SHORT_RESULT + LEFT_OUT.length) break;
    const length = Math.max(SHORT_RESULT, text.length - excess - LEFT_OUT.length);
    excess -= text.length - length - LEFT_OUT.length;
    const type = result.output.type.startsWith("error") ? "error-text" : "text";
    shortened.set(result, { ...result, output: { type, value: text.slice(0, length) + LEFT_OUT } });
  }
  if (shortened.size === 0) return messages;
  return messages.map((message) =>
    message.role === "tool"
      ? { ...message, content: message.content.map((result) => shortened.get(result) ?? result) }
      : message,
  );
}

function newestResults(messages: readonly PromptMessage[]): { result: PromptToolResult; text: string }[] {
  const latest = messages.findLastIndex(({ role }) => role === "assistant");
  const results = messages.slice(latest + 1).flatMap((message) => (message.role === "tool" ? message.content : []));
  return results.map((result) => {
    const { value } = result.output;
    return { result, text: typeof value === "string" ? value : JSON.stringify(value) };
  });
}

/** A run that continues another run begins with that run's messages. These get seq 0, so that they sort before the new run's messages. */
function begin(transcript: Transcript, { seq, payload }: EventOf<"RUN_STARTED">): void {
  for (const placed of transcript.placed) placed.seq = 0;
  for (const context of transcript.unseen) context.seq = 0;
  transcript.slots = new Map();
  transcript.hidden = new Set();
  const last = transcript.placed.at(-1)?.message.role;
  const { trigger, fork } = payload;
  const isEdited = fork?.edited?.includes("message") ?? false;
  const goesOn =
    (trigger === "retry" || (trigger === "fork" && !isEdited)) && (last === "tool" || last === "user");
  // An edited task replaces the original task if the model has not answered the original yet.
  if (isEdited && last === "user" && transcript.placed.every(({ message }) => message.role === "user")) {
    transcript.placed = [];
    transcript.characters = 0;
  }
  transcript.task = goesOn
    ? undefined
    : addUserMessage(transcript, seq, taskText(payload) + turnLimit(payload), payload.attachments);
}

function turnLimit({ ownMaxTurns, limits: { maxTurns } }: Payload<"RUN_STARTED">): string {
  return ownMaxTurns === undefined ? "" : `\n\nYou have at most ${maxTurns} turns for this task.`;
}

export type TaskFields = Pick<Payload<"RUN_STARTED">, "task" | "contextFiles" | "criteria" | "input">;

export function taskText({ task, contextFiles = [], criteria, input }: TaskFields): string {
  const success = criteria === undefined ? "" : `\n\nSuccess criteria: ${criteria}`;
  const files = contextFiles.length === 0 ? "" : `\n\nFiles to look at: ${contextFiles.join(", ")}`;
  const given = input === undefined ? "" : `\n\nInput:\n${JSON.stringify(input, null, 2)}`;
  return task + success + files + given;
}

function addUserMessage(
  transcript: Transcript,
  seq: number,
  text: string,
  attachments?: readonly Attachment[],
): Placed {
  const content = [{ type: "text" as const, text }, ...filesIn(attachments)];
  const placed: Placed = { seq, message: { role: "user", content } };
  transcript.placed.push(placed);
  transcript.characters += messageLength(placed.message);
  return placed;
}

const unseenMessage = ({ seq, payload: { id, text, attachments } }: EventOf<"CONTEXT_ADDED">) => ({
  seq,
  id,
  text,
  attachments,
});

const filesIn = (attachments: readonly Attachment[] = []): PromptFile[] =>
  attachments.map((attachment) => ({ type: "file", ...attachment }));

/** Files count as text of the same number of tokens. */
const filesLength = (files: readonly Attachment[] = []): number =>
  files.reduce((sum, file) => sum + 4 * fileTokens(file), 0);

/** A run that continues another run might have no task of its own. In that case `text` is added as a new message. */
function replaceTask(transcript: Transcript, seq: number, text: string): void {
  transcript.task ??= addUserMessage(transcript, seq, text);
  const { task } = transcript;
  const files = (task.message.content as PromptFile[]).filter(({ type }) => type === "file");
  transcript.characters -= messageLength(task.message);
  task.message = { role: "user", content: [{ type: "text", text }, ...files] };
  transcript.characters += messageLength(task.message);
}

function showUnseen(transcript: Transcript, upTo: number): void {
  if (transcript.unseen.length === 0) return;
  for (const context of transcript.unseen)
    if (context.seq <= upTo) addUserMessage(transcript, context.seq, context.text, context.attachments);
  transcript.unseen = transcript.unseen.filter((context) => context.seq > upTo);
}

function addThought(transcript: Transcript, event: EventOf<"AGENT_THOUGHT">): void {
  const { content, callId, usage } = event.payload;
  const calls = toolCallsOf(content);
  const sentIds = calls.map((call, index) => sentId(transcript, call, toolCallId(callId, index)));
  const parts = assistantParts(content, sentIds);
  if (parts.length > 0)
    transcript.placed.push({
      seq: event.seq,
      message: { role: "assistant", content: parts },
      model: transcript.model,
    });
  transcript.characters += contentLength(content);
  // Some servers report no usage.
  if (usage.input > 0) {
    transcript.measured = {
      tokens: usage.input + usage.output,
      characters: transcript.characters,
      cachedShare: Math.min(1, (usage.cacheRead ?? 0) / usage.input),
    };
  }
  transcript.slots = new Map();
  if (calls.length === 0) return;
  const message: Extract<PromptMessage, { role: "tool" }> = {
    role: "tool",
    content: calls.map((call, index) => placeholderResult(sentIds[index]!, sentName(call))),
  };
  transcript.placed.push({ seq: event.seq, message });
  calls.forEach((_, index) => {
    transcript.slots.set(toolCallId(callId, index), { message, index });
  });
}

/** A call of the agent's module appears as if the model had made it. */
function addStepCall(transcript: Transcript, { seq, payload }: EventOf<"TOOL_PROPOSED">): void {
  const { toolCallId: id, name, input, hidden, round = 1 } = payload;
  if (input === undefined || round > 1) return;
  if (hidden) {
    transcript.hidden.add(id);
    return;
  }
  const call: ToolCallPart = { type: "tool-call", toolCallId: "", toolName: name, input };
  const sent = sentId(transcript, call, id);
  const parts = assistantParts([call], [sent]);
  const last = transcript.placed.at(-1);
  const message: Extract<PromptMessage, { role: "tool" }> = {
    role: "tool",
    content: [placeholderResult(sent, name)],
  };
  // F11: providers reject two assistant messages in a row.
  const said = last?.message.role === "assistant" ? last.message : undefined;
  if (last && said) last.message = { ...said, content: [...said.content, ...parts] };
  else transcript.placed.push({ seq, message: { role: "assistant", content: parts } });
  transcript.placed.push({ seq: last && said ? last.seq : seq, message });
  transcript.characters += contentLength([call]);
  transcript.slots.set(id, { message, index: 0 });
}

/** The provider's id of a call, or our own id if the provider's id is used already. Some servers send `call_0` every turn. */
function sentId(transcript: Transcript, call: ToolCallPart, own: string): string {
  let id = call.toolCallId === "" ? own.replace(".", "_") : call.toolCallId;
  if (transcript.usedIds.has(id)) id = own.replace(".", "_");
  // If this run continues another run, our own id can be taken too.
  while (transcript.usedIds.has(id)) id += "_";
  transcript.usedIds.add(id);
  return id;
}

function assistantParts(content: readonly ThoughtPart[], sentIds: readonly string[]): PromptAssistantPart[] {
  let next = 0;
  return content.flatMap((part): PromptAssistantPart[] => {
    if (part.type !== "tool-call") {
      // Gemini signs its answer in an empty text.
      const isEmpty = part.type === "text" && (part as { text: string }).text === "" && !part.providerOptions;
      return isEmpty ? [] : [part as PromptAssistantPart];
    }
    const call = part as ToolCallPart;
    const { providerOptions } = call;
    const base = {
      type: "tool-call" as const,
      toolCallId: sentIds[next++]!,
      toolName: sentName(call),
      input: sentInput(call),
    };
    return [providerOptions === undefined ? base : { ...base, providerOptions }];
  });
}

/** F42: providers reject a history with a call that has no name, or whose input is not an object. */
const sentName = ({ toolName }: ToolCallPart): string => toolName || "unnamed";

function sentInput({ input }: ToolCallPart): unknown {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
}

/** The placeholder for a result that has not arrived. It stays if the run ends while the call is open. */
function placeholderResult(id: string, toolName: string): PromptToolResult {
  const value = "Interrupted: it is not known whether this was done.";
  return { type: "tool-result", toolCallId: id, toolName, output: { type: "error-text", value } };
}

function fillSlot(
  transcript: Transcript,
  callId: string,
  output: PromptToolResult["output"],
  files: PromptFile[] = [],
): void {
  const slot = transcript.slots.get(callId);
  const result = slot?.message.content[slot.index];
  if (!result) return;
  transcript.slots.delete(callId);
  result.output = output;
  if (files.length > 0) result.files = files;
  transcript.characters += filesLength(files);
  transcript.characters += output.type.endsWith("text")
    ? (output.value as string).length
    : JSON.stringify(output.value).length;
}

/** Adds a child's end as the result of the call that awaits the child. If no call awaits the child, adds a message. Patterns handle their own children. */
function addChildEnd(transcript: Transcript, { seq, payload }: EventOf<"CHILD_RUN_COMPLETED">): void {
  const started = transcript.started.get(payload.child_run_id);
  transcript.started.delete(payload.child_run_id);
  if (started?.trigger !== "delegation" && started?.trigger !== "route") return;
  if (transcript.hidden.has(payload.key)) return;
  const slot = transcript.slots.get(payload.key);
  if (slot && started.awaited !== false) {
    if (payload.result.status === "failed" && (started.retries ?? 0) > 0) return;
    const { toolName } = slot.message.content[slot.index]!;
    fillSlot(transcript, payload.key, { type: "text", value: childResult(toolName, started, payload) });
    return;
  }
  if (started.trigger === "route") return;
  const text = childMessage(started, payload);
  transcript.unseen.push({ seq, id: payload.child_run_id, text });
}

function resultOutput(result: Payload<"TOOL_RESULT">): PromptToolResult["output"] {
  const { output, isError } = result;
  if (typeof output === "string") return { type: isError ? "error-text" : "text", value: output };
  return { type: isError ? "error-json" : "json", value: output ?? null };
}

function compact(transcript: Transcript, compacted: Payload<"CONTEXT_COMPACTED">): void {
  const [task, ...rest] = transcript.placed;
  const kept = rest.filter((placed) => placed.seq > compacted.upTo.seq);
  const text = `What happened so far, in short (the full record is kept):\n\n${compacted.summary}`;
  const summary: Placed = {
    seq: compacted.upTo.seq,
    message: { role: "user", content: [{ type: "text", text }] },
  };
  transcript.placed = [...(task ? [task] : []), summary, ...kept];
  transcript.characters = transcript.placed.reduce((sum, placed) => sum + messageLength(placed.message), 0);
  transcript.measured = undefined;
}

function contentLength(content: readonly ThoughtPart[]): number {
  return content.reduce((sum, part) => {
    if (part.type === "tool-call")
      return sum + (JSON.stringify((part as ToolCallPart).input)?.length ?? 0) + 20;
    if (part.type === "file") return sum + filesLength([part as unknown as PromptFile]);
    return sum + ("text" in part && typeof part.text === "string" ? part.text.length : 0);
  }, 0);
}

function messageLength(message: PromptMessage): number {
  if (message.role === "tool") {
    return message.content.reduce(
      (sum, { output, files }) => sum + JSON.stringify(output.value).length + filesLength(files),
      0,
    );
  }
  return contentLength(message.content as ThoughtPart[]);
}
