import { describe, expect, test } from "vitest";
import { PROVIDER_TIERS } from "./catalogue.ts";
import { createPrices } from "./prices.ts";
import { createModelNames, type ModelNamesConfig } from "./substitute.ts";

const SONNET = "anthropic/claude-sonnet-4-5";

const names = (config: Partial<ModelNamesConfig> = {}) =>
  createModelNames({
    default: SONNET,
    aliases: {},
    providers: ["anthropic", "openai", "google", "deepseek", "openrouter", "ollama", "scripted"],
    hasKey: (provider) => provider !== "google",
    ...config,
  });

describe("model names that need no substitute", () => {
  test.each([
    ["anthropic/claude-opus-4-6", "anthropic/claude-opus-4-6"],
    ["OpenAI/gpt-5", "openai/gpt-5"],
    [' "ollama/qwen3" ', "ollama/qwen3"],
    ["openrouter/anthropic/claude-sonnet-4.5", "openrouter/anthropic/claude-sonnet-4.5"],
    ["google/gemini-1.5-pro", "google/gemini-1.5-pro"],
    ["claude-sonnet-4-20250514", "anthropic/claude-sonnet-4-20250514"],
    ["gpt-5.4-mini", "openai/gpt-5.4-mini"],
    ["gpt-4", "openai/gpt-4"],
    ["o3", "openai/o3"],
    ["deepseek-chat", "deepseek/deepseek-chat"],
    ["claude-nobody-knows-yet-9", "anthropic/claude-nobody-knows-yet-9"],
    ["default", SONNET],
    ["Auto", SONNET],
    ["", SONNET],
  ])("the name %j resolves to %s, without a note", (name, model) => {
    expect(names().resolve(name)).toEqual({ model });
  });
});

test.each([
  ["Claude Sonnet 4.5", "anthropic/claude-sonnet-4-5"],
  ["Claude Sonnet 4.6 (copilot)", "anthropic/claude-sonnet-4-6"],
  ["Claude Sonnet 4", "anthropic/claude-sonnet-4-0"],
  ["claude-sonnet-4.6", "anthropic/claude-sonnet-4-6"],
  ["claude-4.5-opus", "anthropic/claude-opus-4-5"],
  ["Claude 3 Haiku", "anthropic/claude-3-haiku-20240307"],
  ["GPT-4.1 (copilot)", "openai/gpt-4.1"],
  ["GPT-5-Codex (Preview) (copilot)", "openai/gpt-5-codex"],
  ["GPT-5.6 Terra (copilot)", "openai/gpt-5.6-terra"],
  ["OpenAI GPT 5", "openai/gpt-5"],
  ["anthropic:claude-opus-5", "anthropic/claude-opus-5"],
])("the display name %j resolves to %s", (name, model) => {
  expect(names().resolve(name)).toEqual({ model });
});

describe("model sizes", () => {
  const TABLE: [words: string, anthropic: string, openai: string, google: string][] = [
    ["haiku fast light small mini Haiku", "claude-haiku-4-5", "gpt-6-luna", "gemini-3.5-flash-lite"],
    ["sonnet medium SONNET sonnet[1m]", "claude-sonnet-4-5", "gpt-5", "gemini-3.8-flash"],
    ["opus deep large heavy", "claude-opus-5-5", "gpt-6-astra", "gemini-2.5-pro"],
  ];
  const rows = TABLE.flatMap(([words, ...models]) => words.split(" ").map((word) => [word, ...models]));

  test.each(rows)(
    "the size %s resolves to the model of that size from the configured provider",
    (word, anthropic, openai, google) => {
      expect(names().resolve(word!)).toEqual({ model: `anthropic/${anthropic}` });
      expect(names({ default: "openai/gpt-5" }).resolve(word!)).toEqual({ model: `openai/${openai}` });
      expect(names({ default: "google/gemini-2.5-pro" }).resolve(word!)).toEqual({
        model: `google/${google}`,
      });
    },
  );

  test("the configured model is used for its own size", () => {
    const configured = names({ default: "anthropic/claude-opus-4-6" });
    expect(configured.resolve("opus").model).toBe("anthropic/claude-opus-4-6");
    expect(configured.resolve("sonnet").model).toBe("anthropic/claude-sonnet-5");
  });

  test.each(["scripted/rehearsal", "ollama/qwen3", "openrouter/anthropic/claude-opus-5"])(
    "the model %s is used for every size, because its provider has no sizes",
    (model) => {
      for (const word of ["haiku", "sonnet", "opus"]) {
        expect(names({ default: model }).resolve(word)).toEqual({ model });
      }
    },
  );

  test.each(Object.entries(PROVIDER_TIERS))(
    "the models of %s have prices and the right sizes",
    (provider, { models, tierOf }) => {
      const price = createPrices();
      for (const [tier, model] of Object.entries(models)) {
        expect(price(`${provider}/${model}`, { input: 1_000, output: 1_000 }), model).toBeGreaterThan(0);
        expect(tierOf(model), model).toBe(tier);
      }
    },
  );
});

