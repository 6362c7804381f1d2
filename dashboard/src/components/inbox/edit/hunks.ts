// U22: pure functions that split a file change into hunks, and build the file with only some hunks applied.
// Text between two hunks does not change, so the user has seen every text that a selection of hunks can produce.

import { diffLines } from "diff";

export interface Hunk {
  /** The first line that the hunk changes, counted in the old file. */
  line: number;
  /** A unified diff with some context lines. */
  patch: string;
}

interface Piece {
  before: string;
  after: string;
}

export interface Hunks {
  hunks: readonly Hunk[];
  /** Builds the file with only the chosen hunks applied. */
  textWith(chosen: ReadonlySet<number>): string;
}

/** A diff of two long, different texts would freeze the page, so it has a time limit. The server has the same limit. */
const TIMEOUT_MS = 100;
const AROUND = 3;

/** The hunks of a change; undefined if the diff takes too long. */
export function hunksOf(before: string, after: string): Hunks | undefined {
  const pieces = piecesOf(before, after);
  if (!pieces) return undefined;
  const touched = pieces.flatMap((piece, at) => (isHunk(piece) ? [at] : []));
  return {
    hunks: touched.map((at) => hunkAt(pieces, at)),
    textWith: (chosen) =>
      pieces.map((piece, at) => (chosen.has(touched.indexOf(at)) ? piece.after : piece.before)).join(""),
  };
}

/** Builds an input with which the same tool produces exactly the text `after`. */
export function inputProducing(input: unknown, before: string, after: string): unknown {
  const { path } = input as { path: string };
  return typeof input === "object" && input !== null && "old_string" in input
    ? { path, ...uniqueReplacement(before, after) }
    : { path, content: after };
}

function piecesOf(before: string, after: string): Piece[] | undefined {
  const parts = diffLines(before, after, { timeout: TIMEOUT_MS });
  if (!parts) return undefined;
  const pieces: Piece[] = [];
  for (const { value, added, removed } of parts) {
    const last = pieces.at(-1);
    const piece = { before: added ? "" : value, after: removed ? "" : value };
    if (last && isHunk(last) && (added || removed)) {
      last.before += piece.before;
      last.after += piece.after;
    } else pieces.push(piece);
  }
  return pieces;
}

const isHunk = ({ before, after }: Piece): boolean => before !== after;

function hunkAt(pieces: readonly Piece[], at: number): Hunk {
  const { before, after } = pieces[at]!;
  const gap = linesOf(pieces[at - 1]?.before ?? "");
  // Leaves out the first lines of the gap before this hunk, because the previous hunk already shows them.
  const above = gap.slice(Math.max(at > 1 ? AROUND : 0, gap.length - AROUND));
  const below = linesOf(pieces[at + 1]?.before ?? "").slice(0, AROUND);
  const [removed, added] = [linesOf(before), linesOf(after)];
  const lineIn = (side: keyof Piece) =>
    pieces.slice(0, at).reduce((sum, piece) => sum + linesOf(piece[side]).length, 1);
  const range = (side: keyof Piece, lines: readonly string[]) =>
    `${lineIn(side) - above.length},${above.length + lines.length + below.length}`;
  const marked = [
    ...above.map((text) => ` ${text}`),
    ...removed.map((text) => `-${text}`),
    ...added.map((text) => `+${text}`),
    ...below.map((text) => ` ${text}`),
  ];
  const head = `@@ -${range("before", removed)} +${range("after", added)} @@`;
  return { line: lineIn("before"), patch: [head, ...marked.map(withEnd)].join("\n") };
}

/** Marks a last line that has no newline. Otherwise a diff that adds the newline would seem to change nothing. */
const withEnd = (line: string): string =>
  line.endsWith("\n") ? line.slice(0, -1) : `${line}\n\\ No newline at end of file`;

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The smallest block of lines that contains the difference and occurs only once in the file. */
function uniqueReplacement(before: string, after: string): { old_string: string; new_string: string } {
  const [old, young] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, young.length);
  let head = 0;
  while (head < shorter && old[head] === young[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === young.at(-1 - tail)) tail++;
  for (let wider = 0; ; wider = wider * 2 + 1) {
    const [from, left] = [Math.max(0, head - wider), Math.max(0, tail - wider)];
    const piece = old.slice(from, old.length - left).join("");
    const isWhole = from === 0 && left === 0;
    if (isWhole || (piece !== "" && before.indexOf(piece) === before.lastIndexOf(piece)))
      return { old_string: piece, new_string: young.slice(from, young.length - left).join("") };
  }
}
