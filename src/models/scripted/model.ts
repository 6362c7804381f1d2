// A model that plays a script, without a key or a network. The demo, tests, examples and the benchmark use it.
//  1  The model keeps no state between calls: an answer depends only on the call, so a restart changes nothing.
//  2  The model fails as providers fail (APICallError, broken streams), so the loop cannot tell the difference.
//  3  Each call takes at least one turn of the event loop.
//     An instant answer would starve the store's writer and make durability look free.
//  4  The model reads the whole prompt only if the script refers to an early part of it.

import { setImmediate, setTimeout } from "node:timers/promises";
import {
  APICallError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4FinishReason,
  type LanguageModelV4Prompt,
  type LanguageModelV4StreamPart,
  type LanguageModelV4ToolCall,
  type LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { agentId } from "../../journal/agent-id.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { CallContext, Model } from "../model.ts";
import { patternOf, type Script, type ScriptedRequest, type ScriptedTurn } from "./script.ts";

type Choose = (request: ScriptedRequest) => ScriptedTurn | undefined;

export function createScriptedModel(script: Script, options: { name?: string } = {}): Model {
  const name = options.name ?? (typeof script === "function" ? undefined : script.name) ?? "script";
  const choose = typeof script === "function" ? script : chooserOf(script.turns);
  return {
    specificationVersion: "v4",
    provider: "scripted",
    modelId: name,
    supportedUrls: {},
    async doStream(call) {
      const answer = await play(name, choose, call);
      return { stream: streamOf(partsOf(answer), answer.breaks) };
    },
    async doGenerate(call) {
      const { content, finish, usage, breaks } = await play(name, choose, call);
      if (breaks !== undefined) throw breaks;
      const finishReason = finish ?? { unified: "interrupted", raw: undefined };
      return { content, finishReason, usage, warnings: [] };
    },
  };
}

interface Answer {
  content: LanguageModelV4Content[];
  /** The reason for the end of the answer. Undefined if the stream ends without a finish part. */
  finish: LanguageModelV4FinishReason | undefined;
  usage: LanguageModelV4Usage;
  chunk: number | undefined;
  /** If set, the stream fails with this error in the middle of its last part. */
  breaks: APICallError | undefined;
}

async function play(name: string, choose: Choose, call: LanguageModelV4CallOptions): Promise<Answer> {
  const request = readRequest(call);
  const turn = choose(request);
  await pause(turn?.delay, call.abortSignal);
  if (turn === undefined) throw noTurnError(name, request);
  if (turn.error !== undefined) throw errorOf(name, turn.error);
  const content = contentOf(turn, request);
  return {
    content,
    finish: finishOf(turn, content),
    usage: usageOf(turn, content, call),
    chunk: turn.chunk,
    breaks: turn.cut === "stream" ? brokenConnection(name) : undefined,
  };
}

/**
 * The parts of a call that a script can refer to. They are computed on access, starting from the end of the prompt.
 * Most scripts need only the turn or the last result, and prompts grow long.
 */
function readRequest(call: LanguageModelV4CallOptions): ScriptedRequest {
  const { prompt } = call;
  const place = (call.providerOptions?.["cadre"] ?? {}) as Partial<CallContext>;
  return {
    agent: place.agent ?? "",
    runId: place.runId ?? "",
    tree: place.tree ?? "",
    turn: place.turn ?? 1,
    attempt: place.attempt ?? 1,
    purpose: place.purpose ?? "turn",
    round: place.round ?? 0,
    get task() {
      return userText(prompt.find((message) => message.role === "user")) ?? "";
    },
    get lastTool() {
      return lastResultOf(prompt)?.toolName;
    },
    get lastResult() {
      const result = lastResultOf(prompt);
      return result === undefined ? undefined : resultText(result.output);
    },
    get lastUser() {
      return userText(prompt.findLast((message) => message.role === "user"));
    },
    get isError() {
      const type = lastResultOf(prompt)?.output.type;
      return type === "error-text" || type === "error-json" || type === "execution-denied";
    },
    get characters() {
      return JSON.stringify([prompt, call.tools ?? []]).length;
    },
  };
}

type Message = LanguageModelV4Prompt[number];

type ToolMessage = Extract<Message, { role: "tool" }>;

type ToolResult = Extract<ToolMessage["content"][number], { type: "tool-result" }>;

function lastResultOf(prompt: LanguageModelV4Prompt): ToolResult | undefined {
  for (let at = prompt.length - 1; at >= 0; at--) {
    const message = prompt[at]!;
    if (message.role !== "tool") continue;
    const result = message.content.findLast((part): part is ToolResult => part.type === "tool-result");
    if (result !== undefined) return result;
  }
  return undefined;
}

function resultText(output: ToolResult["output"]): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "execution-denied":
      return output.reason ?? "";
    case "content":
      return output.value.map((part) => (part.type === "text" ? part.text : "")).join("");
    default:
      return JSON.stringify(output.value);
  }
}

