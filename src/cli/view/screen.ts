// A terminal that is only ever added to, with at most one line at its end that is rewritten. Where there is no terminal,
// or a person wants it calm (NO_COLOR, TERM=dumb, ACCESSIBLE), lines are all there is.
//  W1  Everything that is not ours goes through `plain` before it comes here.
//  W2  The status line is gone before anything else is written: no line is ever written over another.

import { styleText } from "node:util";

export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

export interface Screen {
  /** Colours, a status line, words as they stream. */
  readonly rich: boolean;
  readonly paint: Paint;
  /** How many cells a line has. */
  readonly columns: number;
  /** One more line. Without a text: ends an open one, or leaves an empty one. */
  line(text?: string): void;
  /** Text without an end: the next piece goes on where it stopped. */
  stream(text: string): void;
  /** A question whose answer is awaited at its end; undefined: it is answered, or taken away. */
  prompt(text: string | undefined): void;
  /** Asks it again where something was written below it. */
  redraw(): void;
  /** What goes on right now; undefined: nothing. */
  status(text: string | undefined): void;
}

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

type Env = Readonly<Record<string, string | undefined>>;

export function createScreen(out: Output, env: Env): Screen {
  const isCalm = Boolean(env["NO_COLOR"] || env["ACCESSIBLE"]) || env["TERM"] === "dumb";
  const rich = out.isTTY === true && !isCalm;
  const paint: Paint = (format, text) => (rich ? styleText(format, text, { validateStream: false }) : text);
  let status: string | undefined;
  let isLineOpen = false;
  let question: string | undefined;
  const write = (text: string): void => {
    out.write(status === undefined ? text : `\r\u001B[2K${text}`);
    status = undefined;
  };
  const stream = (text: string): void => {
    if (text === "") return;
    write(text);
    isLineOpen = !text.endsWith("\n");
  };
  return {
    rich,
    paint,
    get columns() {
      return out.columns ?? 80;
    },
    line(text) {
      write(text === undefined ? "\n" : `${isLineOpen ? "\n" : ""}${text}\n`);
      isLineOpen = false;
    },
    stream,
    prompt(text) {
      question = text;
      stream(text ?? "");
    },
    redraw() {
      if (question !== undefined && !isLineOpen) stream(question);
    },
    status(text) {
      if (!rich || isLineOpen || text === status) return;
      const shown = text === undefined ? undefined : fitted(text, (out.columns ?? 80) - 1);
      if (shown === status) return;
      write(shown === undefined ? "" : paint("dim", shown));
      status = shown;
    },
  };
}

/** As much of a line as fits into so many cells: a status line that wraps could not be rewritten. */
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
