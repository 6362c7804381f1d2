// Builds the answers that nearly all tools give. Answers are shortened to fit the context.

import type { Definition } from "../journal/definition.ts";
import type { AnyTool, ToolAnswer } from "./tool.ts";

/** Tells the model in one sentence why the tool did nothing. */
export const refusal = (sentence: string): ToolAnswer => ({ output: sentence, isError: true });

/** An answer with this text. If the text is too long for the context, its middle is cut out, and `full` contains the whole text. */
export function textAnswer(text: string): ToolAnswer {
  const bounded = boundOutput(text);
  return bounded.cut ? { output: bounded.text, full: text, size: Buffer.byteLength(text) } : { output: text };
}

/** Returns the line without its CR. If it is longer than `max` characters, returns the part from `from` on and says what is missing. */
export function clipLine(line: string, max: number, from = 0): string {
  const clean = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (from === 0 && clean.length <= max) return clean;
  if (from >= clean.length) return `(this line has only ${clean.length} characters)`;
  const before = from === 0 ? "" : `(${from} characters before) …`;
  const rest = clean.length - from - max;
  return `${before}${clean.slice(from, from + max)}${rest > 0 ? `… (${rest} more characters)` : ""}`;
}

/** The last line of a search result if a rule hides some files. */
export const HIDDEN_BY_RULES = "(some are not shown: a rule does not allow it)";

/** Whether an agent has the tool that reads saved outputs. */
export function readsSavedOutputs(
  definition: Definition,
  parts: { tools: ReadonlyMap<string, AnyTool>; offers(definition: Definition, tool: AnyTool): boolean },
): boolean {
  const reader = parts.tools.get("Read");
  return reader !== undefined && parts.offers(definition, reader);
}

const SAVED_OUTPUT = "output:";

/** The name under which an agent finds the whole output of a call: `output:m3.1`. */
export const savedOutputName = (callId: string): string => `${SAVED_OUTPUT}${callId}`;

/** The id of the call whose output has this name. Undefined for the name of a file. */
export const callOfOutput = (name: string): string | undefined =>
  name.startsWith(SAVED_OUTPUT) ? name.slice(SAVED_OUTPUT.length) : undefined;

export const CONTEXT_BYTES = 30_000;

interface Bounded {
  text: string;
  cut: boolean;
}

/**
 * Shortens output for the context. It keeps the head and the tail, and says what is missing between them.
 * Gives two thirds of `max` to the head and one third to the tail. Cuts at line ends, unless a line is too long for that.
 */
export function boundOutput(text: string, max = CONTEXT_BYTES): Bounded {
  if (text.length <= max) return { text, cut: false };
  // The result contains the sentence about the missing part. If the result were too long, a second cut could remove that sentence.
  const room = max - MAX_GAP;
  const head = headEnd(text, Math.ceil((room * 2) / 3));
  const tail = tailStart(text, text.length - Math.floor(room / 3));
  const [shown, left, last] = [text.slice(0, head), text.slice(head, tail), text.slice(tail)];
  const isWholeLines = shown.endsWith("\n") && left.endsWith("\n");
  const what = isWholeLines ? missingLines(shown, left, last) : `${left.length} characters left out`;
  return { text: `${shown}${isWholeLines ? "" : "\n"}… ${what} …\n${last}`, cut: true };
}

/** Maximum length of the sentence about the missing part. */
const MAX_GAP = 100;

/** Cuts at a line end, unless that would lose more than half of the allowed length. */
function headEnd(text: string, at: number): number {
  const end = text.lastIndexOf("\n", at - 1) + 1;
  if (end >= at / 2) return end;
  return isHighSurrogate(text.charCodeAt(at - 1)) ? at - 1 : at;
}

function tailStart(text: string, at: number): number {
  const start = text.indexOf("\n", at - 1) + 1;
  if (start > 0 && start <= at + (text.length - at) / 2) return start;
  return isHighSurrogate(text.charCodeAt(at - 1)) ? at + 1 : at;
}

function missingLines(shown: string, left: string, last: string): string {
  const first = lineCount(shown) + 1;
  const end = first + lineCount(left) - 1;
  return `lines ${first}–${end} of ${end + lineCount(last)} left out`;
}

/** The number of lines in a text. A line break at the end does not begin another line. */
export const lineCount = (text: string): number =>
  text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;