function userText(message: Message | undefined): string | undefined {
  if (message?.role !== "user") return undefined;
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Turns a script into a function that chooses the first matching turn. */
export function chooserOf(turns: readonly ScriptedTurn[]): Choose {
  const lines = turns.map((turn) => ({ turn, fits: fitOf(turn.when ?? {}) }));
  return (request) => lines.find((line) => line.fits(request))?.turn;
}

function fitOf(when: NonNullable<ScriptedTurn["when"]>): (request: ScriptedRequest) => boolean {
  const { agent, turn, purpose, attempt, round, task, lastTool, isError, lastUser } = when;
  const meant = agent === undefined ? undefined : agentId(agent);
  const lastResult = when.lastResult === undefined ? undefined : patternOf(when.lastResult);
  return (request) =>
    (turn === undefined || turn === request.turn) &&
    (meant === undefined || meant === agentId(request.agent)) &&
    (attempt === undefined || attempt === request.attempt) &&
    (purpose === undefined || purpose === request.purpose) &&
    (round === undefined || round === request.round) &&
    (task === undefined || request.task.includes(task)) &&
    (lastTool === undefined || lastTool === request.lastTool) &&
    (isError === undefined || (request.lastTool !== undefined && isError === request.isError)) &&
    (lastResult === undefined || (request.lastResult !== undefined && lastResult(request.lastResult))) &&
    (lastUser === undefined || request.lastUser?.includes(lastUser) === true);
}

function contentOf(turn: ScriptedTurn, request: ScriptedRequest): LanguageModelV4Content[] {
  const content: LanguageModelV4Content[] = [];
  if (turn.reasoning) content.push({ type: "reasoning", text: fillIn(turn.reasoning, request) });
  if (turn.text) content.push({ type: "text", text: fillIn(turn.text, request) });
  const calls: NonNullable<ScriptedTurn["calls"]> = [...(turn.calls ?? [])];
  if (turn.report !== undefined) calls.push({ tool: "final_report", input: turn.report });
  for (const [index, { tool, input = {}, raw, id }] of calls.entries()) {
    content.push({
      type: "tool-call",
      toolCallId: id ?? `call_${request.turn}_${index + 1}`,
      toolName: tool,
      input: raw ?? JSON.stringify(fillIn(input, request)),
    });
  }
  return content;
}

function finishOf(
  turn: ScriptedTurn,
  content: readonly LanguageModelV4Content[],
): LanguageModelV4FinishReason | undefined {
  if (turn.cut === "silent" || turn.cut === "stream") return undefined;
  if (turn.cut === "refusal") return { unified: "content-filter", raw: "refusal" };
  if (turn.cut === "length") return { unified: "length", raw: "max_tokens" };
  if (content.at(-1)?.type === "tool-call") return { unified: "tool-calls", raw: "tool_use" };
  return { unified: "stop", raw: "end_turn" };
}

function usageOf(
  turn: ScriptedTurn,
  content: readonly LanguageModelV4Content[],
  call: LanguageModelV4CallOptions,
): LanguageModelV4Usage {
  // The usage is estimated from the number of messages. Counting their characters would take longer than the rest of the call.
  const input = turn.usage?.input ?? 50 * call.prompt.length;
  const output = turn.usage?.output ?? Math.ceil(content.reduce((sum, part) => sum + lengthOf(part), 0) / 4);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}

const FIELDS = /\$\{(task|lastResult|lastUser|lastTool|agent|turn|runId)\}/g;

/** Replaces `${lastResult}` and similar placeholders in every string of a value. */
function fillIn<Value>(value: Value, request: ScriptedRequest): Value;

function fillIn(value: unknown, request: ScriptedRequest): unknown {
  if (typeof value === "string") {
    if (!value.includes("${")) return value;
    return value.replace(FIELDS, (_, field: keyof ScriptedRequest) => String(request[field] ?? ""));
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => fillIn(item, request));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, request)]));
}

