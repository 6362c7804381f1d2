// Anthropic's Messages API: what it rejects, how it caches, and how it streams.

import { breakpointCache, type CachedBlock, hashOf } from "./caches.ts";
import {
  type Answer,
  type AnswerPart,
  argumentsOf,
  type Body,
  type Frame,
  type Protocol,
  type ProtocolOptions,
  pieces,
  prefixOf,
  type Rejection,
  type StreamContext,
  textIn,
  type WireUsage,
  waitOf,
} from "./protocol.ts";

interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: unknown;
  thinking?: string;
  signature?: string;
  cache_control?: unknown;
}

interface Message {
  role: "user" | "assistant";
  content: string | Block[];
}

interface Request extends Body {
  model: string;
  max_tokens?: number;
  temperature?: number;
  tools?: { name: string; cache_control?: unknown }[];
  tool_choice?: { type: string };
  thinking?: {
    type?: string;
    budget_tokens?: number;
    block_binding?: { prefix_mismatch_behavior?: string };
  };
  system?: string | Block[];
  messages: Message[];
  cache_control?: unknown;
}

/** Models that reject a thinking block if anything before the block has changed. */
const BINDS_THINKING = /claude-((fable|mythos)-5-[12]|(opus|sonnet|haiku)-5-5)/;

const MOST_BREAKPOINTS = 4;

export function anthropicProtocol(options: ProtocolOptions): Protocol {
  const count = breakpointCache();
  return {
    name: "anthropic",
    handles: (path) => path.endsWith("/v1/messages"),
    modelOf: (body) => (body as Request).model,
    read(body) {
      const { system, messages, tools = [] } = body as Request;
      const users = messages.filter(({ role }) => role === "user");
      const blocks = messages.flatMap(blocksOf);
      return {
        system: textIn(system),
        turn: messages.length - users.length + 1,
        first: textIn(users[0]?.content),
        last: textIn(users.findLast((message) => textIn(message.content) !== "")?.content),
        results: blocks.filter(isResult).map(({ content }) => textIn(content)),
        tools: tools.map(({ name }) => name),
      };
    },
    rejections: (body, model) => rejections(body as Request, model, options),
    errorBody: ({ message }) => ({ type: "error", error: { type: "invalid_request_error", message } }),
    count: (body, model) => count(model, cachedBlocks(body as Request)),
    stream: (answer, context) => stream(answer, context, options),
    prefix(body) {
      const { tools = [], system = [], messages } = body as Request;
      const blocks = messages.flatMap((message, at) =>
        blocksOf(message).map((block) => ({
          where: `message ${at}`,
          text: withoutBreakpoints({ role: message.role, block }),
        })),
      );
      const settings = { where: "settings", text: settingsOf(body as Request) };
      return [...prefixOf(tools, system, [], withoutBreakpoints), settings, ...blocks];
    },
  };
}

const blocksOf = ({ content }: Message): Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

const isResult = ({ type }: Block): boolean => type === "tool_result";

/** The text that is cached. Breakpoints do not belong to it, because they move from request to request. */
const withoutBreakpoints = (value: unknown): string =>
  JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner));

function cachedBlocks(body: Request): CachedBlock[] {
  const { tools = [], system = [], messages, cache_control } = body;
  const before: { cache_control?: unknown }[] = [...tools, ...blocksOf({ role: "user", content: system })];
  const blocks = [...before, ...messages.flatMap(blocksOf)];
  return blocks.map((block, at) => ({
    text: withoutBreakpoints(block),
    ...(at === before.length ? { settings: settingsOf(body) } : {}),
    isBreakpoint:
      block.cache_control !== undefined || (cache_control !== undefined && at === blocks.length - 1),
  }));
}

/** If one of these settings changes, Anthropic reads all messages again without its cache. Tools and system prompt stay cached. */
const settingsOf = ({ tool_choice, thinking }: Request): string => JSON.stringify({ tool_choice, thinking });

