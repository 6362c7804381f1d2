// The Chat Completions API of OpenAI and of many other servers: what it rejects, how it caches, and how it streams.

import { prefixCache } from "./caches.ts";
import {
  type Answer,
  argumentsOf,
  type Body,
  type Frame,
  KEEPALIVE,
  type PrefixPart,
  type Protocol,
  type ProtocolOptions,
  pieces,
  prefixOf,
  type Rejection,
  type StreamContext,
  textIn,
  waitOf,
} from "./protocol.ts";

interface Message {
  role: string;
  content?: unknown;
  tool_calls?: { id: string; function: { name: string; arguments: unknown } }[];
  tool_call_id?: string;
}

interface Request extends Body {
  model: string;
  messages: Message[];
  tools?: { function: { name: string } }[];
  stream_options?: { include_usage?: boolean };
}

export function chatProtocol({ newId }: ProtocolOptions): Protocol {
  const count = prefixCache();
  const prefix = (body: Body): PrefixPart[] => {
    const { tools = [], messages } = body as Request;
    return prefixOf(tools, messages[0], messages.slice(1));
  };
  return {
    name: "chat",
    handles: (path) => path.endsWith("/chat/completions"),
    modelOf: (body) => (body as Request).model,
    read(body) {
      const { messages, tools = [] } = body as Request;
      const textsOf = (...roles: string[]): string[] =>
        messages.filter(({ role }) => roles.includes(role)).map(({ content }) => textIn(content));
      const users = textsOf("user");
      return {
        system: textsOf("system", "developer").join(""),
        turn: textsOf("assistant").length + 1,
        first: users[0] ?? "",
        last: users.at(-1) ?? "",
        results: textsOf("tool"),
        tools: tools.map((tool) => tool.function.name),
      };
    },
    rejections: (body) => rejections(body as Request),
    errorBody: ({ message }) => ({
      error: { message, type: "invalid_request_error", param: "messages", code: null },
    }),
    count: (body, model) => count(model, prefix(body)),
    stream: (answer, context) => stream(answer, context, newId),
    prefix,
  };
}

function rejections({ messages }: Request): Rejection[] {
  const found: string[] = [];
  let open = new Set<string>();
  messages.forEach(({ role, tool_calls = [], tool_call_id = "", content }, at) => {
    if (role === "tool") {
      if (!open.delete(tool_call_id))
        found.push(
          `messages[${at}]: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.`,
        );
      return;
    }
    if (open.size > 0) found.push(unanswered(open));
    open = new Set(tool_calls.map(({ id }) => id));
    if (role === "assistant" && tool_calls.length === 0 && textIn(content) === "")
      found.push(`messages[${at}]: content or tool_calls must be set.`);
    for (const call of tool_calls) {
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(call.function.name))
        found.push(`messages[${at}].tool_calls: invalid function name.`);
      if (!isJsonObject(call.function.arguments))
        found.push(`messages[${at}].tool_calls: arguments must be the text of a JSON object.`);
    }
  });
  if (open.size > 0) found.push(unanswered(open));
  return found.map((message) => ({ status: 400, message }));
}

const unanswered = (open: ReadonlySet<string>): string =>
  `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`;

function isJsonObject(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function* stream(
  { parts = [], stop }: Answer,
  { body, model, usage }: StreamContext,
  newId: ProtocolOptions["newId"],
): Iterable<Frame> {
  const base = { id: newId("chatcmpl-"), object: "chat.completion.chunk", created: 1_790_000_000, model };
  const chunk = (delta: object, finish_reason: string | null = null): Frame => ({
    data: { ...base, choices: [{ index: 0, delta, finish_reason }] },
  });
  yield chunk({ role: "assistant", content: "" });
  let index = 0;
  for (const part of parts) {
    const wait = waitOf(part, KEEPALIVE);
    if (wait) yield* wait;
    else if ("thinking" in part)
      for (const reasoning_content of pieces(part.thinking)) yield chunk({ reasoning_content });
    else if ("text" in part) for (const content of pieces(part.text)) yield chunk({ content });
    else if ("refusal" in part) yield chunk({ refusal: part.refusal });
    else if ("call" in part) {
      const call = { id: part.id ?? newId("call_"), type: "function" };
      yield chunk({ tool_calls: [{ index, ...call, function: { name: part.call, arguments: "" } }] });
      for (const piece of pieces(argumentsOf(part)))
        yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
      index++;
    }
  }
  yield chunk({}, stop ?? (index > 0 ? "tool_calls" : "stop"));
  const total = usage.input + usage.cacheRead;
  const counted = {
    ...{ prompt_tokens: total, prompt_tokens_details: { cached_tokens: usage.cacheRead } },
    ...{ completion_tokens: usage.output, total_tokens: total + usage.output },
  };
  if ((body as Request).stream_options?.include_usage)
    yield { data: { ...base, choices: [], usage: counted } };
  yield { data: "[DONE]" };
}
