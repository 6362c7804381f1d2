// Spells out control, bidirectional and invisible characters, so that a person sees the whole text before deciding on it.

/** Matches a whole emoji. Its joiners and modifiers are harmless inside the emoji. */
const EMOJI =
  /(?!\p{C})\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?(?:\u200d(?!\p{C})\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?)*/u;
const HIDDEN = /[^\t\n\P{C}]|\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u2800]/u;
const EITHER = new RegExp(`(${EMOJI.source})|${HIDDEN.source}`, "gu");

/** Replaces each hidden character by `⟦U+202E⟧` or the like. Tabs, line ends (also CR LF) and whole emoji stay. */
export function revealHidden(text: string): string {
  return text.replace(EITHER, (found, emoji: string | undefined, at: number) => {
    if (emoji !== undefined || (found === "\r" && text[at + 1] === "\n")) return found;
    return `⟦U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟧`;
  });
}

/** Spells out the hidden characters in a file name. Tabs and line ends are spelled out too, so that the name cannot start another line. */
export const revealHiddenInName = (name: string): string =>
  revealHidden(name).replace(
    /[\r\n\t]/g,
    (character) => `⟦U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`,
  );
