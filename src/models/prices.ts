// Computes the cost of a call. Configured prices override the price list.
// If neither has a price, the cost is null: with a guess or a zero, a budget could be exceeded without notice.

import type { Usage } from "../journal/message.ts";
import type { Reasoning } from "../journal/reasoning.ts";
import { listedCost, type Price } from "./catalogue.ts";
import { type EstimateCall, isFree, type PriceOf, providerOf } from "./model.ts";

/** `listedAs` returns a provider's name in the price list. A user can choose another name for the provider in cadre.yaml. */
export function createPrices(
  overrides: Record<string, Price> = {},
  listedAs: (provider: string) => string = (provider) => provider,
): PriceOf {
  return (model, usage) => {
    const price = Object.hasOwn(overrides, model) ? overrides[model] : undefined;
    if (price !== undefined) return costAt(price, usage);
    return isFree(model) ? 0 : listedCost(model, usage, listedAs(providerOf(model)));
  };
}

function costAt(price: Price, usage: Usage): number {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
  const fresh = Math.max(0, input - cacheRead - cacheWrite);
  const cached =
    cacheRead * (price.cacheRead ?? price.input) + cacheWrite * (price.cacheWrite ?? price.input);
  return (fresh * price.input + cached + output * price.output) / 1_000_000;
}

/** Estimates the cost of a call (B2). Some providers charge more for tokens that they write to their cache, so the higher price is used. */
export function createEstimateCall(
  priceOf: PriceOf,
  mustThinkLess: (model: string, reasoning: Reasoning, output: number) => boolean = () => false,
): EstimateCall {
  return (model, { prompt, cached, output, reasoning }) => {
    const isReadAnew = reasoning !== undefined && mustThinkLess(model, reasoning, output);
    const cacheRead = isReadAnew ? 0 : cached;
    const usage = { input: prompt, output, cacheRead };
    const plain = priceOf(model, usage);
    const written = priceOf(model, { ...usage, cacheWrite: prompt - cacheRead });
    const cost = plain === null ? null : Math.max(plain, written ?? 0);
    return { tokens: prompt + output, cost };
  };
}
