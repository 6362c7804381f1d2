// Wraps text between words, and writes the agent's text as it arrives. A screen that cannot stream gets the recorded text instead.

import type { Delta } from "../../../journal/deltas.ts";
import { type Screen, visibleWidth } from "../screen.ts";
import { plainPieces } from "./plain.ts";

type TextDelta = Extract<Delta, { type: "text.delta" }>;

export interface StreamedWords {
  /** Must be called when a model call starts. Text of other calls is then ignored. */
  expect(callId: string, attempt: number): void;
  piece(delta: TextDelta): void;
  /** Writes the part of the recorded text that was not streamed. */
  finish(text: string): void;
}

export function createStreamedWords(screen: Screen): StreamedWords {
  let awaited = "";
  let shown = "";
  let toPlain = plainPieces();
  let wrap = wordWrap(screen.columns);
  const begin = (): void => {
    [shown, toPlain, wrap] = ["", plainPieces(), wordWrap(screen.columns)];
  };
  const end = (): void => {
    screen.stream(wrap.rest());
    if (shown !== "") screen.line();
  };
  const show = (text: string): void => {
    if (shown === "" && text !== "") screen.line();
    shown += text;
    screen.stream(wrap.add(toPlain(text)));
  };
  return {
    expect(callId, attempt) {
      end();
      awaited = `${callId}/${attempt}`;
      begin();
    },
    piece({ callId, attempt, text }) {
      if (screen.rich && `${callId}/${attempt}` === awaited) show(shown === "" ? text.trimStart() : text);
    },
    finish(whole) {
      const text = whole.trim();
      if (!text.startsWith(shown.trimEnd())) {
        end();
        begin();
      }
      show(text.slice(shown.length));
      end();
      awaited = "";
      begin();
    },
  };
}

export function wrapText(text: string, columns: number): string {
  const wrap = wordWrap(columns);
  return wrap.add(text) + wrap.rest();
}

export interface Wrapping {
  /** Number of cells already used on the first line. */
  begin?: number;
  /** Prefix of continuation lines. */
  next?: string;
}

/** A line that begins so continues the paragraph above it. Lists, headings, tables and code begin differently. */
const CONTINUES = /[\p{L}("'“‘«]/u;
const FENCE = "```";

/**
 * Wraps streamed text between words. Each word is held back until it is complete.
 * A paragraph that its author wrapped at a larger width is filled again, because its lines would otherwise be long and short in turn.
 */
export function wordWrap(
  columns: number,
  { begin = 0, next = "" }: Wrapping = {},
): { add(text: string): string; rest(): string } {
  let column = begin;
  let start = 0;
  let word = "";
  // Spaces are written together with the next word: a space after the last cell would start a new line.
  let spaces = "";
  /** The line of the text so far, and whether the lines are code. */
  let line = "";
  let isCode = false;
  /** A line break that is held back until the next character shows whether the paragraph continues. */
  let held: "break" | "fill" | undefined;
  const placeWord = (): string => {
    if (word === "") return "";
    const cells = spaces.length + visibleWidth(word);
    const breaks = column + spaces.length > start && column + cells > columns;
    if (breaks) start = visibleWidth(next);
    column = breaks ? start + visibleWidth(word) : column + cells;
    const text = breaks ? `\n${next}${word}` : `${spaces}${word}`;
    word = spaces = "";
    return text;
  };
  return {
    add(text) {
      let out = "";
      for (const character of text) {
        if (held === "fill" && CONTINUES.test(character)) spaces = " ";
        else if (held !== undefined) {
          out += "\n";
          column = start = 0;
        }
        held = undefined;
        if (character === "\n") {
          out += placeWord();
          spaces = "";
          if (line.startsWith(FENCE)) isCode = !isCode;
          held = visibleWidth(line) > columns && !isCode ? "fill" : "break";
          line = "";
          continue;
        }
        line += character;
        if (character === " ") {
          out += placeWord();
          spaces += " ";
        } else word += character;
      }
      return out;
    },
    rest: () => placeWord() + (held === undefined ? "" : "\n"),
  };
}
