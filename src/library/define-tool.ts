// Tools that a program defines, and tools of the AI SDK. Both become tools of the runtime.

import { z } from "zod";
import { CadreError, messageOf } from "../errors.ts";
import type { Effect } from "../journal/definition.ts";
import type { Reach } from "../journal/tool-facts.ts";
import { omitUndefined } from "../omit-undefined.ts";
import type { AnyTool, ToolContext as RuntimeContext } from "../tools/tool.ts";
import {
  type JsonSchema,
  type ReadSchema,
  readSchema,
  type StandardSchema,
  type WrappedJsonSchema,
} from "./schema.ts";

export interface ToolOptions<Input, Output> {
  /** Without a name, the agent names the tool: `tools: { weather }`. */
  name?: string;
  /** Tells the model what the tool does and when to use it. */
  description: string;
  input: StandardSchema<Input> | WrappedJsonSchema | JsonSchema;
  /**
   * How often a call can safely be performed, which decides what happens after a crash in the middle of a call.
   * `read` changes nothing. `idempotent` can be repeated with the same `key`. `unsafe` (the default) is never repeated
   * without a person, and asks for approval.
   */
  effect?: Effect;
  /** False: the tool needs no approval unless a rule asks for it. By default, tools that are not `read` ask. */
  approve?: boolean;
  /** The kinds of things that a call can change or contact. By default `network` for a `read` tool, and everything for others. */
  reaches?: readonly Reach[];
  /** Time limit in milliseconds. */
  timeout?: number;
  /** The text that a person sees before approving a call. By default, it is the input. */
  preview?(input: Input): string | Promise<string>;
  /** Returns what the model reads: text, or any JSON value. If it throws, the model reads the error's message. */
  execute(input: Input, context: ToolContext): Output | Promise<Output>;
}

export interface ToolContext {
  /** The same for every attempt of a call, and different for every call. Use it as an idempotency key. */
  key: string;
  /** Aborted when the run is cancelled, at the time limit, and when Cadre closes. */
  signal: AbortSignal;
  runId: string;
  callId: string;
  /** Number of this attempt, from 1. */
  attempt: number;
  /** Absolute path of the folder that the run works in. */
  workspace: string;
  /** Shows output to people while the call runs. It is not recorded. */
  progress(text: string): void;
}

/** A tool that `defineTool` returned. */
export interface Tool<Input = never, Output = unknown> {
  readonly name?: string;
  readonly description: string;
  readonly effect: Effect;
  execute(input: Input, context: ToolContext): Output | Promise<Output>;
}

/** A tool as `tool()` of the AI SDK returns it. Cadre treats it as `unsafe`, so its calls need approval unless a rule allows them. */
export interface AiTool {
  /** Only a text is used. */
  readonly description?: unknown;
  readonly inputSchema: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the AI SDK's tools have inputs and options of their own types
  readonly execute?: ((input: any, options: any) => unknown) | undefined;
}

/**
 * A tool for the runtime, and whether its calls are allowed without a rule.
 * @internal
 */
export interface RuntimeTool {
  tool: AnyTool;
  allowed: boolean;
}

/** How to make the runtime's tool of a defined tool. Returns the same object for the same name. */
const runtimeTools = new WeakMap<object, (name: string | undefined) => RuntimeTool>();

export function defineTool<Input, Output>(options: ToolOptions<Input, Output>): Tool<Input, Output> {
  const { name, description, effect = "unsafe", approve, timeout, preview } = options;
  if (name !== undefined) requireName(name);
  const subject = name === undefined ? "a tool" : `the tool ${name}`;
  if (typeof options.execute !== "function")
    throw new CadreError("CONFIG_INVALID", `There is no \`execute\` in ${subject}. Nothing was started.`);
  const schema = readSchema(options.input, `The input of ${subject}`);
  const tool = {
    ...omitUndefined({ description, effect, timeout }),
    ...(effect === "read" ? {} : { asks: true }),
    // A tool without `reaches` is assumed to reach everything.
    ...omitUndefined({ reaches: options.reaches ?? (effect === "read" ? ["network"] : undefined) }),
    input: zodOf(schema) as z.ZodType<Input>,
    schema: schema.json,
    async execute(input: Input, context: RuntimeContext) {
      return { output: jsonValue(await options.execute(input, contextFor(context))) };
    },
    ...(preview && { preview: async (input: Input) => ({ text: await previewText(preview, input) }) }),
  };
  const { execute } = options;
  const defined: Tool<Input, Output> = { ...omitUndefined({ name }), description, effect, execute };
  const made = new Map<string, RuntimeTool>();
  runtimeTools.set(defined, (key) => {
    const toolName = name ?? key;
    if (toolName === undefined) throw new CadreError("CONFIG_INVALID", NAMELESS);
    requireName(toolName);
    const known = made.get(toolName);
    if (known) return known;
    const named = { tool: { ...tool, name: toolName } as AnyTool, allowed: approve === false };
    made.set(toolName, named);
    return named;
  });
  return defined;
}

