// Text that a person decides by must look like what it is: control, bidirectional and invisible characters are spelled out.

const HIDDEN = /[^\t\n\P{C}]|\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u2800]/gu;

/** `⟦U+202E⟧` for each; tabs, line ends (also CR LF) stay. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character, at: number) => {
    if (character === "\r" && text[at + 1] === "\n") return character;
    return `⟦U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟧`;
  });
}

/** A file's name on a line of its own: it can neither begin another line nor hide anything. */
export const visibleName = (name: string): string =>
  visible(name).replace(
    /[\r\n\t]/g,
    (character) => `⟦U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`,
  );
