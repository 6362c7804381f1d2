// Computes the cost of a call. Configured prices override the list in @pydantic/genai-prices, which works offline.
// If neither has a price, the cost is null: with a guess or a zero, a budget could be exceeded without notice.

import { createRequire } from "node:module";
import type { Usage } from "../journal/message.ts";
import { type EstimateCall, modelPartOf, type PriceOf, providerOf } from "./model.ts";

/** US dollars per million tokens. If cached tokens have no price, they cost as much as input. */
export interface Price {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** The list is loaded when the first price is needed, because it is as large as all of Cadre's own code. */
const load = createRequire(import.meta.url);
const list = (): typeof import("@pydantic/genai-prices") => load("@pydantic/genai-prices");

const FREE = new Set(["scripted", "ollama", "lmstudio"]);

export function createPrices(overrides: Record<string, Price> = {}): PriceOf {
  return (model, usage) => {
    const price = Object.hasOwn(overrides, model) ? overrides[model] : undefined;
    if (price !== undefined) return costAt(price, usage);
    if (FREE.has(providerOf(model))) return 0;
    return lookUpPrice(model, usage)?.total_price ?? null;
  };
}

/** Size of a model's context window in tokens, if the list contains it. */
export function contextWindowOf(model: string): number | undefined {
  if (FREE.has(providerOf(model))) return undefined;
  return lookUpPrice(model, { input: 0, output: 0 })?.model.context_window;
}

/** Finds the provider of a model that was named without a provider. An error message uses it as a hint. */
export function makerOf(model: string): string | undefined {
  return list().findProvider({ modelId: model })?.id;
}

function costAt(price: Price, usage: Usage): number {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
  const fresh = Math.max(0, input - cacheRead - cacheWrite);
  const cached =
    cacheRead * (price.cacheRead ?? price.input) + cacheWrite * (price.cacheWrite ?? price.input);
  return (fresh * price.input + cached + output * price.output) / 1_000_000;
}

function lookUpPrice(model: string, usage: Usage): ReturnType<ReturnType<typeof list>["calcPrice"]> {
  const tokens = {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead ?? 0,
    cache_write_tokens: usage.cacheWrite ?? 0,
  };
  try {
    return list().calcPrice(tokens, modelPartOf(model), { providerId: providerOf(model) });
  } catch {
    // The list throws if the counts contradict each other (more cached tokens than input tokens). In that case the price is unknown.
    return null;
  }
}

/** Estimates the cost of a call (B2). Some providers charge more for tokens that they write to their cache, so the higher price is used. */
export function createEstimateCall(priceOf: PriceOf): EstimateCall {
  return (model, { prompt, cached, output }) => {
    const usage = { input: prompt, output, cacheRead: cached };
    const plain = priceOf(model, usage);
    const written = priceOf(model, { ...usage, cacheWrite: prompt - cached });
    const cost = plain === null ? null : Math.max(plain, written ?? 0);
    return { tokens: prompt + output, cost };
  };
}
