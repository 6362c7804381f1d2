// Reads one model answer to its end, according to the provider's contract, and corrects its calls that are nearly right.
//  - A partial answer is never used (F41).
//  - A call is corrected if it has a tool's name in another letter case, `file_path` instead of `path`, or "2" instead of 2.
//    A call that matches its tool's schema is never changed, and a correction is used only if the corrected call matches the schema.

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { isTooDeep, type ThoughtPart, type ToolCallPart, textOf, type Usage } from "../../journal/message.ts";
import type { Model, RefusalError } from "../../models/model.ts";
import type { AnyTool } from "../../tools/tool.ts";

export interface ModelAnswer {
  content: ThoughtPart[];
  finish: string;
  /** The provider wants to continue the answer in another request. */
  isPaused: boolean;
  /** The output limit cut the text, and the next request can continue it. */
  isCut?: true;
}

/** The known part of an answer's cost. */
interface Spent {
  /** The usage that the provider reported, if it reported one. */
  usage?: Usage;
  /** Number of characters that arrived. Absent if the provider did not begin to answer. */
  characters?: number;
}

export type StreamOutcome = Spent &
  (
    | { type: "answer"; answer: ModelAnswer }
    /** The answer was cut at the model's output limit or at the end of its context. It is paid for, but not usable. */
    | { type: "cut-off"; isContextFull?: boolean }
    | { type: "failed"; error: unknown; isEmpty?: boolean }
  );

export interface StreamOptions {
  call: LanguageModelV4CallOptions;
  onText(text: string): void;
  onReasoning(text: string): void;
  /** Called whenever anything arrives: text, tool input, or the heartbeats of a model that thinks. */
  onActivity(): void;
  /** Milliseconds of silence after which the call is aborted. */
  idleMs: number;
  /** True if a text that the output limit has cut is accepted as an answer, because the next call continues it. */
  continuesText?: boolean;
  /** Builds the errors that `classifyFailure` recognises: a long silence, a truncated answer, and a refusal. */
  silenceError(ms: number): Error;
  cutStreamError(detail?: string): Error;
  refusalError: RefusalError;
}

/** Never throws: a failure is returned as an outcome. */
export async function readStream(model: Model, options: StreamOptions): Promise<StreamOutcome> {
  const stop = new AbortController();
  const outer = options.call.abortSignal;
  const onOuter = (): void => stop.abort(outer?.reason);
  const timer = setTimeout(() => stop.abort(options.silenceError(options.idleMs)), options.idleMs);
  let isOver = false;
  const noteActivity = (): void => {
    if (isOver) return;
    timer.refresh();
    options.onActivity();
  };
  if (outer?.aborted) onOuter();
  outer?.addEventListener("abort", onOuter, { once: true });
  try {
    stop.signal.throwIfAborted();
    const { stream } = await orAbort(
      model.doStream({ ...withListener(options.call, noteActivity), abortSignal: stop.signal }),
      stop.signal,
    );
    return await collect(stream, noteActivity, stop.signal, options);
  } catch (error) {
    return { type: "failed", error: stop.signal.aborted ? stop.signal.reason : error };
  } finally {
    isOver = true;
    clearTimeout(timer);
    outer?.removeEventListener("abort", onOuter);
  }
}

function withListener(call: LanguageModelV4CallOptions, onBytes: () => void): LanguageModelV4CallOptions {
  const context = { ...call.providerOptions?.["cadre"], onBytes };
  return { ...call, providerOptions: { ...call.providerOptions, cadre: context as never } };
}

/** Rejects on an abort, so that provider code which ignores the signal cannot block a run for ever. */
function orAbort<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    work.then(resolve, reject);
  });
}

async function collect(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  noteActivity: () => void,
  signal: AbortSignal,
  options: StreamOptions,
): Promise<StreamOutcome> {
  const reader = stream.getReader();
  const leave = (): void => void reader.cancel(signal.reason).catch(() => {});
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  const collected = new Collector(options);
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      noteActivity();
      collected.add(next.value);
      if (collected.arrived > LONGEST_ANSWER) throw options.cutStreamError();
    }
  } catch (error) {
    leave();
    return { type: "failed", error: signal.aborted ? signal.reason : error, ...collected.spent() };
  }
  if (signal.aborted) return { type: "failed", error: signal.reason, ...collected.spent() };
  return collected.outcome();
}

/**
 * Maximum length of an answer in characters, so that a provider that never ends its answer cannot fill the memory.
 * Everything counts when it arrives: the input of a call that is still streamed, parts that Cadre does not use, and empty parts.
 */
const LONGEST_ANSWER = 16_000_000;

/** Characters that each part of a stream counts in addition to its texts, because parts without a text take memory, too. */
const PART_CHARACTERS = 64;

