// The model providers. A built-in provider needs no entry in cadre.yaml.
// To add a provider, add an entry to `builtIn`. For a new protocol, also add a provider type.

import { anthropic } from "./anthropic.ts";
import { azure } from "./azure.ts";
import { bedrock } from "./bedrock.ts";
import { google } from "./google.ts";
import { openai } from "./openai.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import type { ProviderType } from "./provider-type.ts";
import { vertex } from "./vertex.ts";

export type ProviderTypeName =
  | "anthropic"
  | "openai"
  | "google"
  | "openai-compatible"
  | "bedrock"
  | "vertex"
  | "azure";

export interface BuiltIn {
  type: ProviderTypeName;
  baseURL?: string;
  apiKeyEnv?: string;
}

// The package of a provider type is loaded with the first model of that type, because most commands need no model.
// The endpoint and the key are always passed. Otherwise the packages would read them from process.env.
export const providerTypes: Record<ProviderTypeName, ProviderType> = {
  anthropic,
  openai,
  google,
  "openai-compatible": openaiCompatible,
  bedrock,
  vertex,
  azure,
};

export const builtIn: Record<string, BuiltIn> = {
  anthropic: { type: "anthropic" },
  openai: { type: "openai" },
  google: { type: "google" },
  bedrock: { type: "bedrock" },
  vertex: { type: "vertex" },
  azure: { type: "azure" },
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
