// What a call costs. Prices set by people win; then the list in @pydantic/genai-prices, which works offline; what
// neither knows is null, because a guess or a zero would let a budget be overrun in silence.

import { createRequire } from "node:module";
import type { Usage } from "../journal/message.ts";
import type { PriceOf } from "./model.ts";
import { modelPartOf, providerOf } from "./names.ts";

/** US dollars per million tokens. Cached tokens cost as much as input where nothing else is said. */
export interface Price {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** When the first price is asked for: it is as long as all of our own code. */
const load = createRequire(import.meta.url);
const list = (): typeof import("@pydantic/genai-prices") => load("@pydantic/genai-prices");

const FREE = new Set(["scripted", "ollama", "lmstudio"]);

export function createPrices(overrides: Record<string, Price> = {}): PriceOf {
  return (model, usage) => {
    const price = Object.hasOwn(overrides, model) ? overrides[model] : undefined;
    if (price !== undefined) return costAt(price, usage);
    if (FREE.has(providerOf(model))) return 0;
    return listed(model, usage)?.total_price ?? null;
  };
}

/** Tokens that fit into a model, where the list knows. */
export function contextWindowOf(model: string): number | undefined {
  if (FREE.has(providerOf(model))) return undefined;
  return listed(model, { input: 0, output: 0 })?.model.context_window;
}

/** The provider that a bare model name belongs to, for a hint. */
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

function listed(model: string, usage: Usage): ReturnType<ReturnType<typeof list>["calcPrice"]> {
  const tokens = {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead ?? 0,
    cache_write_tokens: usage.cacheWrite ?? 0,
  };
  try {
    return list().calcPrice(tokens, modelPartOf(model), { providerId: providerOf(model) });
  } catch {
    // The list refuses counts that contradict each other (more cached than sent): then the price is not known.
    return null;
  }
}
