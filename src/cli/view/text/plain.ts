// The one door from the world to the terminal (A17, A64): whatever models, tools, files and people wrote is text, never
// an instruction to the terminal, and nothing in it is invisible. Only our own code colours and moves the cursor.

/** Controls but tab and line end, bidirectional marks, zero-width and other invisible characters, lone surrogates. */
const HIDDEN =
  /(?<emoji>\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)*)|[^\t\n\P{C}]|\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u2800]/gu;

/** `⟦U+202E⟧` for each hidden character. An emoji that is joined from several stays whole: nothing hides in it. */
export function plain(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(HIDDEN, (found, emoji: string | undefined) => emoji ?? spelled(found));
}

/** For what must stay on its line: titles, names, cells of a table. */
export function plainLine(text: string): string {
  return plain(text).replaceAll(/\s+/g, " ").trim();
}

/** One value on one line, safe to print: what JSON leaves as it is and a terminal would obey is escaped too. */
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

/** Text that comes in pieces: a character that is cut in two is held back until its other half is there. */
export function plainPieces(): (piece: string) => string {
  let rest = "";
  return (piece) => {
    const text = rest + piece;
    rest = /[\uD800-\uDBFF\r]$/.exec(text)?.[0] ?? "";
    return plain(text.slice(0, text.length - rest.length));
  };
}

const spelled = (character: string): string =>
  `⟦U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟧`;
