// OpenAI's Responses API.
//
// OpenAI caches prompts by itself. All calls of a tree have the same cache key, so that they reach the machine with the cached prompt.
// Nothing is stored at OpenAI: the encrypted reasoning is kept in the journal and sent back. This also works with zero data retention.

import { createRequire } from "node:module";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { MEDIA_TYPES } from "../../journal/attachment.ts";
import type { ReasoningLevel } from "../../journal/reasoning.ts";
import { ANY_LEVEL, type ReasoningAbility } from "../reasoning.ts";
import {
  type AdaptedCall,
  type AnswerPart,
  type Endpoint,
  mapAnswers,
  type ProviderType,
  withSettings,
  withStrictTools,
} from "./provider-type.ts";

const load = createRequire(import.meta.url);
const openaiPackage = (): typeof import("@ai-sdk/openai") => load("@ai-sdk/openai");

/** Older models that cannot see images. */
const TEXT_ONLY = /^(gpt-3\.5|gpt-4$|gpt-4-\d|o1-mini|o1-preview|o3-mini)/;

export const openai: ProviderType = {
  connect: (endpoint) => openaiPackage().createOpenAI(endpoint),
  listOf: openAiList,
  baseURL: "https://api.openai.com/v1",
  baseURLEnv: "OPENAI_BASE_URL",
  keyEnv: ["OPENAI_API_KEY"],
  acceptedFiles: (model, vision) => (TEXT_ONLY.test(model) && !vision ? [] : MEDIA_TYPES),
  reasoning: reasoningOf,
  adapt: (call, model) =>
    adaptResponses(call, "openai", {
      // The package requests encrypted reasoning only from models that it knows to reason, so Cadre requests it explicitly.
      ...(reasoningOf(model).levels.length > 0 ? { include: ["reasoning.encrypted_content"] } : {}),
    }),
};

/** Adapts a call to the Responses API, on OpenAI or Azure. `key` is the name under which the package reads its settings. */
export function adaptResponses(
  { options, context }: AdaptedCall,
  key: "openai" | "azure",
  more: Record<string, unknown> = {},
): LanguageModelV4CallOptions {
  return {
    ...withSettings(withStrictTools(options), key, { store: false, promptCacheKey: context.tree, ...more }),
    prompt: mapAnswers(options.prompt, (parts) => withoutStoredReasoning(parts, key)),
  };
}

/**
 * Removes reasoning without its encrypted content. Older journals contain such reasoning, which refers to a response stored at OpenAI.
 * A long reasoning consists of several parts with the same id, and only the last part has the encrypted content.
 */
function withoutStoredReasoning(parts: readonly AnswerPart[], key: string): AnswerPart[] {
  const idOf = (part: AnswerPart) => part.providerOptions?.[key]?.["itemId"];
  const encrypted = parts.filter((part) => part.providerOptions?.[key]?.["reasoningEncryptedContent"]);
  const ids = new Set(encrypted.map(idOf));
  return parts.filter((part) =>
    part.type === "reasoning" ? ids.has(idOf(part)) : part.type !== "text" || part.text !== "",
  );
}

const NO_EFFORT = /^(ft:)?(gpt-[34]|chatgpt|gpt-5(\.\d+)?-chat)/;

/** The levels of each family of models. A model that is not listed can have any level. */
const LEVELS: readonly [RegExp, readonly ReasoningLevel[]][] = [
  [NO_EFFORT, []],
  [/^o\d/, ["low", "medium", "high"]],
  [/^gpt-5(-(mini|nano))?(-\d{4}-|$)/, ["minimal", "low", "medium", "high"]],
  [/^gpt-5\.1(-\d{4}-|$)/, ["none", "low", "medium", "high"]],
  [/^gpt-5\.[2-5](-(mini|nano))?(-\d{4}-|$)/, ["none", "low", "medium", "high", "xhigh"]],
];

export function reasoningOf(model: string): ReasoningAbility {
  const levels = LEVELS.find(([family]) => family.test(model))?.[1];
  return levels ? { levels } : ANY_LEVEL;
}

export function openAiList({ baseURL, apiKey }: Endpoint): { url: string; headers: Record<string, string> } {
  const url = `${baseURL.replace(/\/+$/, "")}/models`;
  return { url, headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` } };
}
