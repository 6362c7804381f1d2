// A terminal that is only ever added to, but for its last lines: what goes on right now, and the question that awaits an
// answer. Where there is no terminal, or a person wants it calm (NO_COLOR, TERM=dumb, ACCESSIBLE), lines are all there is.
//  W1  Everything that is not ours goes through `plain` before it comes here.
//  W2  The last lines are gone before anything else is written, and written anew below it in the same breath: no line is
//      ever written over another, and nothing flickers.
//  W3  While somebody types a line or is in their editor, nothing is written at all: it comes when they are done.

import { stripVTControlCharacters, styleText } from "node:util";

export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

export interface Screen {
  /** Colours, last lines that change, words as they stream. */
  readonly rich: boolean;
  readonly paint: Paint;
  /** How many cells a line has. */
  readonly columns: number;
  /** How many lines there are for what goes on, so that a question stays in sight with all that belongs to it. */
  readonly room: number;
  /** One more line, or several in one breath. Without a text: ends an open one, or leaves an empty one. */
  line(text?: string): void;
  /** Text without an end: the next piece goes on where it stopped. */
  stream(text: string): void;
  /** What goes on right now; no lines: nothing. None may be longer than `columns`. */
  live(lines: readonly string[]): void;
  /** A question whose answer is awaited at its end; undefined: it is taken away. */
  prompt(question: Question | undefined): void;
  /** Asks it again where something was written below it, or its text is another now. */
  redraw(): void;
  /** The key that answered the question: both stay. */
  answer(key: string): void;
  /** Leaves the terminal to somebody else until the answer is called. */
  hold(): () => void;
}

export interface Question {
  text(): string;
  /** Lines that were written for it and should stay in sight. */
  above: number;
}

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

type Env = Readonly<Record<string, string | undefined>>;

export function createScreen(out: Output, env: Env): Screen {
  const isCalm = Boolean(env["NO_COLOR"] || env["ACCESSIBLE"]) || env["TERM"] === "dumb";
  const rich = out.isTTY === true && !isCalm;
  const columns = (): number => out.columns || 80;
  let live: readonly string[] = [];
  let question: Question | undefined;
  let isLineOpen = false;
  const { write, hold } = createWriter(out, columns, () => {
    if (!rich || isLineOpen) return [];
    if (question) return [...live, question.text()];
    return live.length > 1 ? ["", ...live] : live;
  });

  function stream(text: string): void {
    if (text === "") return;
    isLineOpen = !text.endsWith("\n");
    write(text);
  }

  return {
    rich,
    paint: (format, text) => (rich ? styleText(format, text, { validateStream: false }) : text),
    get columns() {
      return columns();
    },
    get room() {
      const asked = question ? question.above + rowsOf(question.text(), columns()) : 1;
      return Math.max(1, (out.rows || 24) - 1 - asked);
    },
    line(text) {
      const begin = isLineOpen && text !== undefined ? "\n" : "";
      isLineOpen = false;
      write(`${begin}${text ?? ""}\n`);
    },
    stream,
    live(lines) {
      live = lines;
      write("");
    },
    prompt(next) {
      const isOpen = question !== undefined && isLineOpen;
      question = next;
      if (rich) write("");
      else if (next) stream(next.text());
      else if (isOpen) stream("\n");
    },
    redraw() {
      if (rich) write("");
      else if (question && !isLineOpen) stream(question.text());
    },
    answer(key) {
      const asked = rich ? (question?.text() ?? "") : "";
      question = undefined;
      stream(`${asked}${key}\n`);
    },
    hold,
  };
}

/** Writes what stays, and below it the last lines as they are now. */
function createWriter(out: Output, columns: () => number, lastLines: () => readonly string[]) {
  let drawn: readonly string[] = [];
  let held: string | undefined;

  function write(text: string): void {
    if (held !== undefined) {
      held += text;
      return;
    }
    const next = lastLines();
    if (text === "" && next.join("\n") === drawn.join("\n")) return;
    out.write(erasing(drawn, columns()) + text + next.join("\n"));
    drawn = next;
  }

  function hold(): () => void {
    out.write(erasing(drawn, columns()));
    [drawn, held] = [[], held ?? ""];
    return () => {
      const text = held ?? "";
      held = undefined;
      write(text);
    };
  }

  return { write, hold };
}

/** From the end of these lines to where they began, with nothing left of them. */
function erasing(lines: readonly string[], columns: number): string {
  const rows = lines.reduce((sum, line) => sum + rowsOf(line, columns), 0);
  return rows === 0 ? "" : `\r\u001B[2K${"\u001B[1A\u001B[2K".repeat(rows - 1)}`;
}

const rowsOf = (line: string, columns: number): number =>
  Math.max(1, Math.ceil(visibleCells(line) / columns));

/** As much of a line as fits into so many cells: one that wraps could not be rewritten. */
export function fitted(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text;
  let shown = "";
  let used = 1;
  for (const character of text) {
    used += cellsOf(character);
    if (used > cells) break;
    shown += character;
  }
  return `${shown}…`;
}

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F000}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

export function cellsOf(text: string): number {
  let cells = 0;
  for (const character of text) cells += /\p{M}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return cells;
}

/** Of a text with colours. */
export const visibleCells = (text: string): number => cellsOf(stripVTControlCharacters(text));
