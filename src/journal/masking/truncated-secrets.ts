// Finds the remaining part of a secret after a text was shortened with `…`. This part is directly before or after the `…`.

import { type SortedWords, sortWords } from "./sorted-words.ts";

const PART = 8;
/** If all words together have at most this many characters, their parts are indexed. The index makes the search faster, but needs memory. */
const MAX_INDEXED = 500_000;

export interface TruncatedSecrets {
  /** Replaces parts of at least eight characters. `mark` is called with the whole secret to which a part belongs. */
  replace(text: string, mark: (word: string) => string): string;
}

export function createTruncatedSecrets(words: readonly string[]): TruncatedSecrets {
  const longest = words.reduce((most, { length }) => Math.max(most, length), 0);
  const total = words.reduce((sum, { length }) => sum + length, 0);
  let indexes:
    | { forwards: SortedWords; reversed: SortedWords; parts: ReadonlySet<string> | undefined }
    | undefined;
  const build = () => ({
    forwards: sortWords(words),
    reversed: sortWords(words.map(backwards)),
    parts: total <= MAX_INDEXED ? new Set(words.flatMap(partsOf)) : undefined,
  });
  return {
    replace(text, mark) {
      if (!text.includes("…")) return text;
      indexes ??= build();
      const { forwards, reversed, parts } = indexes;
      const pieces = text.split("…");
      const last = pieces.length - 1;
      const mended = pieces.map((piece, index) => {
        const body = piece.replace(/\r?\n$/, "");
        const mayEnd = index < last && (parts?.has(body.slice(-PART)) ?? true);
        const ended = mayEnd ? withoutStart(piece, longest, forwards.longerThan, mark) : piece;
        const mayBegin = index > 0 && (parts?.has(ended.replace(/^\r?\n/, "").slice(0, PART)) ?? true);
        return mayBegin ? withoutEnd(ended, longest, reversed.longerThan, mark) : ended;
      });
      return mended.join("…");
    },
  };
}

const partsOf = (word: string): string[] =>
  Array.from({ length: Math.max(0, word.length - PART + 1) }, (_, at) => word.slice(at, at + PART));

type Mark = (word: string) => string;

/** A word that begins with this text and is longer. */
type FindLonger = (start: string) => string | undefined;

/** Replaces the start of a secret at the end of a piece of text. */
function withoutStart(piece: string, longest: number, find: FindLonger, mark: Mark): string {
  const body = piece.replace(/\r?\n$/, "");
  for (let length = Math.min(longest - 1, body.length); length >= PART; length--) {
    const word = find(body.slice(-length));
    if (word !== undefined)
      return body.slice(0, body.length - length) + mark(word) + piece.slice(body.length);
  }
  return piece;
}

/** If a piece of text begins with the last part of a secret, masks that part. */
function withoutEnd(piece: string, longest: number, find: FindLonger, mark: Mark): string {
  const body = piece.replace(/^\r?\n/, "");
  const before = piece.slice(0, piece.length - body.length);
  for (let length = Math.min(longest - 1, body.length); length >= PART; length--) {
    const word = find(backwards(body.slice(0, length)));
    if (word !== undefined) return before + mark(backwards(word)) + body.slice(length);
  }
  return piece;
}

/** Reverses the text by UTF-16 code units, so that its length and all positions in it stay valid. */
const backwards = (text: string): string => text.split("").reverse().join("");