describe("the user's aliases", () => {
  test("the user's aliases override sizes, model ids and retired models, and ignore letter case", () => {
    const aliases = { sonnet: "ollama/qwen3", "gemini-1.5-pro": "openai/gpt-5", "GPT-4.1": "deepseek/chat" };
    const { resolve } = names({ aliases });
    expect(resolve("Sonnet")).toEqual({ model: "ollama/qwen3" });
    expect(resolve("gemini-1.5-pro")).toEqual({ model: "openai/gpt-5" });
    expect(resolve("gpt-4.1")).toEqual({ model: "deepseek/chat" });
  });

  test("an alias can refer to another alias, a size or a model id without its provider", () => {
    const { resolve } = names({ aliases: { a: "b", b: "fast", mine: "gpt-5", old: "claude-2" } });
    expect(resolve("a")).toEqual({ model: "anthropic/claude-haiku-4-5" });
    expect(resolve("mine")).toEqual({ model: "openai/gpt-5" });
    expect(resolve("old")).toMatchObject({
      model: SONNET,
      note: expect.stringContaining("`old` is retired"),
    });
  });

  test("aliases that form a cycle fall back to the configured model; so do unknown names such as toString", () => {
    const { resolve } = names({ aliases: { a: "b", b: "a" } });
    expect(resolve("a")).toMatchObject({ model: SONNET, note: expect.stringContaining("alias of itself") });
    for (const name of ["toString", "constructor", "__proto__"]) expect(resolve(name).model).toBe(SONNET);
  });

  test("an alias can be used as the default model", () => {
    const configured = names({ default: "mine", aliases: { mine: "openai/gpt-5" } });
    expect(configured.default).toBe("openai/gpt-5");
    expect(configured.resolve("fast").model).toBe("openai/gpt-6-luna");
    expect(names({ default: "a", aliases: { a: "a" } }).default).toBe("a");
  });
});

test.each([
  ["kilo/anthropic/claude-haiku-4.5", "anthropic/claude-haiku-4-5"],
  ["kilo/openai/gpt-5-nano", "openai/gpt-5-nano"],
  ["kilo/openrouter/anthropic/claude-opus-4.5", "openrouter/anthropic/claude-opus-4.5"],
  ["opencode/claude-haiku-4-5", "anthropic/claude-haiku-4-5"],
  ["hub/team/gpt-5.4-mini", "openai/gpt-5.4-mini"],
  ["antropic/claude-opus-5", "anthropic/claude-opus-5"],
])("the unknown provider in %s is ignored, with a note", (name, model) => {
  const provider = name.split("/")[0];
  expect(names().resolve(name)).toMatchObject({
    model,
    note:
      `model \`${name}\` names a provider, \`${provider}\`, that is not known: ` +
      `${model} is used; set an alias in cadre.yaml to choose another`,
  });
});

test.each([
  ["gemini-1.5-pro", "is retired"],
  ["Gemini Pro", "is retired"],
  ["gpt-4-turbo", "is retired"],
  ["gpt-4.5-preview", "is retired"],
  ["claude-2", "is retired"],
  ["claude-instant-1.2", "is retired"],
  ["Claude 3.5 Sonnet", "is retired"],
  ["claude-sonnet-3.7", "is retired"],
  ["o1-preview", "is retired"],
  ["opencode/gemini-1.5-flash", "is retired"],
  ["gemini-2.5-pro", "needs a key for google, and there is none"],
  ["kilo/google/gemini-2.5-pro", "needs a key for google, and there is none"],
  ["qwen3-coder-30b", "is not known"],
  ["qwen/qwen3-coder-30b", "is not known"],
  ["anthropic/", "is not known"],
  ["/", "is not known"],
  ["GPT-4.1 | 'gpt-5'", "is not known"],
  ["<MODEL:sonnet | opus>", "is a placeholder"],
  ["{{model}}", "is a placeholder"],
])("since the model %s %s, the configured model is used, with a note", (name, why) => {
  const note = `model \`${name}\` ${why}: ${SONNET} is used; set an alias in cadre.yaml to choose another`;
  expect(names().resolve(name)).toEqual({ model: SONNET, note, why });
});

test("if a model's provider is not configured, the note says which provider needs a key", () => {
  expect(names({ providers: ["ollama"], default: "ollama/qwen3" }).resolve("claude-opus-5")).toMatchObject({
    model: "ollama/qwen3",
    note: expect.stringContaining("needs a key for anthropic"),
  });
});
