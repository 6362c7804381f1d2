// Anthropic's Messages API.
//
// Caching: a breakpoint after the system prompt, which also covers the tools, and the automatic breakpoint at the end of the prompt.
// The automatic breakpoint moves with the conversation, so that each request begins with the exact bytes of the request before it.
// Anthropic searches 20 blocks back from a breakpoint. If a turn added more blocks, a third breakpoint marks where that turn began.

import { createRequire } from "node:module";
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { MEDIA_TYPES } from "../../journal/attachment.ts";
import type { Reasoning, ReasoningLevel } from "../../journal/reasoning.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { fitThoughts, NO_REASONING, type ReasoningAbility } from "../reasoning.ts";
import {
  type AdaptedCall,
  type AnswerPart,
  mapAnswers,
  type ProviderType,
  withSettings,
  withStrictTools,
} from "./provider-type.ts";

const load = createRequire(import.meta.url);
const anthropicPackage = (): typeof import("@ai-sdk/anthropic") => load("@ai-sdk/anthropic");

export const anthropic: ProviderType = {
  connect: (endpoint) =>
    anthropicPackage().createAnthropic({ ...endpoint, baseURL: withVersion(endpoint.baseURL) }),
  listOf: ({ baseURL, apiKey = "" }) => ({
    url: `${withVersion(baseURL)}/models`,
    headers: { "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
  }),
  baseURL: "https://api.anthropic.com/v1",
  baseURLEnv: "ANTHROPIC_BASE_URL",
  keyEnv: ["ANTHROPIC_API_KEY"],
  acceptedFiles: () => MEDIA_TYPES,
  reasoning: claude,
  thoughtBudget: claudeThoughts,
  adapt: (call, model) => adaptAnthropic(call, model),
};

/** Adapts a call to Anthropic's API, or to Claude on Google Vertex, which has no automatic breakpoint. */
export function adaptAnthropic(
  { options, context, reasoning }: AdaptedCall,
  model: string,
  { automatic = true } = {},
): LanguageModelV4CallOptions {
  const { toolChoice, reasoning: _, maxOutputTokens: most, ...rest } = options;
  const thinking = thinkingFor(model, reasoning, options);
  // Cadre's output limit includes the thoughts. The package adds the budget for thoughts to it, so the budget is subtracted here.
  const maxOutputTokens =
    most === undefined ? defaultOutput(model, reasoning) : most - (thinking.thinking?.budgetTokens ?? 0);
  const settings = { ...(automatic ? { cacheControl: CACHED } : {}), ...thinking };
  // Anthropic rejects earlier thoughts in the last answer if reasoning is switched off for this call only.
  const mustForget = reasoning !== undefined && !isThinking(model, thinking);
  const prompt = mustForget ? mapAnswers(options.prompt, withoutThoughts) : options.prompt;
  // A changed tool choice would make Anthropic read the whole conversation again, so the prompt itself says which tools are expected.
  // If the model called tools instead of writing the requested text, the next attempt forbids tools.
  const mustForbid = toolChoice?.type === "none" && context.failedBy === "empty";
  return {
    ...withSettings(withStrictTools(rest, MOST_STRICT), "anthropic", settings),
    prompt: markBreakpoints(prompt, automatic ? [] : [prompt.length - 1]),
    ...omitUndefined({ maxOutputTokens }),
    ...(mustForbid ? { toolChoice } : {}),
  };
}

interface Claude extends ReasoningAbility {
  /** True if the model thinks unless a call switches thinking off. */
  thinksByDefault?: true;
  /** True if the model takes a level of effort, and decides by itself how much it thinks. Other models take a budget of tokens. */
  isAdaptive?: true;
}

const BUDGETED = ["none", "minimal", "low", "medium", "high"] as const;
const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

/** The abilities of each family of models. An unknown Claude is treated as a new one. */
const FAMILIES: readonly [RegExp, Claude][] = [
  [/claude-(instant|v?2|3)/, NO_REASONING],
  [/claude-opus-4(-[01]|-\d{8}|@|$)/, { levels: BUDGETED, tokens: [1_024, 24_000] }],
  [/claude-(sonnet|opus|haiku)-4(-[05]|-\d{8}|@|$)/, { levels: BUDGETED, tokens: [1_024, 48_000] }],
  [
    /claude-(sonnet|opus)-4-6/,
    { levels: ["none", "low", "medium", "high", "max"], tokens: [1_024, 96_000], isAdaptive: true },
  ],
  [/claude-opus-4-[78]/, { levels: ["none", ...EFFORTS], isAdaptive: true }],
  [/claude-(fable-5|opus-5-5|sonnet-5-5)/, { levels: EFFORTS, isAdaptive: true, thinksByDefault: true }],
];

const NEW_CLAUDE: Claude = { levels: ["none", ...EFFORTS], isAdaptive: true, thinksByDefault: true };

/** The abilities of a Claude model, on Anthropic's API, Amazon Bedrock or Google Vertex. */
export function claude(model: string): Claude {
  return FAMILIES.find(([family]) => family.test(model))?.[1] ?? NEW_CLAUDE;
}

/** The smallest budget for thoughts that Anthropic accepts. */
const LEAST_THOUGHTS = 1_024;

/** The budget for thoughts of a call with this output limit. It is 0 if the limit is too small. Undefined if the model itself decides, or does not think. */
export function claudeThoughts(model: string, reasoning: Reasoning, output: number): number | undefined {
  if (reasoning === "none" || (typeof reasoning === "string" && claude(model).isAdaptive)) return undefined;
  const tokens = fitThoughts(reasoning, output);
  return tokens < LEAST_THOUGHTS ? 0 : tokens;
}

interface ThinkingSettings {
  thinking?: {
    type?: "adaptive" | "enabled" | "disabled";
    budgetTokens?: number;
    [setting: string]: unknown;
  };
  effort?: ReasoningLevel;
}

function thinkingFor(
  model: string,
  reasoning: Reasoning | undefined,
  { prompt, maxOutputTokens = Number.POSITIVE_INFINITY }: LanguageModelV4CallOptions,
): ThinkingSettings {
  const binding = BINDS_THINKING.test(model) ? DROP_UNBOUND : {};
  if (reasoning === undefined) return BINDS_THINKING.test(model) ? { thinking: binding } : {};
  if (reasoning === "none") return { thinking: { type: "disabled" } };
  const budgetTokens = claudeThoughts(model, reasoning, maxOutputTokens);
  if (budgetTokens === undefined)
    return {
      thinking: { type: "adaptive", display: "summarized", ...binding },
      effort: reasoning as ReasoningLevel,
    };
  const isOff = budgetTokens === 0 || calledWithoutThought(prompt);
  return isOff ? {} : { thinking: { type: "enabled", budgetTokens } };
}

/**
 * True if the answer with the latest tool calls does not begin with a thought. If a budget is set, Anthropic rejects such a prompt.
 * Another model might have made these calls, or their thought contained a secret and was not stored.
 * In these cases Claude works without thoughts until its next answer without calls.
 */
export function calledWithoutThought(prompt: LanguageModelV4Prompt): boolean {
  const last = prompt.findLast(({ role }) => role === "assistant");
  if (last?.role !== "assistant" || !last.content.some(({ type }) => type === "tool-call")) return false;
  return last.content[0]!.type !== "reasoning";
}

const isThinking = (model: string, { thinking }: ThinkingSettings): boolean =>
  thinking?.type === undefined ? claude(model).thinksByDefault === true : thinking.type !== "disabled";

export const withoutThoughts = (parts: readonly AnswerPart[]): AnswerPart[] =>
  parts.filter(({ type }) => type !== "reasoning");

/**
 * The output limit of a call if the agent's file has none. Without a limit, the package asks for the model's largest output.
 * Anthropic rejects a request if the prompt and the largest output together exceed the context window.
 */
function defaultOutput(model: string, reasoning: Reasoning | undefined): number | undefined {
  if (claude(model).levels.length === 0) return undefined;
  return reasoning === "high" || reasoning === "xhigh" || reasoning === "max" ? 64_000 : 32_000;
}

/** The maximum number of strict tools that Anthropic accepts. The package leaves the marks out for models without strict tools. */
export const MOST_STRICT = 20;

const CACHED = { type: "ephemeral" } as const;

/** Models that reject a thinking block if anything before the block has changed. A fork or a compacted history changes it. */
export const BINDS_THINKING = /claude-((fable|mythos)-5-[12]|(opus|sonnet|haiku)-5-5)/;
const DROP_UNBOUND = { blockBinding: { prefixMismatchBehavior: "drop_block" } };

const SEARCHED_BLOCKS = 20;

function markBreakpoints(prompt: LanguageModelV4Prompt, more: readonly number[]): LanguageModelV4Prompt {
  const marked = new Set([...breakpointsOf(prompt), ...more]);
  return prompt.map((message, index) =>
    marked.has(index)
      ? { ...message, providerOptions: { ...message.providerOptions, anthropic: { cacheControl: CACHED } } }
      : message,
  );
}

/** Indexes of the messages after which Claude's cache needs a breakpoint. The breakpoint at the end of the prompt is not among them. */
export function breakpointsOf(prompt: LanguageModelV4Prompt): Set<number> {
  const marked = new Set([prompt.findLastIndex(({ role }) => role === "system")]);
  const lastAnswer = prompt.findLastIndex(({ role }) => role === "assistant");
  const added = prompt.slice(lastAnswer).reduce((blocks, { content }) => blocks + content.length, 0);
  if (lastAnswer > 0 && added >= SEARCHED_BLOCKS) marked.add(lastAnswer - 1);
  return marked;
}

/** Anthropic's own tools expect ANTHROPIC_BASE_URL without the version, but this package needs the version. */
function withVersion(baseURL: string): string {
  const trimmed = baseURL.replace(/\/+$/, "");
  return /\/v\d+$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}