function rejections(body: Request, model: string, { bindsThinking }: ProtocolOptions): Rejection[] {
  const { messages, tools = [], thinking, tool_choice, max_tokens, temperature } = body;
  const found: string[] = [];
  if (max_tokens === undefined || max_tokens === null) found.push("max_tokens: Field required");
  if (messages[0]?.role !== "user") found.push('messages: first message must use the "user" role');
  if (messages.at(-1)?.role === "assistant")
    found.push(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  messages.forEach((message, at) => {
    found.push(...(message.role === "assistant" ? assistantProblems : userProblems)(messages, at));
  });
  const marks = cachedBlocks(body).filter(({ isBreakpoint }) => isBreakpoint).length;
  if (marks > MOST_BREAKPOINTS)
    found.push(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
  if (new Set(tools.map(({ name }) => name)).size < tools.length)
    found.push("tools: Tool names must be unique.");
  for (const [at, { name }] of tools.entries())
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      found.push(`tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  if (thinking?.type === "enabled") {
    const { budget_tokens = 0 } = thinking;
    if (budget_tokens < 1_024)
      found.push("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
    if (max_tokens !== undefined && max_tokens <= budget_tokens)
      found.push("`max_tokens` must be greater than `thinking.budget_tokens`.");
    if (!beginsWithThinking(messages))
      found.push(
        "messages: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).",
      );
  }
  if (thinking?.type === "enabled" || thinking?.type === "adaptive") {
    if (tool_choice?.type === "tool" || tool_choice?.type === "any")
      found.push("Thinking may not be enabled when tool_choice forces tool use.");
    if (temperature !== undefined && temperature !== 1)
      found.push("`temperature` may only be set to 1 when thinking is enabled.");
  }
  if (bindsThinking && BINDS_THINKING.test(model)) found.push(...bindingProblems(body));
  return found.map((message) => ({ status: 400, message }));
}

/** Whether the current turn began with a thought. A turn lasts until the next text from the user. */
function beginsWithThinking(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  if (!last || !blocksOf(last).some(isResult)) return true;
  const answer = messages.at(-2);
  const type = answer && blocksOf(answer)[0]?.type;
  return type === "thinking" || type === "redacted_thinking";
}

function assistantProblems(messages: readonly Message[], at: number): string[] {
  const found: string[] = [];
  const blocks = blocksOf(messages[at]!);
  const next = messages[at + 1];
  const answered = new Set(
    (next ? blocksOf(next) : []).filter(isResult).map(({ tool_use_id }) => tool_use_id),
  );
  const ids = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id!);
  const unanswered = ids.filter((id) => !answered.has(id));
  if (unanswered.length > 0)
    found.push(
      `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unanswered.join(", ")}.`,
    );
  if (blocks.length === 0) found.push(`messages.${at}: all messages must have non-empty content`);
  blocks.forEach((block, index) => {
    const where = `messages.${at}.content.${index}`;
    found.push(...textProblems(block, where));
    if (block.type === "tool_use") {
      if (!/^[a-zA-Z0-9_-]+$/.test(block.id!))
        found.push(`${where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
      if (typeof block.input !== "object" || block.input === null || Array.isArray(block.input))
        found.push(`${where}.tool_use.input: Input should be a valid dictionary`);
      const earlier = messages.slice(0, at).flatMap(blocksOf);
      if (earlier.some(({ type, id }) => type === "tool_use" && id === block.id))
        found.push(`${where}: \`tool_use\` ids must be unique`);
    }
    if (block.type === "thinking" && !block.signature)
      found.push(`${where}.thinking.signature: Field required`);
    if (block.type === "thinking" && block.signature && readSignature(block.signature) === undefined)
      found.push(`${where}: Invalid \`signature\` in \`thinking\` block`);
  });
  return found;
}

function userProblems(messages: readonly Message[], at: number): string[] {
  const found: string[] = [];
  const previous = messages[at - 1];
  const calls = new Set(
    (previous ? blocksOf(previous) : []).flatMap(({ type, id }) => (type === "tool_use" ? [id] : [])),
  );
  let hasOther = false;
  blocksOf(messages[at]!).forEach((block, index) => {
    const where = `messages.${at}.content.${index}`;
    found.push(...textProblems(block, where));
    if (!isResult(block)) hasOther = true;
    else if (hasOther) found.push(`${where}: tool_result blocks must come before other content`);
    if (isResult(block) && !calls.has(block.tool_use_id))
      found.push(
        `${where}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}`,
      );
  });
  return found;
}

