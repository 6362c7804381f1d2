// OpenAI's Responses API: what it rejects, what it stores, how it caches, and how it streams.

import { hashOf, prefixCache } from "./caches.ts";
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

interface Item {
  type?: string;
  role?: string;
  id?: string;
  content?: unknown;
  call_id?: string;
  name?: string;
  output?: unknown;
  encrypted_content?: string | null;
}

interface Request extends Body {
  model: string;
  instructions?: string;
  input: Item[];
  tools?: { name: string; strict?: boolean; parameters?: ObjectSchema }[];
  store?: boolean;
  include?: string[];
  previous_response_id?: string;
  temperature?: number;
}

interface ObjectSchema {
  properties?: object;
  required?: string[];
  additionalProperties?: unknown;
}

const REASONS = /^(gpt-5|o\d)/;

export function responsesProtocol(options: ProtocolOptions): Protocol {
  const count = prefixCache();
  const stored = new Map<string, Item>();
  /** Encrypted reasoning that this server made. */
  const encrypted = new Set<string>();
  const prefix = (body: Body): PrefixPart[] => {
    const { tools = [], instructions = "", input } = body as Request;
    return prefixOf(tools, instructions, input);
  };
  return {
    name: "responses",
    handles: (path) => path.endsWith("/responses"),
    modelOf: (body) => (body as Request).model,
    read(body) {
      const { input, instructions = "", tools = [] } = body as Request;
      const users = input.filter(({ role }) => role === "user");
      const system = input.filter(isSystem).map(({ content }) => textIn(content));
      return {
        system: [instructions, ...system].join(""),
        turn: input.filter((item, at) => isAnswer(item) && !isAnswer(input[at - 1])).length + 1,
        first: textIn(users[0]?.content),
        last: textIn(users.at(-1)?.content),
        results: input.filter(isOutput).map(({ output }) => textIn(output)),
        tools: tools.map(({ name }) => name),
      };
    },
    rejections: (body) => rejections(body as Request, stored, encrypted),
    errorBody: ({ message }) => ({
      error: { message, type: "invalid_request_error", param: "input", code: null },
    }),
    count: (body, model) => count(model, prefix(body)),
    stream: (answer, context) => stream(answer, context, options, stored, encrypted),
    prefix,
  };
}

const isSystem = ({ role }: Item): boolean => role === "system" || role === "developer";

const isOutput = ({ type }: Item): boolean => type === "function_call_output";

const isAnswer = (item: Item | undefined): boolean =>
  item?.role === "assistant" || ["function_call", "reasoning", "item_reference"].includes(item?.type ?? "");

