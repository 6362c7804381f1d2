// Anthropic's Messages API.
//
// Caching: a breakpoint after the system prompt, which also covers the tools, and the automatic breakpoint at the end of the prompt.
// The automatic breakpoint moves with the conversation, so that each request begins with the exact bytes of the request before it.
// Anthropic searches 20 blocks back from a breakpoint. If a turn added more blocks, a third breakpoint marks where that turn began.

import { createRequire } from "node:module";
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { MEDIA_TYPES } from "../../journal/attachment.ts";
import { type AdaptedCall, type ProviderType, withSettings } from "./provider-type.ts";

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
  adapt: (call, model) => adaptAnthropic(call, model),
};

/** Also used for Claude on Google Vertex, which has no automatic breakpoint. */
export function adaptAnthropic(
  { options, context }: AdaptedCall,
  model: string,
  { automatic = true } = {},
): LanguageModelV4CallOptions {
  const { toolChoice, reasoning, ...rest } = options;
  const thinks = reasoning !== undefined || BINDS_THINKING.test(model);
  const settings = {
    ...(automatic ? { cacheControl: CACHED } : {}),
    includePings: true,
    ...(BINDS_THINKING.test(model) ? { thinking: DROP_UNBOUND } : {}),
  };
  return {
    ...withSettings(rest, "anthropic", settings),
    prompt: markBreakpoints(options.prompt, automatic ? [] : [options.prompt.length - 1]),
    ...(reasoning && mayThink(options.prompt, model) ? { reasoning } : {}),
    // A changed tool choice would make Anthropic read the whole conversation anew. So the prompt itself says which tools are expected.
    // If the model ignored the prompt, the next attempt forces it, unless the model thinks: a thought rules out a forced tool.
    ...(toolChoice && context.attempt > 1 && (toolChoice.type === "none" || !thinks) ? { toolChoice } : {}),
  };
}

/** Models whose thinking has a token budget. All later models decide by themselves when to think. */
const BUDGETS_THINKING = /claude-(3-|\w+-4-([015](?!\d)|\d{8}))/;

/**
 * Whether the model may think in this call. With a token budget, Anthropic rejects thinking in the middle of a tool loop whose latest answer
 * has no thought. Another model might have written that answer, or a thought might have been removed because it contained a secret.
 */
function mayThink(prompt: LanguageModelV4Prompt, model: string): boolean {
  const latest = prompt.findLastIndex(({ role }) => role === "assistant");
  const isInToolLoop = prompt.slice(latest + 1).some(({ role }) => role === "tool");
  if (!isInToolLoop || !BUDGETS_THINKING.test(model)) return true;
  return (prompt[latest]?.content[0] as { type?: string } | undefined)?.type === "reasoning";
}

const CACHED = { type: "ephemeral" } as const;

/** Models that reject a thinking block if anything before the block has changed. A fork or a compacted history changes it. */
const BINDS_THINKING = /claude-(fable-5-[12]|opus-5-5|sonnet-5-5)/;
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

/** Indexes of the messages after which Claude's cache needs a breakpoint, besides the one at the end. */
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