const NAMELESS =
  "A tool has no name: give it a `name`, or let the agent name it, as in `tools: { weather }`. Nothing was started.";

/** A preview that throws must not stop the run: the person sees the input instead. */
async function previewText<Input>(
  preview: (input: Input) => string | Promise<string>,
  input: Input,
): Promise<string> {
  try {
    return String(await preview(input));
  } catch (error) {
    return `${JSON.stringify(input, null, 2)}\n\nThe tool's own preview failed: ${messageOf(error)}`;
  }
}

/**
 * Turns a tool of a program into a tool of the runtime. `name` is its key, for tools that are listed by name.
 * @internal
 */
export function runtimeToolOf(given: unknown, name?: string): RuntimeTool {
  const known = runtimeTools.get(given as object);
  if (known) return known(name);
  if (name !== undefined && typeof given === "object" && given !== null && "inputSchema" in given)
    return { tool: fromAiTool(name, given as AiTool), allowed: false };
  throw new CadreError(
    "CONFIG_INVALID",
    `${name === undefined ? "A tool" : `The tool ${name}`} was made neither by defineTool nor by tool() of the AI SDK. Nothing was started.`,
  );
}

function fromAiTool(name: string, given: AiTool): AnyTool {
  requireName(name);
  const { execute } = given;
  const description = typeof given.description === "string" ? given.description : "";
  if (execute === undefined)
    throw new CadreError(
      "CONFIG_INVALID",
      `The tool ${name} has no \`execute\`, so Cadre cannot run it. Nothing was started.`,
    );
  const schema = readSchema(given.inputSchema, `The input of the tool ${name}`);
  const tool = {
    ...{ name, description, effect: "unsafe" as const },
    input: zodOf(schema),
    schema: schema.json,
    async execute(input: unknown, { callId, signal }: RuntimeContext) {
      const answer = execute(input, { toolCallId: callId, messages: [], abortSignal: signal });
      return { output: jsonValue(await lastOf(answer)) };
    },
  };
  return tool as unknown as AnyTool;
}

/** The last value of a tool that yields preliminary results, or the only value of another tool. */
async function lastOf(answer: unknown): Promise<unknown> {
  if (typeof answer !== "object" || answer === null || !(Symbol.asyncIterator in answer)) return answer;
  let last: unknown;
  for await (const value of answer as AsyncIterable<unknown>) last = value;
  return last;
}

function contextFor({
  key,
  signal,
  runId,
  callId,
  attempt,
  workspace,
  progress,
}: RuntimeContext): ToolContext {
  return { key, signal, runId, callId, attempt, workspace, progress: (text) => progress?.(text) };
}

/** The value as the journal stores it, so that the model reads the same after a restart. */
function jsonValue(value: unknown): unknown {
  return value === undefined ? "Done." : (JSON.parse(JSON.stringify(value) ?? "null") as unknown);
}

/** A zod schema for the runtime, which checks values with the schema of the program. */
const zodOf = ({ check }: ReadSchema): z.ZodType =>
  z.unknown().transform((value, context) => {
    const checked = check(value);
    if ("value" in checked) return checked.value;
    context.addIssue({ code: "custom", message: checked.problem });
    return z.NEVER;
  });

function requireName(name: unknown): void {
  if (typeof name === "string" && /^[A-Za-z][\w-]{0,63}$/.test(name)) return;
  throw new CadreError(
    "CONFIG_INVALID",
    `"${String(name)}" cannot be the name of a tool: use letters, digits, _ and -, at most 64, beginning with a letter. Nothing was started.`,
  );
}

export type { JsonSchema };
