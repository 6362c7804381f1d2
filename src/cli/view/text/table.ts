// Formats tables for the terminal.

import { cellWidth, truncate, visibleWidth } from "../screen.ts";
import { wrapText } from "./word-wrap.ts";

const GAP = 2;

/** Aligns rows in columns. Truncates the last cell so that it fits the line. */
export function table(rows: readonly (readonly string[])[], width?: number): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => visibleWidth(row[column] ?? ""))),
  );
  const before = widths.slice(0, -1).reduce((sum, cells) => sum + cells + GAP, 0);
  return rows.map((row) =>
    row
      .map((cell, column) => {
        if (column < row.length - 1) return cell + " ".repeat(widths[column]! - visibleWidth(cell) + GAP);
        return width === undefined ? cell : truncate(cell, Math.max(10, width - before - 1));
      })
      .join("")
      .trimEnd(),
  );
}

/** Minimum width of the last column. If there is less room, the cells of each row are stacked. */
const NARROWEST = 24;

/** Draws a table whose last cells are wrapped instead of truncated. The text must have no colours. */
export function wrappedRows(rows: readonly (readonly string[])[], width?: number): string[] {
  const lines = table(rows);
  if (width === undefined) return lines;
  const heads = lines.map((line, index) => line.slice(0, line.length - (rows[index]!.at(-1) ?? "").length));
  const isTight = (line: string, index: number): boolean =>
    cellWidth(line) >= width && width - cellWidth(heads[index]!) < NARROWEST;
  if (lines.some(isTight)) return stackRows(rows, width);
  return lines.flatMap((line, index) =>
    cellWidth(line) < width ? [line] : hangCells(heads[index]!, [rows[index]!.at(-1)!], width),
  );
}

function stackRows(rows: readonly (readonly string[])[], width: number): string[] {
  const second = Math.max(...rows.map(([first = ""]) => cellWidth(first))) + GAP;
  return rows.flatMap(([first = "", ...rest]) =>
    hangCells(first + " ".repeat(second - cellWidth(first)), rest, width),
  );
}

/** Puts the cells below each other, to the right of the row's head. Each cell is wrapped between words. */
function hangCells(head: string, cells: readonly string[], width: number): string[] {
  const indent = cellWidth(head);
  const lines = cells
    .filter((cell) => cell !== "")
    .flatMap((cell) => wrapText(cell, Math.max(1, width - 1 - indent)).split("\n"));
  return lines.map((text, index) => (index === 0 ? head : " ".repeat(indent)) + text.trimEnd());
}
