// The two shapes of an answer that nearly every tool gives.

import { boundOutput } from "./bound-output.ts";
import type { ToolAnswer } from "./tool.ts";

/** Nothing was done: one sentence that says why, for the model. */
export const refusal = (sentence: string): ToolAnswer => ({ output: sentence, isError: true });

/** Text that goes into the context whole if it fits; the whole is kept by reference otherwise. */
export function textAnswer(text: string): ToolAnswer {
  const bounded = boundOutput(text);
  return bounded.cut ? { output: bounded.text, full: text, size: Buffer.byteLength(text) } : { output: text };
}

/** A last line of what a search shows. */
export const HIDDEN_BY_RULES = "(some are not shown: a rule does not allow it)";