function sizeOf(part: LanguageModelV4StreamPart): number {
  if (part.type === "error" || part.type === "raw") return PART_CHARACTERS;
  return Object.values(part).reduce((size: number, value: unknown) => {
    if (typeof value === "string" || value instanceof Uint8Array) return size + value.length;
    return size + (typeof value === "object" ? (JSON.stringify(value)?.length ?? 0) : 0);
  }, PART_CHARACTERS);
}

/** Anthropic's finish reason for an answer that was cut at the end of the context. Gateways pass the reason on. */
const CONTEXT_FULL = "model_context_window_exceeded";
/** Anthropic's finish reason for a long answer that is continued in another request. */
const PAUSED = "pause_turn";

type Delta = Extract<LanguageModelV4StreamPart, { type: "text-delta" | "reasoning-delta" }>;

/** Types of stream parts that contain no piece of an answer. */
const NO_CONTENT: ReadonlySet<LanguageModelV4StreamPart["type"]> = new Set([
  "stream-start",
  "response-metadata",
  "raw",
  "error",
  "finish",
]);

class Collector {
  /** Number of characters of the answer that Cadre has collected. */
  characters = 0;
  /** Size of everything that has arrived. */
  arrived = 0;
  private readonly options: StreamOptions;
  private readonly content: ThoughtPart[] = [];
  private readonly open = new Map<
    string,
    { type: "text" | "reasoning"; text: string; providerOptions?: unknown }
  >();
  private finish: Extract<LanguageModelV4StreamPart, { type: "finish" }> | undefined;
  private error: unknown;
  private hasBegun = false;

  constructor(options: StreamOptions) {
    this.options = options;
  }

  add(part: LanguageModelV4StreamPart): void {
    if (!NO_CONTENT.has(part.type)) this.hasBegun = true;
    this.arrived += sizeOf(part);
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.begin(part.id, part.type === "text-start" ? "text" : "reasoning", part.providerMetadata);
        break;
      case "text-delta":
      case "reasoning-delta":
        this.grow(part, part.type === "text-delta" ? "text" : "reasoning");
        break;
      case "text-end":
      case "reasoning-end":
        this.close(part.id, part.providerMetadata);
        break;
      case "tool-call":
        this.characters += part.input.length;
        if (!part.providerExecuted) this.content.push(toolCall(part));
        break;
      case "finish":
        this.finish = part;
        break;
      case "error":
        this.error ??= part.error ?? this.options.cutStreamError();
        break;
      default:
    }
  }

  spent(): Spent {
    const { finish, characters } = this;
    const usage = finish && usageOf(finish.usage);
    // An error instead of an answer costs nothing, whether it is the response or an event in its stream.
    if (this.error !== undefined && !this.hasBegun && !isPositive(usage)) return {};
    return { characters, ...(usage && { usage }) };
  }

  outcome(): StreamOutcome {
    if (this.error !== undefined) return this.failed(this.error);
    if (!this.finish) return this.failed(this.options.cutStreamError());
    const { unified, raw } = this.finish.finishReason;
    if (raw === CONTEXT_FULL) return { type: "cut-off", ...this.spent(), isContextFull: true };
    if (unified === "length") return this.cutOff();
    if (unified === "content-filter") return this.failed(this.options.refusalError(this.finish, this.text()));
    if (unified === "error" || unified === "interrupted")
      return this.failed(this.options.cutStreamError(raw && `the provider ended it with ${raw}`));
    const answer = { content: this.content, finish: raw ?? unified, isPaused: raw === PAUSED };
    return { type: "answer", answer, ...this.spent() };
  }

  /** The outcome of an answer that the output limit has cut. Only a text can be continued; cut reasoning and cut calls are of no use. */
  private cutOff(): StreamOutcome {
    const isText = this.content.every(({ type }) => type === "text" || type === "reasoning");
    const text = this.text();
    if (!this.options.continuesText || !isText || text.trim() === "")
      return { type: "cut-off", ...this.spent() };
    const answer = { content: [{ type: "text" as const, text }], finish: "length", isPaused: false };
    return { type: "answer", answer: { ...answer, isCut: true }, ...this.spent() };
  }

  private failed(error: unknown): StreamOutcome {
    return { type: "failed", error, ...this.spent() };
  }

  private text(): string {
    return textOf(this.content);
  }

  private begin(id: string, type: "text" | "reasoning", metadata: unknown): void {
    const part = { type, text: "", ...(metadata === undefined ? {} : { providerOptions: metadata }) };
    this.open.set(id, part);
    this.content.push(part as ThoughtPart);
  }

  private grow({ id, delta, providerMetadata: metadata }: Delta, type: "text" | "reasoning"): void {
    if (!this.open.has(id)) this.begin(id, type, metadata);
    const part = this.open.get(id)!;
    part.text += delta;
    this.characters += delta.length;
    if (metadata !== undefined) part.providerOptions = metadata;
    if (type === "text") this.options.onText(delta);
    else this.options.onReasoning(delta);
  }

  private close(id: string, metadata: unknown): void {
    const part = this.open.get(id);
    if (part && metadata !== undefined) part.providerOptions = metadata;
    this.open.delete(id);
  }
}

