// The Chat Completions API of OpenAI, as many servers and gateways offer it.

import { createRequire } from "node:module";
import { openAiList } from "./openai.ts";
import { type ProviderType, withSettings } from "./provider-type.ts";

const load = createRequire(import.meta.url);
const compatiblePackage = (): typeof import("@ai-sdk/openai-compatible") => load("@ai-sdk/openai-compatible");

export const openaiCompatible: ProviderType = {
  // Without includeUsage, a stream has no token counts, and every call would seem to be free.
  connect: (endpoint, name) =>
    compatiblePackage().createOpenAICompatible({ ...endpoint, name, includeUsage: true }),
  listOf: openAiList,
  keyEnv: [],
  adapt({ options }, model, name) {
    const { toolChoice, ...rest } = options;
    // Some servers reject a forced tool. The prompt itself says which tool is expected.
    const call = toolChoice?.type === "tool" ? rest : options;
    // Gateways pass this setting on to Anthropic, which then caches the prompt as in its own API.
    return /claude/i.test(model) ? withSettings(call, name, { cache_control: { type: "ephemeral" } }) : call;
  },
};