function rejections(
  { model, input, tools = [], store = true, temperature, previous_response_id }: Request,
  stored: ReadonlyMap<string, Item>,
  encrypted: ReadonlySet<string>,
): Rejection[] {
  const found: Rejection[] = [];
  const reject = (message: string, status = 400) => void found.push({ status, message });
  if (previous_response_id !== undefined && !stored.has(previous_response_id))
    reject(`Previous response with id '${previous_response_id}' not found.`);
  if (temperature !== undefined && REASONS.test(model))
    reject("Unsupported parameter: 'temperature' is not supported with this model.");
  const calls = new Set<string>();
  const ids = new Set<string>();
  input.forEach((item, at) => {
    const { type, id, call_id = "", encrypted_content } = item;
    if (id !== undefined && ids.has(id))
      reject(`Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`);
    if (id !== undefined) ids.add(id);
    if (type === "item_reference" && !stored.has(id ?? ""))
      reject(
        `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
        404,
      );
    const referenced = type === "item_reference" ? stored.get(id ?? "") : undefined;
    if (type === "reasoning" || referenced?.type === "reasoning") {
      if (type === "reasoning" && !store && !encrypted_content)
        reject(
          `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`,
          404,
        );
      if (encrypted_content && !encrypted.has(encrypted_content))
        reject(`The encrypted content for item ${id} could not be verified.`);
      if (!isAnswer(input[at + 1]))
        reject(`Item '${id}' of type 'reasoning' was provided without its required following item.`);
    }
    if (type === "function_call") calls.add(call_id);
    if (referenced?.type === "function_call") calls.add(referenced.call_id!);
    if (call_id.length > 64) reject(`Invalid 'input[${at}].call_id': string too long.`);
    if (isOutput(item) && !calls.has(call_id))
      reject(`No tool call found for function call output with call_id ${call_id}.`);
  });
  const answered = new Set(input.filter(isOutput).map(({ call_id }) => call_id));
  for (const call of calls)
    if (!answered.has(call)) reject(`No tool output found for function call ${call}.`);
  for (const { name, strict, parameters } of tools)
    if (strict && !isStrict(parameters ?? {}))
      reject(
        `Invalid schema for function '${name}': In context=(), 'required' is required to be supplied and to be an array including every key in properties.`,
      );
  return found;
}

const isStrict = ({ properties = {}, required = [], additionalProperties }: ObjectSchema): boolean =>
  additionalProperties === false && Object.keys(properties).every((name) => required.includes(name));

function* stream(
  { parts = [], stop, failed }: Answer,
  { body, model, usage }: StreamContext,
  { newId, isZeroRetention }: ProtocolOptions,
  stored: Map<string, Item>,
  encrypted: Set<string>,
): Iterable<Frame> {
  const { store = true, include = [] } = body as Request;
  const isStored = store && !isZeroRetention;
  let sequence_number = 0;
  const frame = (type: string, data: object): Frame => ({
    event: type,
    data: { type, sequence_number: sequence_number++, ...data },
  });
  const response = {
    ...{ id: newId("resp_"), object: "response", created_at: 1_790_000_000, model, store: isStored },
    ...{ status: "in_progress", output: [], usage: null, error: null, incomplete_details: null },
  };
  yield frame("response.created", { response });
  yield frame("response.in_progress", { response });
  const output: Item[] = [];
  for (const part of parts) {
    const wait = waitOf(part, KEEPALIVE);
    if (wait) {
      yield* wait;
      continue;
    }
    const output_index = output.length;
    let item: Item & { id: string };
    if ("thinking" in part) {
      const id = newId("rs_");
      const secret = `gAAAA${hashOf(id + part.thinking)}`;
      const isEncrypted = include.includes("reasoning.encrypted_content");
      if (isEncrypted) encrypted.add(secret);
      const own = isEncrypted ? { encrypted_content: secret } : {};
      const at = { item_id: id, output_index, summary_index: 0 };
      yield frame("response.output_item.added", {
        output_index,
        item: { id, type: "reasoning", summary: [], ...own },
      });
      if (part.thinking !== "") {
        yield frame("response.reasoning_summary_part.added", {
          ...at,
          part: { type: "summary_text", text: "" },
        });
        for (const delta of pieces(part.thinking))
          yield frame("response.reasoning_summary_text.delta", { ...at, delta });
        yield frame("response.reasoning_summary_part.done", {
          ...at,
          part: { type: "summary_text", text: part.thinking },
        });
      }
      const summary = part.thinking === "" ? [] : [{ type: "summary_text", text: part.thinking }];
      item = { id, type: "reasoning", ...{ summary }, ...own };
    } else if ("call" in part) {
      const id = newId("fc_");
      const json = argumentsOf(part);
      const call = { id, type: "function_call", call_id: part.id ?? newId("call_"), name: part.call };
      yield frame("response.output_item.added", {
        output_index,
        item: { ...call, status: "in_progress", arguments: "" },
      });
      for (const delta of pieces(json))
        yield frame("response.function_call_arguments.delta", { item_id: id, output_index, delta });
      yield frame("response.function_call_arguments.done", { item_id: id, output_index, arguments: json });
      item = { ...call, ...{ status: "completed", arguments: json } };
    } else {
      const id = newId("msg_");
      const at = { item_id: id, output_index, content_index: 0 };
      const isRefusal = "refusal" in part;
      const text = isRefusal ? part.refusal : "text" in part ? part.text : "";
      const content = isRefusal
        ? { type: "refusal", refusal: text }
        : { type: "output_text", annotations: [], text };
      const message = { id, type: "message", role: "assistant" };
      const kind = isRefusal ? "refusal" : "output_text";
      yield frame("response.output_item.added", {
        output_index,
        item: { ...message, status: "in_progress", content: [] },
      });
      for (const delta of pieces(text)) yield frame(`response.${kind}.delta`, { ...at, delta });
      yield frame(`response.${kind}.done`, { ...at, [isRefusal ? "refusal" : "text"]: text });
      yield frame("response.content_part.done", { ...at, part: content });
      item = { ...message, ...{ status: "completed" }, content: [content] };
    }
    yield frame("response.output_item.done", { output_index, item });
    output.push(item);
    if (isStored) stored.set(item.id, item);
  }
  const total = usage.input + usage.cacheRead;
  const counted = {
    ...{ input_tokens: total, input_tokens_details: { cached_tokens: usage.cacheRead } },
    ...{ output_tokens: usage.output, output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 } },
    total_tokens: total + usage.output,
  };
  const end = { ...response, output, usage: counted };
  if (failed) yield frame("response.failed", { response: { ...end, status: "failed", error: failed } });
  else if (stop === undefined)
    yield frame("response.completed", { response: { ...end, status: "completed" } });
  else {
    const incomplete = { status: "incomplete", incomplete_details: { reason: stop } };
    yield frame("response.incomplete", { response: { ...end, ...incomplete } });
  }
}
