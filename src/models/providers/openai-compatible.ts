// The Chat Completions API of OpenAI, as many servers and gateways offer it.

import { createRequire } from "node:module";
import type { LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider";
import { MEDIA_TYPES, type MediaType } from "../../journal/attachment.ts";
import { ANY_LEVEL } from "../reasoning.ts";
import { openAiList } from "./openai.ts";
import { type ProviderType, withSettings } from "./provider-type.ts";

const load = createRequire(import.meta.url);
const compatiblePackage = (): typeof import("@ai-sdk/openai-compatible") => load("@ai-sdk/openai-compatible");

/** The media types that most servers accept: images, but no PDFs. */
const IMAGES: readonly MediaType[] = MEDIA_TYPES.filter((type) => type.startsWith("image/"));

/** Families of models that can see images. Every other model needs `vision: true` in cadre.yaml. */
const SEES = /claude-|gpt-4o|gpt-4\.1|gpt-5|gemini-|gemma-?3|llama-4|llava|pixtral|vision|-vl\b/i;

export const openaiCompatible: ProviderType = {
  // Without includeUsage, a stream has no token counts, and every call would seem to be free.
  connect: (endpoint, name) =>
    compatiblePackage().createOpenAICompatible({ ...endpoint, name, includeUsage: true, convertUsage }),
  listOf: openAiList,
  keyEnv: [],
  acceptedFiles: (model, vision) => (vision || SEES.test(model) ? IMAGES : []),
  // The protocol has levels of reasoning, but no token budgets. Each server decides which levels it accepts.
  reasoning: () => ANY_LEVEL,
  adapt({ options: given }, model, name) {
    const options = { ...given, prompt: moveToolFiles(given.prompt) };
    const { toolChoice, ...rest } = options;
    // Some servers reject a forced tool. The prompt itself says which tool is expected.
    const call = toolChoice?.type === "tool" ? rest : options;
    if (!/claude/i.test(model)) return call;
    // Gateways pass this setting on to Anthropic, which then caches the prompt.
    return { ...withSettings(call, name, { cache_control: CACHED }), prompt: markSystem(call.prompt) };
  },
};

const CACHED = { type: "ephemeral" };

/**
 * Adds a breakpoint after the system prompt, so that the runs of one agent share it in Anthropic's cache. Gateways expect the breakpoint
 * in a part of the message. The package writes no parts, but adds these settings to the message.
 */
function markSystem(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.map((message) => {
    if (message.role !== "system") return message;
    const content = [{ type: "text", text: message.content, cache_control: CACHED }];
    return { ...message, providerOptions: { ...message.providerOptions, openaiCompatible: { content } } };
  });
}

interface ServerUsage {
  prompt_tokens?: number | null | undefined;
  completion_tokens?: number | null | undefined;
  prompt_tokens_details?:
    | { cached_tokens?: number | null | undefined; cache_write_tokens?: number | null }
    | null
    | undefined;
  completion_tokens_details?: { reasoning_tokens?: number | null | undefined } | null | undefined;
}

/** Reads the token counts of an answer. The package would ignore the tokens that a gateway has written to Anthropic's cache, which cost more. */
function convertUsage(usage: ServerUsage | null | undefined): LanguageModelV4Usage {
  const total = usage?.prompt_tokens ?? undefined;
  const output = usage?.completion_tokens ?? undefined;
  const { cached_tokens, cache_write_tokens } = usage?.prompt_tokens_details ?? {};
  const cacheRead = cached_tokens ?? 0;
  const reasoning = usage?.completion_tokens_details?.reasoning_tokens ?? 0;
  return {
    inputTokens: {
      ...{ total, cacheRead, cacheWrite: cache_write_tokens ?? undefined },
      noCache: total === undefined ? undefined : Math.max(0, total - cacheRead - (cache_write_tokens ?? 0)),
    },
    outputTokens: {
      ...{ total: output, reasoning },
      text: output === undefined ? undefined : Math.max(0, output - reasoning),
    },
  };
}

/** This protocol allows only text in tool results. So a result's files follow in a message of the user. */
function moveToolFiles(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.flatMap((message): LanguageModelV4Prompt => {
    if (message.role !== "tool") return [message];
    const moved: Extract<LanguageModelV4Prompt[number], { role: "user" }>["content"] = [];
    const content = message.content.map((result) => {
      if (result.type !== "tool-result" || result.output.type !== "content") return result;
      const texts = result.output.value.flatMap((part) => (part.type === "text" ? [part.text] : []));
      for (const part of result.output.value)
        if (part.type === "file") moved.push({ type: "text", text: `[${part.filename}]` }, part);
      return { ...result, output: { type: "text" as const, value: texts.join("\n") } };
    });
    if (moved.length === 0) return [{ ...message, content }];
    return [
      { ...message, content },
      { role: "user", content: moved },
    ];
  });
}
