// Wraps long lines between words, because a terminal would break them anywhere. Colours have no width.
// Without a terminal, lines are left as they are.

import { type Screen, visibleWidth } from "../screen.ts";
import { wordWrap } from "./word-wrap.ts";

/** The screen the lines are written to. */
export type Page = Pick<Screen, "rich" | "columns" | "paint">;

/** Wraps lines and indents continuation lines. A command is never wrapped, so that people can copy it. */
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

/** `next`: prefix of each continuation line. */
export function fitLine(
  { head, text, next = " ".repeat(visibleWidth(head)) }: { head: string; text: string; next?: string },
  { rich, columns }: Pick<Page, "rich" | "columns">,
): string[] {
  if (!rich || visibleWidth(head + text) <= columns) return [head + text];
  const wrap = wordWrap(columns, { begin: visibleWidth(head), next });
  const broken = head + wrap.add(text) + wrap.rest();
  return broken.split("\n").map((line) => line.trimEnd());
}