function textProblems({ type, text = "", cache_control }: Block, where: string): string[] {
  if (type === "text" && text === "") return [`${where}: text content blocks must be non-empty`];
  if (type === "text" && text.trim() === "")
    return [`${where}: text content blocks must contain non-whitespace text`];
  if (type.endsWith("thinking") && cache_control !== undefined)
    return [`${where}.cache_control: Extra inputs are not permitted`];
  return [];
}

/** A signature contains the model, and a hash of everything before the answer. */
interface Signature {
  model: string;
  prefix: string;
}

const prefixHash = ({ tools = [], system = [] }: Request, before: readonly Message[]): string =>
  hashOf(withoutBreakpoints([tools, system, before.map((message) => [message.role, blocksOf(message)])]));

const sign = (signature: Signature): string => Buffer.from(JSON.stringify(signature)).toString("base64");

function readSignature(text: string): Signature | undefined {
  try {
    return JSON.parse(Buffer.from(text, "base64").toString()) as Signature;
  } catch {
    return undefined;
  }
}

function bindingProblems(body: Request): string[] {
  if (body.thinking?.block_binding?.prefix_mismatch_behavior === "drop_block") return [];
  return unboundBlocks(body).map(
    (where) =>
      `${where}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`,
  );
}

/** The thinking blocks of a request that belong to a different prefix. The API drops or rejects such blocks. */
export function unboundBlocks(request: Body): string[] {
  const body = request as Request;
  return body.messages.flatMap((message, at) =>
    blocksOf(message).flatMap(({ type, signature = "" }, index) => {
      const signed = type === "thinking" ? readSignature(signature) : undefined;
      const isBound = signed?.prefix === prefixHash(body, body.messages.slice(0, at));
      return signed?.model === body.model && !isBound ? [`messages.${at}.content.${index}`] : [];
    }),
  );
}

function* stream(
  { parts = [], stop, stopDetails }: Answer,
  { body, model, usage }: StreamContext,
  { newId }: ProtocolOptions,
): Iterable<Frame> {
  const request = body as Request;
  const message = { id: newId("msg_01"), type: "message", role: "assistant", model, content: [] };
  const open = { stop_reason: null, stop_sequence: null, usage: { ...counts(usage), output_tokens: 1 } };
  yield frame("message_start", { message: { ...message, ...open } });
  yield PING;
  const signature = sign({ model, prefix: prefixHash(request, request.messages) });
  let index = 0;
  for (const part of parts) {
    const wait = waitOf(part, PING);
    if (wait) {
      yield* wait;
      continue;
    }
    const { start, deltas } = blockOf(part, signature, newId);
    yield frame("content_block_start", { index, content_block: start });
    for (const delta of deltas) yield frame("content_block_delta", { index, delta });
    yield frame("content_block_stop", { index });
    index++;
  }
  const reason = stop ?? (parts.some((part) => "call" in part) ? "tool_use" : "end_turn");
  const delta = {
    stop_reason: reason,
    stop_sequence: null,
    ...(stopDetails && { stop_details: stopDetails }),
  };
  yield frame("message_delta", { delta, usage: { ...counts(usage), output_tokens: usage.output } });
  yield frame("message_stop", {});
}

const frame = (event: string, data: object): Frame => ({ event, data: { type: event, ...data } });

const PING = frame("ping", {});

const counts = ({ input, cacheRead, cacheWrite }: WireUsage) => ({
  input_tokens: input,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: cacheWrite,
});

function blockOf(
  part: AnswerPart,
  signature: string,
  newId: ProtocolOptions["newId"],
): { start: object; deltas: object[] } {
  if ("thinking" in part) {
    const thoughts = pieces(part.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
    return {
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [...thoughts, { type: "signature_delta", signature: part.signature ?? signature }],
    };
  }
  if ("redacted" in part) return { start: { type: "redacted_thinking", data: part.redacted }, deltas: [] };
  if ("call" in part) {
    const json = pieces(argumentsOf(part)).map((partial_json) => ({
      type: "input_json_delta",
      partial_json,
    }));
    return {
      start: { type: "tool_use", id: part.id ?? newId("toolu_01"), name: part.call, input: {} },
      deltas: json,
    };
  }
  const text = "text" in part ? part.text : "refusal" in part ? part.refusal : "";
  return {
    start: { type: "text", text: "" },
    deltas: pieces(text).map((piece) => ({ type: "text_delta", text: piece })),
  };
}
