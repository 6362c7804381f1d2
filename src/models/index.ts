// The model providers. A provider type is a protocol with its package. A built-in provider needs no entry in cadre.yaml.
// To add a provider, add an entry to `builtIn`. For a new protocol, also add an entry to `providerTypes`.

import { createRequire } from "node:module";
import type { Model } from "./model.ts";

/** A provider's package is loaded together with its first model, because most commands need no model. */
const load = createRequire(import.meta.url);
const anthropic = (): typeof import("@ai-sdk/anthropic") => load("@ai-sdk/anthropic");
const google = (): typeof import("@ai-sdk/google") => load("@ai-sdk/google");
const openai = (): typeof import("@ai-sdk/openai") => load("@ai-sdk/openai");
const compatible = (): typeof import("@ai-sdk/openai-compatible") => load("@ai-sdk/openai-compatible");

export interface Endpoint {
  baseURL: string;
  /** The provider's key. Absent only if the provider needs no key. */
  apiKey?: string;
  headers?: Record<string, string>;
}

interface ProviderType {
  connect(endpoint: Endpoint, name: string): (model: string) => Model;
  /** The request that lists the provider's models. */
  listOf(endpoint: Endpoint): { url: string; headers: Record<string, string> };
  baseURL?: string;
  baseURLEnv?: string;
  /** Environment variables that can contain the key. The first variable that is set is used. */
  keyEnv: readonly string[];
}

export type ProviderTypeName = "anthropic" | "openai" | "google" | "openai-compatible";

export interface BuiltIn {
  type: ProviderTypeName;
  baseURL?: string;
  apiKeyEnv?: string;
}

// The endpoint and the key are always passed. Otherwise the packages would read them from process.env.
export const providerTypes: Record<ProviderTypeName, ProviderType> = {
  anthropic: {
    connect: (endpoint) =>
      anthropic().createAnthropic({ ...endpoint, baseURL: withVersion(endpoint.baseURL) }),
    listOf: ({ baseURL, apiKey = "" }) => ({
      url: `${withVersion(baseURL)}/models`,
      headers: { "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
    }),
    baseURL: "https://api.anthropic.com/v1",
    baseURLEnv: "ANTHROPIC_BASE_URL",
    keyEnv: ["ANTHROPIC_API_KEY"],
  },
  openai: {
    connect: (endpoint) => openai().createOpenAI(endpoint),
    listOf: openAiList,
    baseURL: "https://api.openai.com/v1",
    baseURLEnv: "OPENAI_BASE_URL",
    keyEnv: ["OPENAI_API_KEY"],
  },
  google: {
    connect: (endpoint) => google().createGoogle(endpoint),
    listOf: ({ baseURL, apiKey = "" }) => ({
      url: `${baseURL}/models`,
      headers: { "x-goog-api-key": apiKey },
    }),
    baseURL: "https://generativelanguage.googleapis.com/v1beta",
    keyEnv: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
  },
  "openai-compatible": {
    // Without includeUsage, a stream has no token counts, and every call would seem to be free.
    connect: (endpoint, name) =>
      compatible().createOpenAICompatible({ ...endpoint, name, includeUsage: true }),
    listOf: openAiList,
    keyEnv: [],
  },
};

export const builtIn: Record<string, BuiltIn> = {
  anthropic: { type: "anthropic" },
  openai: { type: "openai" },
  google: { type: "google" },
  ollama: { type: "openai-compatible", baseURL: "http://127.0.0.1:11434/v1" },
  lmstudio: { type: "openai-compatible", baseURL: "http://127.0.0.1:1234/v1" },
  openrouter: {
    type: "openai-compatible",
    baseURL: "https://openrouter.ai/api/v1",
    apiKeyEnv: "OPENROUTER_API_KEY",
  },
  deepseek: {
    type: "openai-compatible",
    baseURL: "https://api.deepseek.com/v1",
    apiKeyEnv: "DEEPSEEK_API_KEY",
  },
};

function openAiList({ baseURL, apiKey }: Endpoint): { url: string; headers: Record<string, string> } {
  const url = `${baseURL.replace(/\/+$/, "")}/models`;
  return { url, headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` } };
}

/** Anthropic's own tools expect ANTHROPIC_BASE_URL without the version, but this package needs the version. */
function withVersion(baseURL: string): string {
  const trimmed = baseURL.replace(/\/+$/, "");
  return /\/v\d+$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}
