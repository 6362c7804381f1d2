// Wraps long lines between words, because a terminal would break them in the middle of a word. Colour codes take no space.
// If the output is not a terminal, lines are left unchanged.

import { type Screen, visibleWidth } from "../screen.ts";
import { wordWrap } from "./word-wrap.ts";

export type Page = Pick<Screen, "rich" | "columns" | "paint">;

/** Wraps lines and indents continuation lines. A line with a command is never wrapped, so that people can copy the command. */
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

/** Wraps one line. `next` is the prefix of each continuation line. */
export function fitLine(
  { head, text, next = " ".repeat(visibleWidth(head)) }: { head: string; text: string; next?: string },
  { rich, columns }: Pick<Page, "rich" | "columns">,
): string[] {
  if (!rich || visibleWidth(head + text) <= columns) return [head + text];
  const wrap = wordWrap(columns, { begin: visibleWidth(head), next });
  const broken = head + wrap.add(text) + wrap.rest();
  return broken.split("\n").map((line) => line.trimEnd());
}
