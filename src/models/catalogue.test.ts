import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { modelFacts } from "./catalogue.ts";

const catalogue = JSON.parse(readFileSync(new URL("catalogue.json", import.meta.url), "utf8"));

test("catalogue.json was written from the installed packages; `npm run models` updates it", () => {
  const require = createRequire(import.meta.url);
  for (const [name, version] of Object.entries(catalogue.from))
    expect(require(`${name}/package.json`).version, `run npm run models: ${name}`).toBe(version);
});

test.each([
  [
    "anthropic/claude-opus-5-5",
    { contextWindow: 1_000_000, maxOutput: 128_000, vision: true, jsonSchema: true },
  ],
  ["anthropic/claude-sonnet-4-5", { contextWindow: 200_000, maxOutput: 64_000, reasoning: true }],
  ["anthropic/claude-sonnet-4-5-20250929", { maxOutput: 64_000 }],
  ["google/gemini-2.5-pro", { contextWindow: 1_000_000, maxOutput: 65_536, vision: true }],
  ["openrouter/anthropic/claude-opus-4.5", { maxOutput: 64_000, vision: true }],
])("the facts about %s are known", (model, facts) => {
  expect(modelFacts(model)).toMatchObject(facts);
});

test("the window of an OpenAI model includes its answer, so a prompt can use only the rest", () => {
  expect(modelFacts("openai/gpt-5")).toMatchObject({
    contextWindow: 272_000,
    maxOutput: 128_000,
    price: { input: 1.25, output: 10, cacheRead: 0.125 },
  });
  expect(modelFacts("openai/gpt-4.1").contextWindow).toBe(1_000_000);
});

test.each([
  ["bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", 64_000],
  ["vertex/claude-opus-5-5@20260801", 128_000],
  ["azure/gpt-5", 128_000],
])("a model in a cloud has the abilities of its maker's model: %s", (model, maxOutput) => {
  const facts = modelFacts(model);
  expect(facts).toMatchObject({ vision: true, maxOutput });
  expect(facts.price?.input).toBeGreaterThan(0);
});

test.each([
  ["anthropic/claude-poem-9", 200_000],
  ["openai/gpt-7.3-nova", 272_000],
  ["google/gemini-9-ultra", 1_000_000],
])("an unknown model gets the low limits of its family, and no price: %s", (model, contextWindow) => {
  expect(modelFacts(model)).toMatchObject({ contextWindow });
  expect(modelFacts(model).price).toBeUndefined();
});

test("`gpt-5.5-x` does not get the abilities of `gpt-5` or `gpt-5.5`", () => {
  expect(modelFacts("openai/gpt-5.5-x").vision).toBeUndefined();
});

test("nothing is known about a model of an unknown family, or of a server on this machine", () => {
  expect(modelFacts("local/qwen")).toEqual({});
  expect(modelFacts("ollama/gpt-oss")).toEqual({});
});
