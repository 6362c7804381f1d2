// Model messages as the journal stores them.
// The parts have the shape of the AI SDK's provider contract (LanguageModelV4), so that the provider gets its metadata back unchanged.
// The types are Cadre's own, so that a browser can read the journal without the AI SDK.

import { z } from "zod";
import type { Attachment } from "./attachment.ts";

const ProviderOptions = z.record(z.string(), z.unknown());

export const TextPart = z.object({
  type: z.literal("text"),
  text: z.string(),
  providerOptions: ProviderOptions.optional(),
});

export const ReasoningPart = z.object({
  type: z.literal("reasoning"),
  text: z.string(),
  providerOptions: ProviderOptions.optional(),
});

export const ToolCallPart = z.object({
  type: z.literal("tool-call"),
  /** The provider's id of the call. It is not unique: some servers send `call_0` every turn (J10). */
  toolCallId: z.string(),
  toolName: z.string(),
  input: z.unknown(),
  /** The model's original text, if it was not valid JSON. In this case `input` is null. */
  invalid: z.string().optional(),
  providerOptions: ProviderOptions.optional(),
});

/** Parts that Cadre only passes along: files and provider-specific parts. */
export const OtherPart = z.object({ type: z.enum(["file", "custom", "reasoning-file"]) }).loose();

export const ThoughtPart = z.union([TextPart, ReasoningPart, ToolCallPart, OtherPart]);
export type ThoughtPart = z.infer<typeof ThoughtPart>;
export type ToolCallPart = z.infer<typeof ToolCallPart>;

export function textOf(content: readonly ThoughtPart[]): string {
  return content.map((part) => (part.type === "text" ? (part as { text: string }).text : "")).join("");
}

export function reasoningOf(content: readonly ThoughtPart[]): string {
  return content.map((part) => (part.type === "reasoning" ? (part as { text: string }).text : "")).join("");
}

/** The tool with which a model calls MCP tools that are not in its list. */
export const MCP_CALL = "mcp_call";

/** The calls of a thought. A call through `mcp_call` is a call of the tool that it names. */
export const toolCallsOf = (content: readonly ThoughtPart[]): ToolCallPart[] =>
  sentCallsOf(content).map((call) => (call.toolName === MCP_CALL ? namedCall(call) : call));

/** The calls of a thought as the model wrote them. */
export const sentCallsOf = (content: readonly ThoughtPart[]): ToolCallPart[] =>
  content.filter((part): part is ToolCallPart => part.type === "tool-call");

function namedCall(call: ToolCallPart): ToolCallPart {
  const { tool, input = {} } = (call.input ?? {}) as { tool?: unknown; input?: unknown };
  if (typeof tool !== "string" || !tool.startsWith("mcp__")) return call;
  return { ...call, toolName: tool, input: typeof input === "string" ? parsed(input) : input };
}

/** Parses the input of the inner call, because some models write it as text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const Usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
  reasoning: z.number().optional(),
});
export type Usage = z.infer<typeof Usage>;

/** A message as it is sent to a provider, in the shape of LanguageModelV4's prompt. */
export type PromptMessage =
  | { role: "user"; content: PromptUserPart[] }
  | { role: "assistant"; content: PromptAssistantPart[] }
  | { role: "tool"; content: PromptToolResult[] };

/** The bytes of a file are added when the prompt is sent. */
export type PromptFile = { type: "file" } & Attachment;

export type PromptUserPart = { type: "text"; text: string } | PromptFile;

export type PromptAssistantPart =
  | z.infer<typeof TextPart>
  | z.infer<typeof ReasoningPart>
  | { type: "tool-call"; toolCallId: string; toolName: string; input: unknown; providerOptions?: unknown };

export interface PromptToolResult {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text" | "error-text"; value: string } | { type: "json" | "error-json"; value: unknown };
  files?: PromptFile[];
}

/** The files in a message, in the order of the prompt. */
export function filesOf({ role, content }: PromptMessage): PromptFile[] {
  if (role === "assistant") return [];
  if (role === "tool") return content.flatMap(({ files = [] }) => files);
  return content.filter((part): part is PromptFile => part.type === "file");
}

/**
 * Maximum number of levels in a value from outside. Ordinary JSON has far fewer levels.
 * Each level needs stack space when a value is folded, hashed, masked or validated.
 */
export const MAX_NESTING = 200;

/** Whether a value has too many levels, or contains itself. The check is not recursive. */
export function isTooDeep(value: unknown, most = MAX_NESTING): boolean {
  let level: object[] = isNested(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= most) return true;
    level = [...new Set(level.flatMap((each) => Object.values(each).filter(isNested)))];
  }
  return false;
}

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null;
