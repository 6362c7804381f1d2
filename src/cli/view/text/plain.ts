// Sanitises text from models, tools, files and people before it is printed (A17, A64).
// Sanitised text cannot control the terminal. Invisible characters are replaced with their codes.
// Only our own code sets colours and moves the cursor.

/** Matches hidden characters: control characters except tab and newline, bidirectional marks, invisible characters and lone surrogates. */
const HIDDEN =
  /(?<emoji>\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)*)|[^\t\n\P{C}]|\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u2800]/gu;

/** Replaces each hidden character with its code, such as `⟦U+202E⟧`. Joined emoji are kept, because nothing can hide in them. */
export function plain(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(HIDDEN, (found, emoji: string | undefined) => emoji ?? spellOut(found));
}

/** Sanitises text that must stay on one line, such as titles, names and table cells. */
export function plainLine(text: string): string {
  return plain(text).replaceAll(/\s+/g, " ").trim();
}

/** Formats a value as one line of JSON that is safe to print: it also escapes characters that a terminal would interpret. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /\p{C}|\p{Default_Ignorable_Code_Point}|[\u2028\u2029]/gu,
    (found) =>
      found
        .split("")
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join(""),
  );
}

/** Sanitises streamed text. The first half of a surrogate pair is held back until the second half arrives. */
export function plainPieces(): (piece: string) => string {
  let rest = "";
  return (piece) => {
    const text = rest + piece;
    rest = /[\uD800-\uDBFF\r]$/.exec(text)?.[0] ?? "";
    return plain(text.slice(0, text.length - rest.length));
  };
}

const spellOut = (character: string): string =>
  `⟦U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟧`;

/** Adds a full stop to the text, unless the text already ends with `.`, `?` or `!`. */
export const asSentence = (text: string): string => text.trim().replace(/[^.?!]$/, "$&.");
