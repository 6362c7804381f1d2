// A command, or any text that will be acted on, whole and with nothing hidden in it (A17). Long lines are broken, never
// cut: what is not in sight cannot have been agreed to.

import { TONES } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { commandPieces } from "./command-pieces.ts";

const TITLES = {
  hidden: "A character that cannot be seen",
  alike: "Looks like another letter than it is",
  fold: "Left out here: nothing but blanks",
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

/** The same as part of a line: blanks are one blank, and what hides is spelled out. */
export function CommandTitle({ text }: { text: string }) {
  return <CommandPieces text={text} blanks="one" />;
}
