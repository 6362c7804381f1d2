// Where a command writes: lines, one below the other, each for good. A command that stays with something that goes on
// opens the live screen over it (live/live-screen.ts). Where there is no terminal, in CI, or where a person wants it calm
// (`--plain`, NO_COLOR, TERM=dumb, ACCESSIBLE), lines are all there is.
//  W1  Everything that is not ours goes through `plain` before it comes here.

import { stripVTControlCharacters, styleText } from "node:util";

export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

export interface Screen {
  /** A terminal with colours, on which something may be drawn anew. */
  readonly rich: boolean;
  readonly paint: Paint;
  /** How many cells a line has, and how many lines there are. */
  readonly columns: number;
  readonly rows: number;
  /** One more line, or several in one breath. Without a text: ends an open one, or leaves an empty one. */
  line(text?: string): void;
  /** Text without an end: the next piece goes on where it stopped. */
  stream(text: string): void;
  /** What goes on right now; undefined: nothing. Drawn only on a live screen. */
  live(draw: Draw | undefined): void;
  /** A question whose answer is awaited; undefined: it is taken away. */
  prompt(question: Question | undefined): void;
  /** Asks it again where something was written below it, or its text is another now. */
  redraw(): void;
  /** The key that answered the question; what the question was about stays. */
  answer(key: string): void;
  /** Leaves the terminal to somebody else until the answer is called. */
  hold(): () => void;
}

/** So many lines of so many cells. */
export interface Area {
  columns: number;
  rows: number;
}

/** A picture of what goes on, and below it one line that sums it up; empty: there is nothing to say. */
export type Draw = (room: Area) => { lines: readonly string[]; status: string };

export interface Question {
  /** What it is about; read before it is answered. */
  card(): readonly string[];
  /** The answers that there are. */
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
    hold: () => () => {},
  };
}

const isCalm = (env: Env): boolean =>
  Boolean(env["NO_COLOR"] || env["ACCESSIBLE"]) ||
  env["TERM"] === "dumb" ||
  !["", "0", "false"].includes(env["CI"] ?? "");

/** The rows that a line takes where it is broken at the edge. */
export const rowsTaken = (line: string, columns: number): number =>
  Math.max(1, Math.ceil(visibleWidth(line) / columns));

/** As much of a line as fits into so many cells: one that wraps could not be rewritten. */
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

/** Of a text with colours. */
export const visibleWidth = (text: string): number => cellWidth(stripVTControlCharacters(text));
