// Writes the output of a command as permanent lines.
// A command that follows a run opens the live screen (live/live-screen.ts) on top of this screen.
// This screen is used without a terminal, in CI, and with `--plain`, NO_COLOR, TERM=dumb or ACCESSIBLE.
//  W1  Text from models, tools, files and people must pass through `plain` before it is written to the screen.

import { stripVTControlCharacters, styleText } from "node:util";

export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

export interface Screen {
  /** Whether this is a terminal that has colours and can be redrawn. */
  readonly rich: boolean;
  readonly paint: Paint;
  /** Width of the screen in character cells. `rows` is the height in lines. */
  readonly columns: number;
  readonly rows: number;
  /** Writes one or more lines. If no text is given, ends an unfinished line or writes an empty line. */
  line(text?: string): void;
  /** Writes text without a line break. The next piece continues on the same line. */
  stream(text: string): void;
  /** Sets the drawing of the current activity. Undefined removes the drawing. Only a live screen shows drawings. */
  live(draw: Draw | undefined): void;
  /** Shows a question until it is answered. Undefined withdraws the question. */
  prompt(question: Question | undefined): void;
  /** Shows the question again if text was written below the question or the question's text has changed. */
  redraw(): void;
  /** Shows the key that answered the question. The card of the question stays on the screen. */
  answer(key: string): void;
  /** Hands the terminal over to an editor or a line prompt. Calling the returned function takes the terminal back. */
  suspend(): () => void;
}

/** Size of a part of the screen, in cells and lines. */
export interface Area {
  columns: number;
  rows: number;
}

/** Draws the current activity, with a status line below. An empty status line is left out. */
export type Draw = (room: Area) => { lines: readonly string[]; status: string };

export interface Question {
  /** The lines that describe the open item. */
  card(): readonly string[];
  /** The line with the possible answers. */
  text(): string;
}

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

type Env = Readonly<Record<string, string | undefined>>;

export function createScreen(out: Output, env: Env, isPlain = false): Screen {
  const rich = out.isTTY === true && !isPlain && !isCalm(env);
  let question: Question | undefined;
  let isLineOpen = false;

  function stream(text: string): void {
    if (text === "") return;
    isLineOpen = !text.endsWith("\n");
    out.write(text);
  }

  const endLine = (): void => stream(isLineOpen ? "\n" : "");

  return {
    rich,
    paint: (format, text) => (rich ? styleText(format, text, { validateStream: false }) : text),
    get columns() {
      return out.columns || 80;
    },
    get rows() {
      return out.rows || 24;
    },
    line(text) {
      if (text !== undefined) endLine();
      stream(`${text ?? ""}\n`);
    },
    stream,
    live() {},
    prompt(next) {
      if (question || next) endLine();
      question = next;
      if (next) stream([...next.card(), next.text()].join("\n"));
    },
    redraw() {
      if (question && !isLineOpen) stream(question.text());
    },
    answer(key) {
      question = undefined;
      stream(`${key}\n`);
    },
    suspend: () => () => {},
  };
}

const isCalm = (env: Env): boolean =>
  Boolean(env["NO_COLOR"] || env["ACCESSIBLE"]) ||
  env["TERM"] === "dumb" ||
  !["", "0", "false"].includes(env["CI"] ?? "");

/** Number of rows that a line occupies when the terminal wraps it. */
export const rowsTaken = (line: string, columns: number): number =>
  Math.max(1, Math.ceil(visibleWidth(line) / columns));

/** Truncates a line to the given number of character cells. A line that the terminal wraps could not be redrawn. */
export function truncate(text: string, cells: number): string {
  if (cellWidth(text) <= cells) return text;
  let shown = "";
  let used = 1;
  for (const character of text) {
    used += cellWidth(character);
    if (used > cells) break;
    shown += character;
  }
  return `${shown}…`;
}

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F000}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

export function cellWidth(text: string): number {
  let cells = 0;
  for (const character of text) cells += /\p{M}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return cells;
}

/** Width of a text without its colour codes. */
export const visibleWidth = (text: string): number => cellWidth(stripVTControlCharacters(text));
