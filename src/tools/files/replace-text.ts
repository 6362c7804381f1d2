// Replaces a piece of text in a file. If the exact text is not found, three searches follow, each more tolerant than the one before:
//  1  ignores blanks at line ends
//  2  also treats typographic quotes, dashes and blanks like plain ones
//  3  also ignores indentation; the new text gets the file's indentation
// A tolerant search must find exactly one place. `replace_all` replaces exact matches only.

import { MAX_FILE_BYTES } from "./text-file.ts";

export interface Replacement {
  old_string: string;
  new_string: string;
  replace_all?: boolean | undefined;
}

/** A changed part of the new text: its first and its last line, counted from 1. */
export interface ChangedLines {
  first: number;
  last: number;
}

export type Replaced =
  | { ok: true; text: string; count: number; changed: ChangedLines; tolerance?: string }
  /** `why` completes a sentence that begins with the file's name. */
  | { ok: false; why: string };

/** `mask` masks the file's text before lines of it are shown. */
export function replaceText(
  text: string,
  { old_string, new_string, replace_all }: Replacement,
  mask: (text: string) => string = (shown) => shown,
): Replaced {
  if (old_string === "")
    return {
      ok: false,
      why: "was left as it is, because old_string is empty: name the text to replace, or use Write for the whole content",
    };
  if (old_string === new_string)
    return { ok: false, why: "would stay as it is: old_string and new_string are the same" };
  const count = occurrences(text, old_string);
  // The size is checked before the new text is built, because many long replacements might not fit into memory.
  if (text.length + count * (new_string.length - old_string.length) > MAX_FILE_BYTES)
    return { ok: false, why: "would be longer than the 10 MB that can be read again" };
  if (count === 1 || (count > 1 && replace_all)) return replaceExact(text, old_string, new_string, count);
  if (count > 1)
    return {
      ok: false,
      why: `holds old_string ${count} times (lines ${linesOf(text, old_string).join(", ")}): add lines around it, or set replace_all`,
    };
  for (const { name, normalize, isIndent } of TOLERANCES) {
    const found = findLines(text, old_string, normalize);
    if (found.length > 1)
      return {
        ok: false,
        why: `holds old_string nowhere exactly, and ${found.length} places match it ${name} (lines ${found.map((at) => at + 1).join(", ")}): copy one of them exactly`,
      };
    if (found.length === 1)
      return replaceLines(text, found[0]!, { old_string, new_string }, { name, isIndent });
  }
  return { ok: false, why: `does not hold old_string.${nearestLines(mask(text), old_string)}` };
}

interface Tolerance {
  /** Words that complete a sentence beginning with "matched". */
  name: string;
  normalize(line: string): string;
  isIndent: boolean;
}

const TOLERANCES: readonly Tolerance[] = [
  { name: "ignoring blanks at line ends", normalize: (line) => line.trimEnd(), isIndent: false },
  {
    name: "ignoring the kind of quotes, dashes and blanks",
    normalize: (line) => plain(line).trimEnd(),
    isIndent: false,
  },
  { name: "ignoring indentation", normalize: (line) => plain(line).trim(), isIndent: true },
];

/** Replaces typographic quotes, dashes and blanks with plain characters, because models often write the plain ones. */
const plain = (line: string): string =>
  line
    .replace(/[‘’‚‛′]/g, "'")
    .replace(/[“”„‟″]/g, '"')
    .replace(/[‐‑‒–—−]/g, "-")
    .replace(/[\u00a0\u2000-\u200a\u202f\u3000]/g, " ");

function replaceExact(text: string, old: string, now: string, count: number): Replaced {
  const first = lineAt(text, text.indexOf(old));
  const last = lineAt(text, text.lastIndexOf(old)) + lineBreaks(now) * count - (count - 1) * lineBreaks(old);
  return {
    ok: true,
    text: text.replaceAll(old, () => now),
    count,
    changed: { first, last: Math.max(first, last) },
  };
}

/** Indexes of the lines where a match of `piece` begins. */
function findLines(text: string, piece: string, normalize: (line: string) => string): number[] {
  const lines = text.split("\n").map(normalize);
  const wanted = pieceLines(piece).map(normalize);
  if (wanted.every((line) => line === "")) return [];
  const found: number[] = [];
  for (let at = 0; at + wanted.length <= lines.length; at++)
    if (wanted.every((line, index) => lines[at + index] === line)) found.push(at);
  return found;
}

const pieceLines = (piece: string): string[] =>
  (piece.endsWith("\n") ? piece.slice(0, -1) : piece).split("\n");

function replaceLines(
  text: string,
  at: number,
  { old_string, new_string }: Replacement,
  { name, isIndent }: Omit<Tolerance, "normalize">,
): Replaced {
  const lines = text.split("\n");
  const old = pieceLines(old_string);
  const there = lines.slice(at, at + old.length);
  const now = new_string === "" ? [] : pieceLines(new_string);
  const fitted = isIndent ? indentAs({ lines, there }, old, now) : now;
  const ending = there[0]?.endsWith("\r") ? "\r" : "";
  const written = fitted.map((line) => (line.endsWith("\r") ? line : line + ending));
  lines.splice(at, old.length, ...written);
  const changed = { first: at + 1, last: at + Math.max(1, written.length) };
  return { ok: true, text: lines.join("\n"), count: 1, changed, tolerance: name };
}

