// Google's Gemini API. Gemini caches prompts by itself, as long as the beginning of the prompt stays the same.

import { createRequire } from "node:module";
import type { ProviderType } from "./provider-type.ts";

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
  adapt: ({ options }) => options,
};
