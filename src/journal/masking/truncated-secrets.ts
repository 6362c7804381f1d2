// Finds the remaining part of a secret after a text was shortened with `…`. This part is directly before or after the `…`.

const PART = 8;

export interface TruncatedSecrets {
  /** Replaces parts of at least eight characters. `mark` is called with the whole secret to which a part belongs. */
  replace(text: string, mark: (word: string) => string): string;
}

export function createTruncatedSecrets(words: readonly string[]): TruncatedSecrets {
  let parts: Set<string> | undefined;
  const isPart = (text: string): boolean => {
    parts ??= new Set(words.flatMap(partsOf));
    return parts.has(text);
  };
  return {
    replace(text, mark) {
      if (!text.includes("…")) return text;
      const pieces = text.split("…");
      const last = pieces.length - 1;
      const mended = pieces.map((piece, index) => {
        const ended = index < last ? withoutStart(piece, words, isPart, mark) : piece;
        return index > 0 ? withoutEnd(ended, words, isPart, mark) : ended;
      });
      return mended.join("…");
    },
  };
}

const partsOf = (word: string): string[] =>
  Array.from({ length: Math.max(0, word.length - PART + 1) }, (_, at) => word.slice(at, at + PART));

type Mark = (word: string) => string;
type IsPart = (text: string) => boolean;

/** Replaces the start of a secret at the end of a piece of text. */
function withoutStart(piece: string, words: readonly string[], isPart: IsPart, mark: Mark): string {
  const body = piece.replace(/\r?\n$/, "");
  if (body.length < PART || !isPart(body.slice(-PART))) return piece;
  for (const word of words)
    for (let length = Math.min(word.length - 1, body.length); length >= PART; length--)
      if (body.endsWith(word.slice(0, length)))
        return body.slice(0, body.length - length) + mark(word) + piece.slice(body.length);
  return piece;
}

/** If a piece of text begins with the last part of a secret, masks that part. */
function withoutEnd(piece: string, words: readonly string[], isPart: IsPart, mark: Mark): string {
  const body = piece.replace(/^\r?\n/, "");
  const before = piece.slice(0, piece.length - body.length);
  if (body.length < PART || !isPart(body.slice(0, PART))) return piece;
  for (const word of words)
    for (let length = Math.min(word.length - 1, body.length); length >= PART; length--)
      if (body.startsWith(word.slice(-length))) return before + mark(word) + body.slice(length);
  return piece;
}
