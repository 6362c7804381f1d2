// Types that all simulated provider APIs share: the request as a scenario sees it, the scenario's answer, and the rules of an API.

import type { CallContext } from "../../../src/models/model.ts";

export type ProtocolName = "anthropic" | "responses" | "chat" | "google";

/** A request in the form that scenarios see. It is the same for all APIs. */
export interface Conversation {
  system: string;
  /** Number of the turn that is requested, from 1. */
  turn: number;
  /** Text of the first and of the last user message. */
  first: string;
  last: string;
  /** The tool results, as text. */
  results: string[];
  /** Names of the offered tools. */
  tools: string[];
}

export interface Ask extends Conversation {
  provider: ProtocolName;
  model: string;
  body: Body;
  headers: Record<string, string>;
  /** The agent and the run that made the request, and the whole call. Empty if the test does not use `wireScenario`. */
  agent: string;
  run: string;
  call: CallContext | undefined;
  /** Number of this request at the server, from 1. */
  n: number;
}

/** A piece of the model's answer, or of the time that passes while it answers. */
export type AnswerPart =
  | { text: string; signature?: string }
  | { thinking: string; signature?: string }
  | { redacted: string }
  | { refusal: string }
  /** `raw` replaces the JSON text of the input, for example with text that is cut off. */
  | { call: string; input?: object; raw?: string; id?: string }
  | { waitMs: number }
  | { pings: number; everyMs: number };

export interface Answer {
  parts?: AnswerPart[];
  /** The stop reason, in the words of the API. */
  stop?: string;
  /** Details of the stop reason. Only Anthropic sends such details. */
  stopDetails?: object;
  /** Token counts to report instead of those that the simulator computes. */
  usage?: Partial<WireUsage>;
  /** The request fails with this response. */
  error?: { status: number; body?: unknown; headers?: Record<string, string> };
  /** The server never answers, or closes the connection without an answer. */
  connection?: "silent" | "closed";
  /** The response ends with this failure. Only OpenAI's Responses API has such failures. */
  failed?: { code: string; message: string };
  /** The stream ends after this number of events, with a clean end of the response or with a broken connection. */
  cut?: { after: number; clean?: boolean };
  /** The connection stays open after the last event. If this is `unmarked`, the final mark `[DONE]` is not sent either. */
  staysOpen?: "finished" | "unmarked";
  /** After this number of events, an error event is sent, and the stream ends. */
  midError?: { after: number; data: unknown };
  firstByteAfterMs?: number;
}

export type Respond = (ask: Ask) => Answer | Promise<Answer>;

/** Token counts of one request. The prompt has `input + cacheRead + cacheWrite` tokens. */
export interface WireUsage {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  reasoning?: number;
}

/** One event of the answer stream, sent after `waitMs`. If it has no data, it is only a wait. */
export interface Frame {
  event?: string;
  data?: unknown;
  /** A comment of the stream, which keeps the connection open. */
  comment?: string;
  waitMs?: number;
}

/** OpenAI and servers like it send a comment while the model thinks. */
export const KEEPALIVE: Frame = { comment: "keepalive" };

/** The reason why the real API would reject a request. */
export interface Rejection {
  status: number;
  message: string;
}

/** The JSON of a request. Each protocol reads its own fields. */
export type Body = Record<string, unknown>;

/** A part of a request that the provider caches. */
export interface PrefixPart {
  where: string;
  text: string;
}

export interface StreamContext {
  body: Body;
  model: string;
  usage: WireUsage;
}

export interface Protocol {
  name: ProtocolName;
  handles(path: string): boolean;
  modelOf(body: Body, path: string): string;
  read(body: Body): Conversation;
  /** Everything that the real API would reject in this request. */
  rejections(body: Body, model: string): Rejection[];
  errorBody(rejection: Rejection): unknown;
  /** Counts the tokens of a request and updates the cache. */
  count(body: Body, model: string): Omit<WireUsage, "output">;
  stream(answer: Answer, context: StreamContext): Iterable<Frame>;
  /** The request in the order in which the provider caches it: tools, system prompt, messages. */
  prefix(body: Body): PrefixPart[];
}

export interface ProtocolOptions {
  newId(prefix: string): string;
  /** Zero data retention: OpenAI stores nothing, whatever the request says. */
  isZeroRetention: boolean;
  /** Whether Anthropic's newest models reject a thinking block if anything before the block has changed. */
  bindsThinking: boolean;
}

/** Text of a message content, which is a text or a list of parts. */
export function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: string }) => part.text ?? "").join("");
}

/** Splits text into a few pieces, because a real API streams it in pieces. */
export function pieces(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 3));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
}

export const argumentsOf = ({ input, raw }: { input?: object; raw?: string }): string =>
  raw ?? JSON.stringify(input ?? {});

/** The pauses and pings of a part. Undefined if the part has content. */
export function waitOf(part: AnswerPart, ping: Frame): Frame[] | undefined {
  if ("waitMs" in part) return [{ waitMs: part.waitMs }];
  if ("pings" in part) return Array.from({ length: part.pings }, () => ({ ...ping, waitMs: part.everyMs }));
  return undefined;
}

/** The parts of a request, in the order in which the provider caches them. */
export const prefixOf = (
  tools: unknown,
  system: unknown,
  messages: readonly unknown[],
  toText: (value: unknown) => string = (value) => JSON.stringify(value),
): PrefixPart[] => [
  { where: "tools", text: toText(tools) },
  { where: "system", text: toText(system) },
  ...messages.map((message, at) => ({ where: `message ${at}`, text: toText(message) })),
];
