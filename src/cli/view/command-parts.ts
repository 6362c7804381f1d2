// Explains a shell command part by part (U24). The parts are parsed from the command, never taken from the agent's description.
// Parts of a command that are only known at run time are marked.

import type { CommandView } from "../../api/client/types.ts";
import { truncate } from "./screen.ts";
import { fitLine, type Page } from "./text/fit.ts";
import { plain, plainLine } from "./text/plain.ts";

/** Returns no lines if the command is a single program that needs no explanation. */
export function commandPartLines(command: CommandView, page: Page): string[] {
  const { programs, files, hosts, decoded } = command;
  const isPlain = programs.length < 2 && programs.every(({ note }) => note === undefined);
  const parts = [
    ...doubts(command),
    ...(isPlain ? [] : programs.map((program) => programText(program))),
    ...nameLine("writes", pathsOf(files, "writes")),
    ...nameLine("reads", pathsOf(files, "reads")),
    ...nameLine("contacts", hosts),
    ...decoded.flatMap(({ text }) => [
      "encoded; it says:",
      ...plain(text)
        .split("\n")
        .map((line) => `  ${line}`),
    ]),
  ];
  if (parts.length === 0) return [];
  const lines = parts.flatMap((text) => fitLine({ head: "  ", text, next: "    " }, page));
  return ["", page.paint("dim", "what it would do:"), ...lines.map((line) => page.paint("dim", line))];
}

function doubts({ grade, why }: CommandView): string[] {
  if (grade === "exact") return [];
  const what =
    grade === "broken" ? "this cannot be read reliably" : "parts of it are only known when it runs";
  return [why === "" ? what : `${what} (${plainLine(why)})`];
}

function programText({ argv, depth, readOnly, note }: CommandView["programs"][number]): string {
  const words = argv.map((word) => (word === null ? "⟨known when it runs⟩" : wordText(word))).join(" ");
  const marks = [...(readOnly ? ["only reads"] : []), ...(note === undefined ? [] : [plainLine(note)])];
  const tail = marks.length === 0 ? "" : `  (${marks.join("; ")})`;
  return `${"  ".repeat(depth)}runs ${words}${tail}`;
}

/** Length at which words are truncated. The command itself is always shown in full. */
const LONGEST = 120;

function wordText(word: string): string {
  const text = truncate(plainLine(word), LONGEST);
  return word === "" || /\s/.test(word) ? JSON.stringify(text) : text;
}

const pathsOf = (files: CommandView["files"], wanted: "writes" | "reads"): string[] =>
  files
    .filter(({ use }) => use === wanted)
    .map(({ path, outside }) => (outside ? `${path} (outside the workspace)` : path));

const nameLine = (verb: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${verb} ${plainLine(names.join(", "))}`];
