import { expect, test } from "vitest";
import { CadreError } from "../errors.ts";
import { createModels, type ModelsConfig } from "./registry.ts";

const KEYS = {
  ANTHROPIC_API_KEY: "a",
  OPENAI_API_KEY: "o",
  GEMINI_API_KEY: "g",
  OPENROUTER_API_KEY: "r",
  DEEPSEEK_API_KEY: "d",
};

const models = (config: Partial<ModelsConfig> = {}) => createModels({ env: KEYS, ...config });

function refusal(name: string, config: Partial<ModelsConfig> = {}): CadreError {
  try {
    models(config).resolve(name);
  } catch (error) {
    if (error instanceof CadreError) return error;
    throw error;
  }
  throw new Error(`${name} was resolved`);
}

test.each([
  ["anthropic/claude-sonnet-4-5", "anthropic.messages", "claude-sonnet-4-5"],
  ["openai/gpt-5", "openai.responses", "gpt-5"],
  ["google/gemini-2.5-pro", "google.generative-ai", "gemini-2.5-pro"],
  ["ollama/llama3.3", "ollama.chat", "llama3.3"],
  ["lmstudio/qwen", "lmstudio.chat", "qwen"],
  ["deepseek/deepseek-chat", "deepseek.chat", "deepseek-chat"],
  ["openrouter/anthropic/claude-sonnet-4.5", "openrouter.chat", "anthropic/claude-sonnet-4.5"],
])("the model %s works without configuring its provider", (name, provider, modelId) => {
  expect(models().resolve(name)).toMatchObject({ specificationVersion: "v4", provider, modelId });
});

test("an alias and its full name resolve to the same model object", () => {
  const registry = models({ aliases: { fast: "ollama/llama3.3" } });
  expect(registry.resolve("fast")).toBe(registry.resolve("ollama/llama3.3"));
});

test("an alias can refer to another alias, and resolves to its full name", () => {
  const registry = models({ aliases: { cheap: "fast", fast: "ollama/a/b" } });
  expect(registry.resolve("cheap").modelId).toBe("a/b");
  expect(registry.fullName("cheap")).toBe("ollama/a/b");
});

test("aliases that form a cycle are reported", () => {
  const error = refusal("a", { aliases: { a: "b", b: "c", c: "b" } });
  expect(error.code).toBe("CONFIG_INVALID");
  expect(error.message).toContain("a → b → c → b");
});

test("the error for an unknown provider suggests the most similar provider and lists all providers", () => {
  const error = refusal("antropic/claude-opus-5", { providers: { work: { type: "openai" } } });
  expect(error.code).toBe("MODEL_UNKNOWN");
  expect(error.message).toContain('Did you mean "anthropic/claude-opus-5"?');
  for (const name of ["anthropic", "ollama", "work", "scripted"]) expect(error.message).toContain(name);
});

test("the error for a mistyped alias suggests the alias; the error for a very different name suggests nothing", () => {
  expect(refusal("fsat", { aliases: { fast: "ollama/x" } }).message).toContain('Did you mean "fast"?');
  expect(refusal("claude-opus-5").message).toContain('Did you mean "anthropic/claude-opus-5"?');
  expect(refusal("zzzzzzzzzz/x").message).not.toContain("Did you mean");
});

test.each(["anthropic", "anthropic/", "/x", "", "toString/x", "__proto__/x"])(
  "the name %j is rejected as an unknown model",
  (name) => {
    expect(refusal(name).code).toBe("MODEL_UNKNOWN");
  },
);

test.each([
  ["anthropic/x", "ANTHROPIC_API_KEY"],
  ["openai/x", "OPENAI_API_KEY"],
  ["google/x", "GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY"],
  ["openrouter/x", "OPENROUTER_API_KEY"],
  ["deepseek/x", "DEEPSEEK_API_KEY"],
])("the error for a missing key of %s names the variable", (name, variable) => {
  const error = refusal(name, { env: { ANTHROPIC_API_KEY: "  " } });
  expect(error.code).toBe("PROVIDER_KEY_MISSING");
  expect(error.message).toContain(variable);
});

test("a configured provider reads its key from its own variable", () => {
  const providers = {
    local: { type: "openai-compatible", baseURL: "http://127.0.0.1:1/v1", apiKeyEnv: "LOCAL" },
  } as const;
  expect(refusal("local/x", { providers }).message).toContain("LOCAL");
  expect(models({ providers, env: { LOCAL: "k" } }).resolve("local/x").provider).toBe("local.chat");
});

test("a configured provider overrides a built-in provider of the same name", () => {
  const providers = { openai: { type: "openai-compatible", baseURL: "http://127.0.0.1:1/v1" } } as const;
  expect(models({ providers, env: {} }).resolve("openai/x").provider).toBe("openai.chat");
});

test.each([undefined, "127.0.0.1 v1"])(
  "an openai-compatible provider with baseURL %j is refused",
  (baseURL) => {
    const local = { type: "openai-compatible" as const, ...(baseURL === undefined ? {} : { baseURL }) };
    const error = refusal("local/x", { providers: { local } });
    expect(error.code).toBe("CONFIG_INVALID");
    expect(error.message).toMatch(/local.*baseURL/);
  },
);

test("the model scripted/<name> plays the script of that name", () => {
  const scripts = (name: string) => ({ turns: [{ text: `this is ${name}` }] });
  expect(models({ scripts }).resolve("scripted/demo")).toMatchObject({
    provider: "scripted",
    modelId: "demo",
  });
  expect(refusal("scripted/demo").code).toBe("MODEL_UNKNOWN");
});

test("a model's context window is taken from the configuration, or else from the catalogue", () => {
  const registry = models({ aliases: { me: "local/qwen" }, contextWindows: { "local/qwen": 32_768 } });
  expect(registry.contextWindow("me")).toBe(32_768);
  expect(registry.contextWindow("anthropic/claude-sonnet-4-5")).toBe(200_000);
  expect(registry.contextWindow("ollama/whatever")).toBeUndefined();
});

test("a renamed provider is found in the price list by its type, unless it has its own address", () => {
  const { listedAs } = models({
    providers: {
      work: { type: "bedrock", baseURL: "http://127.0.0.1:1" },
      second: { type: "anthropic", apiKeyEnv: "SECOND" },
      gateway: { type: "anthropic", baseURL: "http://127.0.0.1:1" },
      local: { type: "openai-compatible", baseURL: "http://127.0.0.1:1" },
    },
  });
  const names = ["work", "second", "gateway", "local", "openrouter", "nobody"].map(listedAs);
  expect(names).toEqual(["bedrock", "anthropic", "gateway", "local", "openrouter", "nobody"]);
});

test("the registry knows, without connecting, whether a provider has the key that it needs", () => {
  const registry = models({
    env: { OPENAI_API_KEY: "o", GEMINI_API_KEY: "  ", MINE: "m" },
    providers: {
      work: { type: "anthropic", apiKeyEnv: "MINE" },
      gone: { type: "openai", apiKeyEnv: "NOT_SET" },
    },
  });
  const having = registry.providers.filter((provider) => registry.hasKey(provider));
  expect(having).toEqual(["openai", "ollama", "lmstudio", "work", "scripted"]);
  for (const name of ["nobody", "toString"]) expect(registry.hasKey(name)).toBe(false);
});
