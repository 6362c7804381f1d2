// U24: lists the programs, files and hosts of a command, as the server parsed it.
// A warning appears if the text does not show everything that the command would do.

import { FileInput, FileOutput, Globe, ScrollText, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { CommandView } from "../../../../src/api/client/types.ts";
import { Badge } from "../../ui/badge.tsx";
import { VisibleText } from "../visible-text.tsx";
import { CommandText, CommandTitle } from "./command-text.tsx";

export function CommandParts({ command }: { command: CommandView }) {
  const { grade, why, programs, files, hosts, decoded } = command;
  return (
    <div className="flex flex-col gap-2 text-sm">
      {grade !== "exact" && (
        <p className="flex items-start gap-1.5 text-warn">
          <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
          <span>
            {grade === "broken"
              ? "This command cannot be parsed reliably"
              : "Parts of it are only known when it runs"}
            {why && (
              <>
                {" "}
                (<VisibleText text={why} />)
              </>
            )}
            .
          </span>
        </p>
      )}
      <Programs programs={programs} />
      <Named icon={<FileOutput size={14} aria-hidden />} label="Writes" names={pathsOf(files, "writes")} />
      <Named icon={<FileInput size={14} aria-hidden />} label="Reads" names={pathsOf(files, "reads")} />
      <Named
        icon={<Globe size={14} aria-hidden />}
        label="Contacts"
        names={hosts.map((host) => ({ name: host }))}
      />
      {decoded.map(({ from, text }) => (
        <div key={from} className="rounded-md border border-line p-2">
          <p className="flex items-center gap-1.5 text-warn">
            <ScrollText size={14} aria-hidden /> Encoded text, decoded:
          </p>
          <CommandText text={text} className="mt-1 rounded bg-raised p-2" />
        </div>
      ))}
    </div>
  );
}

function Programs({ programs }: Pick<CommandView, "programs">) {
  let at = 0;
  return (
    <ol aria-label="Programs" className="flex flex-col gap-1">
      {programs.map(({ argv, depth, readOnly, note }) => (
        <li key={at++} className={INDENT[Math.min(depth, 3)]}>
          <code className="break-words font-mono text-xs [overflow-wrap:anywhere]">
            {depth > 0 && <span className="text-muted">runs </span>}
            <Words argv={argv} />
          </code>{" "}
          {readOnly && <Badge tone="good">only reads</Badge>}
          {note && (
            <Badge tone="warn">
              <VisibleText text={note} />
            </Badge>
          )}
        </li>
      ))}
    </ol>
  );
}

const INDENT = ["", "ml-4", "ml-8", "ml-12"];

function Words({ argv: [program, ...words] }: { argv: readonly (string | null)[] }) {
  let at = 0;
  return (
    <>
      <strong className="font-semibold">
        <Word word={program ?? null} />
      </strong>
      {words.map((word) => (
        <span key={at++} className="text-muted">
          {" "}
          <Word word={word} />
        </span>
      ))}
    </>
  );
}

function Word({ word }: { word: string | null }) {
  if (word === null) return <i className="text-warn">⟨known at run time⟩</i>;
  const shown = word.length > LONGEST ? `${word.slice(0, LONGEST)}…` : word;
  return <CommandTitle text={/[\s]/.test(shown) || shown === "" ? JSON.stringify(shown) : shown} />;
}

/** Longer words are cut, because the page also shows the full text of the command. */
const LONGEST = 120;

interface NameShown {
  name: string;
  mark?: string;
}

const pathsOf = (files: CommandView["files"], wanted: "writes" | "reads"): NameShown[] =>
  files
    .filter(({ use }) => use === wanted)
    .map(({ path, outside }) => (outside ? { name: path, mark: "outside the workspace" } : { name: path }));

function Named({ icon, label, names }: { icon: ReactNode; label: string; names: readonly NameShown[] }) {
  if (names.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span className="flex items-center gap-1.5 text-muted">
        {icon} {label}
      </span>
      {names.map(({ name, mark }) => (
        <span key={name} className="flex items-center gap-1">
          <code className="break-all font-mono text-xs">
            <CommandTitle text={name} />
          </code>
          {mark && <Badge tone="bad">{mark}</Badge>}
        </span>
      ))}
    </p>
  );
}
