import { CommandPieces } from "./command-text.tsx";

/** The same as part of a line: blanks are one blank, and what hides is spelled out. */
export function CommandTitle({ text }: { text: string }) {
  return <CommandPieces text={text} blanks="one" />;
}
