// A17: shows a command, or another text that a person approves, in full and with nothing hidden.
// Long lines wrap and are never cut, because people cannot approve what they cannot see.

import { TONES } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { commandPieces } from "./command-pieces.ts";

const TITLES = {
  hidden: "Invisible character",
  alike: "Looks like a different letter",
  fold: "Only blanks, collapsed",
};

export function CommandText({ text, className }: { text: string; className?: string }) {
  return (
    <pre
      className={classNames(
        "whitespace-pre-wrap break-words font-mono text-xs [overflow-wrap:anywhere]",
        className,
      )}
    >
      <CommandPieces text={text} blanks="all" />
    </pre>
  );
}

export function CommandPieces({ text, blanks }: { text: string; blanks: "all" | "one" }) {
  let at = 0;
  return (
    <bdi>
      {commandPieces(text).map(({ kind, text: piece }) => {
        const key = at++;
        if (kind === "plain")
          return <span key={key}>{blanks === "one" ? piece.replaceAll(/\s+/g, " ") : piece}</span>;
        return (
          <mark key={key} title={TITLES[kind]} className={classNames("rounded px-0.5", TONES.bad)}>
            {piece}
          </mark>
        );
      })}
    </bdi>
  );
}

/** Shows a command within a line of text. Several blanks are shown as one, and hidden characters are spelled out. */
export function CommandTitle({ text }: { text: string }) {
  return <CommandPieces text={text} blanks="one" />;
}
