// Estimates what a call may cost before it is made (B2): four characters per token, and the full output limit.

import type { EstimateCall, PriceOf } from "./model.ts";

const CHARACTERS_PER_TOKEN = 4;

export function createEstimateCall(priceOf: PriceOf): EstimateCall {
  return (model, promptCharacters, maxOutputTokens) => {
    const input = Math.ceil(promptCharacters / CHARACTERS_PER_TOKEN);
    return {
      tokens: input + maxOutputTokens,
      cost: priceOf(model, { input, output: maxOutputTokens }),
    };
  };
}
