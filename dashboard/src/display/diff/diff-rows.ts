// Parses a unified diff into rows.
// The counts in a hunk's header say how many lines belong to the hunk, so changed text cannot be mistaken for a header.

export interface DiffLine {
  kind: "same" | "added" | "removed";
  text: string;
  before?: number;
  after?: number;
}

export type DiffRow = DiffLine | { kind: "file" | "hunk" | "note"; text: string };

export type DiffPart = { kind: "rows"; rows: DiffRow[] } | { kind: "fold"; rows: DiffLine[] };

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

export function diffRows(patch: string): DiffRow[] {
  const left = { before: 0, after: 0 };
  const at = { before: 0, after: 0 };
  return patch
    .replace(/\n$/, "")
    .split("\n")
    .map((line): DiffRow => {
      if (left.before + left.after > 0) return lineOf(line, left, at);
      const hunk = HUNK.exec(line);
      if (!hunk) return outside(line);
      const [, before, befores = 1, after, afters = 1] = hunk;
      Object.assign(at, { before: Number(before), after: Number(after) });
      Object.assign(left, { before: Number(befores), after: Number(afters) });
      return { kind: "hunk", text: line };
    });
}

interface Sides {
  before: number;
  after: number;
}

function lineOf(line: string, left: Sides, at: Sides): DiffRow {
  const text = line.slice(1);
  switch (line[0]) {
    case "+":
      left.after--;
      return { kind: "added", text, after: at.after++ };
    case "-":
      left.before--;
      return { kind: "removed", text, before: at.before++ };
    case "\\":
      return { kind: "note", text: line };
    default:
      left.before--;
      left.after--;
      return { kind: "same", text, before: at.before++, after: at.after++ };
  }
}

/** Lines outside a hunk: file names, notes, or the content of a new file. */
function outside(line: string): DiffRow {
  if (line.startsWith("--- ") || line.startsWith("+++ ")) return { kind: "file", text: line };
  if (line.startsWith("+")) return { kind: "added", text: line.slice(1) };
  if (line.startsWith("-")) return { kind: "removed", text: line.slice(1) };
  return { kind: "note", text: line };
}

const AROUND = 3;
const FOLD_FROM = 4;

/** Separates changes and the lines around them from long unchanged parts. The page collapses the unchanged parts. */
export function diffParts(rows: readonly DiffRow[]): DiffPart[] {
  const parts: DiffPart[] = [];
  let same: DiffLine[] = [];
  const show = (more: DiffRow[]) => {
    const last = parts.at(-1);
    if (last?.kind === "rows") last.rows.push(...more);
    else if (more.length > 0) parts.push({ kind: "rows", rows: more });
  };
  const close = (atEnd: boolean) => {
    const head = parts.length === 0 ? 0 : AROUND;
    const tail = atEnd ? 0 : AROUND;
    const folded = same.slice(head, same.length - tail);
    if (folded.length < FOLD_FROM) show(same);
    else {
      show(same.slice(0, head));
      parts.push({ kind: "fold", rows: folded });
      show(same.slice(same.length - tail));
    }
    same = [];
  };
  for (const row of rows) {
    if (row.kind === "same") same.push(row);
    else {
      close(false);
      show([row]);
    }
  }
  close(true);
  return parts;
}
