// A minimal terminal emulator that computes the visible lines. It knows only the few control sequences that Cadre uses.

import { stripVTControlCharacters } from "node:util";

const ESCAPE = "\u001b[";
const ORDERS = new RegExp(`(${ESCAPE.replace("[", "\\[")}[\\d;]*[A-Za-z]|\n|\r)`);

const amount = (order: string): number => Number(order.slice(ESCAPE.length, -1) || 1);

/** All lines that were ever on the screen, including lines that have scrolled out. */
export function visible(text: string, columns: number): string[] {
  const lines = [""];
  let [row, column] = [0, 0];
  const putCharacter = (character: string): void => {
    if (column === columns) [row, column] = [row + 1, 0];
    lines[row] =
      `${(lines[row] ?? "").slice(0, column).padEnd(column)}${character}${(lines[row] ?? "").slice(column + 1)}`;
    column++;
  };
  for (const piece of text.split(ORDERS)) {
    if (piece === "\r") column = 0;
    else if (piece === "\n") [row, column] = [row + 1, 0];
    else if (piece.startsWith(ESCAPE) && piece.endsWith("A")) row = Math.max(0, row - amount(piece));
    else if (piece.startsWith(ESCAPE) && piece.endsWith("E")) [row, column] = [row + amount(piece), 0];
    else if (piece === "\u001b[2K") lines[row] = "";
    else if (piece === "\u001b[K") lines[row] = lines[row]!.slice(0, column);
    else if (piece === "\u001b[0J") lines.splice(row, Infinity, lines[row]!.slice(0, column));
    else if (piece.startsWith(ESCAPE) && piece.endsWith("G")) column = amount(piece) - 1;
    else for (const character of stripVTControlCharacters(piece)) putCharacter(character);
    lines[row] ??= "";
  }
  return lines.slice(0, row + 1);
}