/** Gives the new lines the file's indentation. Comparing the old lines with the file shows how the two indentations differ. */
function indentAs(
  { lines, there }: { lines: readonly string[]; there: readonly string[] },
  old: readonly string[],
  now: readonly string[],
): string[] {
  const pairs = old
    .map((line, index) => [indentOf(line), indentOf(there[index]!)] as const)
    .filter((_, index) => old[index]!.trim() !== "")
    .sort(([a], [b]) => b.length - a.length);
  const deeper = converter(lines, [...old, ...now]);
  return now.map((line) => {
    if (line.trim() === "") return line;
    const indent = indentOf(line);
    const [from, to] = pairs.find(([given]) => indent.startsWith(given)) ?? ["", ""];
    return to + deeper(indent.slice(from.length)) + line.slice(indent.length);
  });
}

/** Returns a function that converts the additional indentation of a line from the model's levels to the file's levels. */
function converter(file: readonly string[], given: readonly string[]): (rest: string) => string {
  const wanted = levelOf(file);
  const written = levelOf(given);
  if (wanted === undefined || written === undefined) return (rest) => rest;
  // If both indent with spaces, their widths cannot be compared reliably, so the model's indentation stays as it is.
  if (wanted !== "\t" && written !== "\t") return (rest) => rest;
  return (rest) => rest.replaceAll(written, wanted);
}

/** One level of the indentation that most of these lines have: a tab, or the smallest step between two indentations. Undefined if no line is indented. */
function levelOf(lines: readonly string[]): string | undefined {
  const indents = lines.filter((line) => line.trim() !== "").map(indentOf);
  const tabbed = indents.filter((indent) => indent.startsWith("\t")).length;
  const blanks = indents.map((indent) => /^ */.exec(indent)![0].length).filter((length) => length >= 2);
  if (tabbed + blanks.length === 0) return undefined;
  if (tabbed >= blanks.length) return "\t";
  const lengths = [0, ...new Set(blanks)].sort((a, b) => a - b);
  const steps = lengths.slice(1).map((length, index) => length - lengths[index]!);
  return " ".repeat(Math.min(...steps.filter((step) => step >= 2)));
}

const indentOf = (line: string): string => /^[ \t]*/.exec(line)![0];

/** Shows the lines of the file that are most similar to `piece`, so that the model does not have to read the file again. */
function nearestLines(text: string, piece: string): string {
  const lines = pieceLines(text);
  const wanted = pieceLines(piece);
  // The longest line identifies the place best. A line such as `}` is in many places.
  const anchor = wanted.reduce(
    (best, line, at) => (line.trim().length > wanted[best]!.trim().length ? at : best),
    0,
  );
  let best = { at: -1, score: 0.4 };
  for (const [at, line] of lines.slice(0, MAX_COMPARED).entries()) {
    const score = similarity(line.trim(), wanted[anchor]!.trim());
    if (score > best.score) best = { at, score };
  }
  if (best.at < 0)
    return " Nothing in it is similar: read the file again, and copy the text without line numbers";
  const first = Math.max(0, best.at - anchor);
  const from = Math.max(0, first - 2);
  const shown = lines.slice(from, Math.min(lines.length, first + wanted.length + 2, from + MAX_SHOWN));
  const numbered = shown.map((line, index) => `${from + index + 1}\t${line.slice(0, 300)}`);
  return ` The most similar lines are:\n${numbered.join("\n")}\n${difference(lines, wanted, first)}Copy the text exactly, without line numbers`;
}

const MAX_COMPARED = 20_000;
const MAX_SHOWN = 20;

/** Says where `wanted` first differs from the lines at `first`. Indentation and blanks at line ends do not count, because a search ignores them. */
function difference(lines: readonly string[], wanted: readonly string[], first: number): string {
  if (wanted.every((line) => /^\s*\d+\t/.test(line))) return "old_string begins with line numbers. ";
  const at = wanted.findIndex(
    (line, index) => plain(line).trim() !== plain(lines[first + index] ?? "").trim(),
  );
  if (at < 0) return "";
  const [given, there] = [wanted[at]!.trim(), lines[first + at]?.trim()];
  if (there === undefined) return `The file ends before line ${at + 1} of old_string. `;
  let same = 0;
  while (same < given.length && given[same] === there[same]) same++;
  const near = (text: string): string => JSON.stringify(text.slice(Math.max(0, same - 20), same + 40));
  return `In line ${first + at + 1} the file has ${near(there)}, old_string has ${near(given)}. `;
}

/** The share of character pairs that both texts have in common, from 0 to 1. */
function similarity(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length < 2 || b.length < 2) return 0;
  const pairs = new Map<string, number>();
  for (let at = 0; at + 2 <= a.length; at++) {
    const pair = a.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let common = 0;
  for (let at = 0; at + 2 <= b.length; at++) {
    const left = pairs.get(b.slice(at, at + 2)) ?? 0;
    if (left === 0) continue;
    pairs.set(b.slice(at, at + 2), left - 1);
    common++;
  }
  return (2 * common) / (a.length + b.length - 2);
}

function occurrences(text: string, piece: string): number {
  let count = 0;
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + piece.length)) count++;
  return count;
}

function linesOf(text: string, piece: string): number[] {
  const found: number[] = [];
  for (
    let at = text.indexOf(piece);
    at >= 0 && found.length < 10;
    at = text.indexOf(piece, at + piece.length)
  )
    found.push(lineAt(text, at));
  return found;
}

const lineAt = (text: string, at: number): number => lineBreaks(text.slice(0, at)) + 1;

const lineBreaks = (text: string): number => text.split("\n").length - 1;
