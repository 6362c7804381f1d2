// Text that a person decides by must look like what it is: control, bidirectional and invisible characters are spelled out.

/** What joins or colours an emoji is part of one picture: nothing can hide in it. */
const EMOJI =
  /(?!\p{C})\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?(?:\u200d(?!\p{C})\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?)*/u;
const HIDDEN = /[^\t\n\P{C}]|\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u2800]/u;
const EITHER = new RegExp(`(${EMOJI.source})|${HIDDEN.source}`, "gu");

/** `⟦U+202E⟧` for each; tabs, line ends (also CR LF) and whole emoji stay. */
export function revealHidden(text: string): string {
  return text.replace(EITHER, (found, emoji: string | undefined, at: number) => {
    if (emoji !== undefined || (found === "\r" && text[at + 1] === "\n")) return found;
    return `⟦U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟧`;
  });
}

/** A file's name on a line of its own: it can neither begin another line nor hide anything. */
export const revealHiddenInName = (name: string): string =>
  revealHidden(name).replace(
    /[\r\n\t]/g,
    (character) => `⟦U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`,
  );
