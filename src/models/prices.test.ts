import { expect, test } from "vitest";
import { createEstimateCall, createPrices } from "./prices.ts";

const million = { input: 1_000_000, output: 1_000_000 };

test("a known model costs what the price list says", () => {
  expect(createPrices()("openai/gpt-5", { input: 100_000, output: 10_000 })).toBeCloseTo(0.225, 6);
});

test("tokens read from the cache cost less, and are part of the input count", () => {
  const priceOf = createPrices();
  const cached = priceOf("anthropic/claude-sonnet-4-5", { input: 10_000, output: 0, cacheRead: 10_000 })!;
  const fresh = priceOf("anthropic/claude-sonnet-4-5", { input: 10_000, output: 0 })!;
  expect(cached).toBeCloseTo(fresh / 10, 6);
});

test.each(["anthropic/claude-nonsense-77", "local/qwen", "gpt-5", "openrouter/nobody/x"])(
  "the price of %s is unknown, so it is null and not 0",
  (model) => {
    expect(createPrices()(model, million)).toBeNull();
  },
);

test("the price is unknown if the token counts contradict each other", () => {
  expect(createPrices()("openai/gpt-5", { input: 10, output: 0, cacheRead: 20 })).toBeNull();
});

test.each(["scripted/demo", "ollama/llama3.3", "lmstudio/x"])("the model %s is free", (model) => {
  expect(createPrices()(model, million)).toBe(0);
});

test("configured prices override the price list", () => {
  const priceOf = createPrices({
    "openai/gpt-5": { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 3 },
    "ollama/big": { input: 5, output: 0 },
    "local/qwen": { input: 0, output: 0 },
  });
  expect(priceOf("openai/gpt-5", million)).toBeCloseTo(3);
  expect(
    priceOf("openai/gpt-5", { input: 1_000_000, output: 0, cacheRead: 500_000, cacheWrite: 200_000 }),
  ).toBeCloseTo(0.3 + 0.05 + 0.6);
  expect(priceOf("ollama/big", { ...million, cacheRead: 1_000_000 })).toBeCloseTo(5);
  expect(priceOf("local/qwen", million)).toBe(0);
});

test("[B2] a cost estimate includes the prompt and the full output limit", () => {
  const estimate = createEstimateCall(createPrices({ "a/b": { input: 1, output: 2 } }));
  const { tokens, cost } = estimate("a/b", { prompt: 1_001, cached: 0, output: 500 });
  expect(tokens).toBe(1_501);
  expect(cost).toBeCloseTo((1_001 + 1_000) / 1e6, 12);
  expect(estimate("who/knows", { prompt: 1_000, cached: 0, output: 500 })).toEqual({
    tokens: 1_500,
    cost: null,
  });
});

test("[B2] an estimate uses the cache prices: the low one for tokens read, the high one for tokens written", () => {
  const estimate = createEstimateCall(createPrices());
  const size = { prompt: 1_000_000, cached: 900_000, output: 0 };
  const cost = estimate("anthropic/claude-sonnet-4-5", { ...size, prompt: 100_000, cached: 90_000 }).cost;
  expect(cost).toBeCloseTo(0.09 * 0.3 + 0.01 * 3.75, 6);
  const own = createEstimateCall(createPrices({ "a/b": { input: 1, output: 1, cacheRead: 0.1 } }));
  expect(own("a/b", size).cost).toBeCloseTo(0.09 + 0.1, 6);
});
