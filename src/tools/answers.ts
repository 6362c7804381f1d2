// The answers that nearly every tool gives.

import { boundOutput } from "./bound-output.ts";
import type { ToolAnswer } from "./tool.ts";

/** A sentence for the model that says why nothing was done. */
export const refusal = (sentence: string): ToolAnswer => ({ output: sentence, isError: true });

/** Text for the context. If it is too long, its middle is left out and the whole is stored by reference. */
export function textAnswer(text: string): ToolAnswer {
  const bounded = boundOutput(text);
  return bounded.cut ? { output: bounded.text, full: text, size: Buffer.byteLength(text) } : { output: text };
}

/** Last line of a search that left out denied files. */
export const HIDDEN_BY_RULES = "(some are not shown: a rule does not allow it)";