function toolCall(part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): ToolCallPart {
  const { toolCallId, toolName, providerMetadata } = part;
  const base = { type: "tool-call" as const, toolCallId, toolName };
  const metadata = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  const invalid = { ...base, input: null, invalid: part.input, ...metadata };
  try {
    const input: unknown = part.input.trim() === "" ? {} : JSON.parse(part.input);
    return isTooDeep(input) ? invalid : { ...base, input, ...metadata };
  } catch {
    return invalid;
  }
}

const isPositive = (usage: Usage | undefined): boolean =>
  usage !== undefined && usage.input + usage.output > 0;

/** Reads the usage from a stream part. Undefined if the provider reported no usage. */
function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined;
  const usage: Usage = { input: inputTokens.total ?? 0, output: outputTokens.total ?? 0 };
  if (inputTokens.cacheRead) usage.cacheRead = inputTokens.cacheRead;
  if (inputTokens.cacheWrite) usage.cacheWrite = inputTokens.cacheWrite;
  if (outputTokens.reasoning) usage.reasoning = outputTokens.reasoning;
  return usage;
}

/** Other names that models use for a property, written without case and separators. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  path: [
    "filepath",
    "filename",
    "file",
    "absolutepath",
    "targetfile",
    "notebookpath",
    "directory",
    "dir",
    "folder",
  ],
  command: ["cmd", "script", "shellcommand"],
  content: ["contents", "text", "filetext", "body"],
  old_string: ["oldstr", "oldtext", "search", "find"],
  new_string: ["newstr", "newtext", "replace", "replacement"],
  pattern: ["query", "regex", "regexp", "search"],
  glob: ["include", "filepattern", "globpattern"],
  offset: ["startline", "line"],
  limit: ["numlines", "maxlines"],
  context: ["c", "a", "b", "contextlines"],
  ignore_case: ["i", "caseinsensitive"],
  max: ["headlimit", "maxresults", "limit"],
  id: ["bashid", "shellid", "taskid"],
  background: ["runinbackground", "isbackground"],
  skill: ["name", "skillname", "command"],
  args: ["arguments", "input", "prompt", "task"],
};

/** Properties in which models explain a call to themselves, or ask for something that the tool does anyway. Tools do not use them. */
const UNUSED = new Set(["description", "explanation", "reason", "thought", "n", "multiline"]);

export interface NearlyRightCall {
  toolName: string;
  input: unknown;
}

/** The corrected call. Undefined if nothing has to be corrected, or if corrections do not help. */
export function forgiveInput(
  { toolName, input }: NearlyRightCall,
  tools: ReadonlyMap<string, AnyTool>,
  schemaOf: (tool: AnyTool) => unknown,
): NearlyRightCall | undefined {
  const tool = tools.get(toolName) ?? findByOtherCase(toolName, tools);
  if (!tool) return undefined;
  const name = tools.has(toolName) ? toolName : tool.name;
  if (tool.input.safeParse(input).success) return name === toolName ? undefined : { toolName: name, input };
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const { properties = {} } = schemaOf(tool) as { properties?: Record<string, PropertySchema> };
  const corrected = correct(input as Record<string, unknown>, properties);
  return tool.input.safeParse(corrected).success ? { toolName: name, input: corrected } : undefined;
}

const findByOtherCase = (name: string, tools: ReadonlyMap<string, AnyTool>): AnyTool | undefined =>
  [...tools].find(([known]) => fold(known) === fold(name))?.[1];

interface PropertySchema {
  type?: string;
}

function correct(
  input: Record<string, unknown>,
  properties: Record<string, PropertySchema>,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    if (value === null) continue;
    const meant = Object.hasOwn(properties, key) ? key : meantProperty(key, properties, input);
    if (meant !== undefined) result[meant] = convert(value, properties[meant]!.type);
    else if (!UNUSED.has(fold(key)) && !isUsual(key, value)) result[key] = value;
  }
  return result;
}

/** Whether a property asks for the form that the answer has anyway. */
const isUsual = (key: string, value: unknown): boolean => fold(key) === "outputmode" && value === "content";

/** The property that the model meant by a key. Undefined if the input already has that property. */
function meantProperty(
  key: string,
  properties: Record<string, PropertySchema>,
  input: Record<string, unknown>,
): string | undefined {
  const free = Object.keys(properties).filter((property) => !Object.hasOwn(input, property));
  return (
    free.find((property) => fold(property) === fold(key)) ??
    free.find((property) => OTHER_NAMES[property]?.includes(fold(key)))
  );
}

const fold = (name: string): string => name.toLowerCase().replaceAll(/[-_ ]/g, "");

/** Converts a text such as "2" to the expected type, if possible. */
function convert(value: unknown, type: string | undefined): unknown {
  if (typeof value !== "string" || type === undefined || type === "string") return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeName(parsed) === (type === "integer" ? "number" : type) ? parsed : value;
  } catch {
    return value;
  }
}

const typeName = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value);
