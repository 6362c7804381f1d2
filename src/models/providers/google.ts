// Google's Gemini API. Gemini caches prompts by itself, as long as the beginning of the prompt stays the same.

import { createRequire } from "node:module";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { REASONING_LEVELS } from "../../journal/reasoning.ts";
import { NO_REASONING, type ReasoningAbility } from "../reasoning.ts";
import { type AdaptedCall, type ProviderType, withSettings } from "./provider-type.ts";

const SOME_REASONING = REASONING_LEVELS.filter((level) => level !== "none");

/** The reasoning of an unknown Gemini model. It is treated as a new one, so its reasoning cannot be switched off. */
const ANY_GEMINI: ReasoningAbility = { levels: ["minimal", "low", "medium", "high"] };

const load = createRequire(import.meta.url);
const googlePackage = (): typeof import("@ai-sdk/google") => load("@ai-sdk/google");

/** Gemini rejects GIF images. */
const IMAGES = ["image/png", "image/jpeg", "image/webp"] as const;

export const google: ProviderType = {
  connect: (endpoint) => googlePackage().createGoogle(endpoint),
  listOf: ({ baseURL, apiKey = "" }) => ({
    url: `${baseURL}/models`,
    headers: { "x-goog-api-key": apiKey },
  }),
  baseURL: "https://generativelanguage.googleapis.com/v1beta",
  keyEnv: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
  acceptedFiles: (model) => (/gemma/.test(model) ? IMAGES : [...IMAGES, "application/pdf"]),
  reasoning: geminiReasoning,
  adapt: (call) => adaptGoogle(call, "google"),
};

/** Adapts a call to Google's API, or to Gemini on Google Vertex. */
export function adaptGoogle(
  { options, reasoning }: AdaptedCall,
  settings: "google" | "googleVertex",
): LanguageModelV4CallOptions {
  if (typeof reasoning !== "number") return options;
  return withSettings(options, settings, { thinkingConfig: { thinkingBudget: reasoning } });
}

/** The abilities of each family of models. Newer models have levels, older models have budgets. The package translates levels to budgets. */
const ABILITIES: readonly [RegExp, ReasoningAbility][] = [
  [/gemini-(1|2\.0)|gemma/, NO_REASONING],
  [/gemini-2\.5-pro/, { levels: SOME_REASONING, tokens: [128, 32_768] }],
  [/gemini-2\.5-flash-lite/, { levels: REASONING_LEVELS, tokens: [512, 24_576] }],
  [/gemini-2\.5/, { levels: REASONING_LEVELS, tokens: [1, 24_576] }],
  [/gemini-\d+(\.\d+)?-pro/, { levels: ["low", "medium", "high"] }],
];

export function geminiReasoning(model: string): ReasoningAbility {
  return ABILITIES.find(([family]) => family.test(model))?.[1] ?? ANY_GEMINI;
}
