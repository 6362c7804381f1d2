// Long lines at a terminal: broken between words, where a terminal alone would break them anywhere. Colours take no room.
// Where there is no terminal, lines stay as they are.

import { type Screen, visibleWidth } from "../screen.ts";
import { wordWrap } from "./word-wrap.ts";

/** Where lines are written to. */
export type Page = Pick<Screen, "rich" | "columns" | "paint">;

/** What goes on is set in. A command stays whole, so that it can be copied. */
export function fitLines(lines: readonly string[], page: Pick<Page, "rich" | "columns">): string[] {
  return lines
    .flatMap((line) => line.split("\n"))
    .flatMap((line) => {
      if (COMMAND.test(line)) return [line];
      const head = /^ */.exec(line)![0];
      return fitLine({ head, text: line.slice(head.length), next: `${head}  ` }, page);
    });
}

const COMMAND = /^ +(npx cadre|node \S+|cadre) /;

/** `next` stands before each piece that goes on. */
export function fitLine(
  { head, text, next = " ".repeat(visibleWidth(head)) }: { head: string; text: string; next?: string },
  { rich, columns }: Pick<Page, "rich" | "columns">,
): string[] {
  if (!rich || visibleWidth(head + text) <= columns) return [head + text];
  const wrap = wordWrap(columns, { begin: visibleWidth(head), next });
  const broken = head + wrap.add(text) + wrap.rest();
  return broken.split("\n").map((line) => line.trimEnd());
}
