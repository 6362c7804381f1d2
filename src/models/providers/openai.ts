// OpenAI's Responses API.
//
// OpenAI caches prompts by itself. All calls of a tree have the same cache key, so that they reach the machine with the cached prompt.
// Nothing is stored at OpenAI: the encrypted reasoning is kept in the journal and sent back. This also works with zero data retention.

import { createRequire } from "node:module";
import { MEDIA_TYPES } from "../../journal/attachment.ts";
import { type Endpoint, type ProviderType, withSettings } from "./provider-type.ts";

const load = createRequire(import.meta.url);
const openaiPackage = (): typeof import("@ai-sdk/openai") => load("@ai-sdk/openai");

/** Older models that cannot see. */
const TEXT_ONLY = /^(gpt-3\.5|gpt-4$|gpt-4-\d|o1-mini|o1-preview|o3-mini)/;

export const openai: ProviderType = {
  connect: (endpoint) => openaiPackage().createOpenAI(endpoint),
  listOf: openAiList,
  baseURL: "https://api.openai.com/v1",
  baseURLEnv: "OPENAI_BASE_URL",
  keyEnv: ["OPENAI_API_KEY"],
  acceptedFiles: (model, vision) => (TEXT_ONLY.test(model) && !vision ? [] : MEDIA_TYPES),
  adapt: ({ options, context }) =>
    withSettings(options, "openai", { store: false, promptCacheKey: context.tree }),
};

export function openAiList({ baseURL, apiKey }: Endpoint): { url: string; headers: Record<string, string> } {
  const url = `${baseURL.replace(/\/+$/, "")}/models`;
  return { url, headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` } };
}
