// Answers that nearly every tool gives.

import { boundOutput } from "./bound-output.ts";
import type { ToolAnswer } from "./tool.ts";

/** Tells the model in one sentence why nothing was done. */
export const refusal = (sentence: string): ToolAnswer => ({ output: sentence, isError: true });

/** An answer with this text. A text that is too long for the context is cut in the middle, and kept in full in `full`. */
export function textAnswer(text: string): ToolAnswer {
  const bounded = boundOutput(text);
  return bounded.cut ? { output: bounded.text, full: text, size: Buffer.byteLength(text) } : { output: text };
}

/** A line of a file without its CR, shortened if it is longer than `max` characters. */
export function clipLine(line: string, max: number): string {
  const clean = line.endsWith("\r") ? line.slice(0, -1) : line;
  return clean.length > max ? `${clean.slice(0, max)}… (${clean.length - max} more characters)` : clean;
}

/** The last line of a search result from which a rule removed files. */
export const HIDDEN_BY_RULES = "(some are not shown: a rule does not allow it)";
