// Aligns rows in columns. The last cell gets the rest of the line.

import { truncate, visibleWidth } from "../screen.ts";

const GAP = 2;

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
