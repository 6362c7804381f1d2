// Matches texts against patterns whose only special character is `*`. Strangers write both, so matching must take linear time.
// A regular expression with many `.*` takes exponential or polynomial time.

/** A text with wildcards: the literal pieces between them. A `*` at an end gives an empty piece there. */
export interface Wildcard {
  pieces: readonly string[];
  test(text: string): boolean;
}

/** Compares the first and the last piece with the ends of the text, and finds each other piece at its first possible place. */
export function wildcard(pieces: readonly string[], ignoreCase = false): Wildcard {
  const [first = "", ...rest] = ignoreCase ? pieces.map((piece) => piece.toLowerCase()) : pieces;
  const last = rest.pop();
  return {
    pieces,
    test(given) {
      const text = ignoreCase ? given.toLowerCase() : given;
      if (last === undefined) return text === first;
      if (!text.startsWith(first)) return false;
      let at = first.length;
      for (const piece of rest) {
        const found = text.indexOf(piece, at);
        if (found < 0) return false;
        at = found + piece.length;
      }
      return text.length - last.length >= at && text.endsWith(last);
    },
  };
}
