// Builds the answers that nearly all tools give. Answers are shortened to fit the context.

import type { ToolAnswer } from "./tool.ts";

/** Tells the model in one sentence why the tool did nothing. */
export const refusal = (sentence: string): ToolAnswer => ({ output: sentence, isError: true });

/** An answer with this text. If the text is too long for the context, its middle is cut out, and `full` contains the whole text. */
export function textAnswer(text: string): ToolAnswer {
  const bounded = boundOutput(text);
  return bounded.cut ? { output: bounded.text, full: text, size: Buffer.byteLength(text) } : { output: text };
}

/** A line of a file without its CR, shortened if it is longer than `max` characters. */
export function clipLine(line: string, max: number): string {
  const clean = line.endsWith("\r") ? line.slice(0, -1) : line;
  return clean.length > max ? `${clean.slice(0, max)}… (${clean.length - max} more characters)` : clean;
}

/** Last line of a search result from which a rule hides some files. */
export const HIDDEN_BY_RULES = "(some are not shown: a rule does not allow it)";

export const CONTEXT_BYTES = 30_000;

interface Bounded {
  text: string;
  cut: boolean;
}

/**
 * Shortens output for the context. It keeps the head and the tail, and says how much is missing between them.
 * Gives two thirds of `max` to the head and one third to the tail. Never splits a surrogate pair.
 */
export function boundOutput(text: string, max = CONTEXT_BYTES): Bounded {
  if (text.length <= max) return { text, cut: false };
  const head = wholeEnd(text, Math.ceil((max * 2) / 3));
  const tail = wholeStart(text, text.length - Math.floor(max / 3));
  const left = tail - head;
  return { text: `${text.slice(0, head)}\n… ${left} characters left out …\n${text.slice(tail)}`, cut: true };
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

function wholeEnd(text: string, at: number): number {
  return isHighSurrogate(text.charCodeAt(at - 1)) ? at - 1 : at;
}

function wholeStart(text: string, at: number): number {
  return isHighSurrogate(text.charCodeAt(at - 1)) ? at + 1 : at;
}