function lengthOf(part: LanguageModelV4Content): number {
  if (part.type === "tool-call") return part.input.length;
  return part.type === "text" || part.type === "reasoning" ? part.text.length : 0;
}

function partsOf({ content, finish, usage, chunk, breaks }: Answer): LanguageModelV4StreamPart[] {
  const parts: LanguageModelV4StreamPart[] = [{ type: "stream-start", warnings: [] }];
  for (const [index, part] of content.entries()) {
    const broken = breaks !== undefined && index === content.length - 1;
    if (part.type === "text" || part.type === "reasoning") {
      addText(parts, { part, id: String(index), chunk, broken });
    } else if (part.type === "tool-call") {
      parts.push(...(broken ? halfCall(part) : [part]));
    }
  }
  if (finish !== undefined) parts.push({ type: "finish", finishReason: finish, usage });
  return parts;
}

interface TextToStream {
  part: { type: "text" | "reasoning"; text: string };
  id: string;
  chunk: number | undefined;
  broken: boolean;
}

function addText(parts: LanguageModelV4StreamPart[], { part, id, chunk, broken }: TextToStream): void {
  const { type } = part;
  const text = broken ? part.text.slice(0, Math.ceil(part.text.length / 2)) : part.text;
  const step = chunk ?? Math.max(16, Math.ceil(text.length / 4));
  parts.push({ type: `${type}-start`, id });
  for (let at = 0; at < text.length; at += step) {
    parts.push({ type: `${type}-delta`, id, delta: text.slice(at, at + step) });
  }
  if (!broken) parts.push({ type: `${type}-end`, id });
}

function halfCall({ toolCallId: id, toolName, input }: LanguageModelV4ToolCall): LanguageModelV4StreamPart[] {
  return [
    { type: "tool-input-start", id, toolName },
    { type: "tool-input-delta", id, delta: input.slice(0, Math.ceil(input.length / 2)) },
  ];
}

function streamOf(
  parts: LanguageModelV4StreamPart[],
  breaks: APICallError | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  if (breaks === undefined) {
    return new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
  }
  // Each part is enqueued only when the reader requests it, because an error discards all queued parts.
  let next = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const part = parts[next++];
        if (part === undefined) controller.error(breaks);
        else controller.enqueue(part);
      },
    },
    { highWaterMark: 0 },
  );
}

async function pause(delay: number | undefined, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  // An abort ends the delay. The last line of this function then throws the signal's own reason.
  if (delay) await setTimeout(delay, undefined, omitUndefined({ signal })).catch(() => undefined);
  else await setImmediate();
  signal?.throwIfAborted();
}

function noTurnError(name: string, request: ScriptedRequest): APICallError {
  const { agent, round, turn, attempt, purpose, lastTool } = request;
  const where = round === 0 ? `turn ${turn}` : `round ${round}, turn ${turn}`;
  const after = lastTool === undefined ? "" : `, after a result of ${lastTool}`;
  return failure(name, {
    statusCode: 400,
    message: `it has no line for agent "${agent}", ${where} (attempt ${attempt}, purpose ${purpose}${after}): add one to its turns`,
  });
}

function errorOf(name: string, error: NonNullable<ScriptedTurn["error"]>): APICallError {
  if (error === "network") return failure(name, { message: "read ECONNRESET", code: "ECONNRESET" });
  if (error === "timeout") {
    return failure(name, { message: "Headers Timeout Error", code: "UND_ERR_HEADERS_TIMEOUT" });
  }
  const { status = 500, message, retryAfter } = error;
  const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return failure(name, { message, statusCode: status, responseHeaders: headers });
}

function brokenConnection(name: string): APICallError {
  return failure(name, {
    message: "Failed to process successful response: other side closed",
    statusCode: 200,
    code: "UND_ERR_SOCKET",
  });
}

interface FailureDetails {
  message: string;
  statusCode?: number;
  responseHeaders?: Record<string, string>;
  /** Code of the underlying socket error. */
  code?: string;
}

function failure(name: string, { code, message, ...rest }: FailureDetails): APICallError {
  return new APICallError({
    message,
    ...rest,
    url: `scripted://${encodeURIComponent(name)}`,
    requestBodyValues: {},
    ...(code === undefined ? {} : { cause: Object.assign(new Error(message), { code }), isRetryable: true }),
  });
}
