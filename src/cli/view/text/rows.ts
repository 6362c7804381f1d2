// A table whose cells are wrapped instead of truncated.

import { cellWidth } from "../screen.ts";
import { table } from "./table.ts";
import { wrapText } from "./word-wrap.ts";

/** With less room than this for the last cell, the cells of each row are stacked below each other. */
const NARROWEST = 24;
const GAP = 2;

/** Only for text without colours. */
export function wrappedRows(rows: readonly (readonly string[])[], width?: number): string[] {
  const lines = table(rows);
  if (width === undefined) return lines;
  const heads = lines.map((line, index) => line.slice(0, line.length - (rows[index]!.at(-1) ?? "").length));
  const isTight = (line: string, index: number): boolean =>
    cellWidth(line) >= width && width - cellWidth(heads[index]!) < NARROWEST;
  if (lines.some(isTight)) return stacked(rows, width);
  return lines.flatMap((line, index) =>
    cellWidth(line) < width ? [line] : hung(heads[index]!, [rows[index]!.at(-1)!], width),
  );
}

function stacked(rows: readonly (readonly string[])[], width: number): string[] {
  const second = Math.max(...rows.map(([first = ""]) => cellWidth(first))) + GAP;
  return rows.flatMap(([first = "", ...rest]) =>
    hung(first + " ".repeat(second - cellWidth(first)), rest, width),
  );
}

/** Stacks the cells to the right of the head, each wrapped between words. */
function hung(head: string, cells: readonly string[], width: number): string[] {
  const indent = cellWidth(head);
  const lines = cells
    .filter((cell) => cell !== "")
    .flatMap((cell) => wrapText(cell, Math.max(1, width - 1 - indent)).split("\n"));
  return lines.map((text, index) => (index === 0 ? head : " ".repeat(indent)) + text.trimEnd());
}
