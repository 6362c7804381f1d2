// What a call may spend before it is known what it did (B2): four characters a token, and all the output it may write.

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
