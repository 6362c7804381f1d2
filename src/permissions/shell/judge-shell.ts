// Judges whether a shell command is read-only. A command that is not known to be harmless is treated as a change.

import { isInWorkspace, joinUnresolved, type WorkspaceView } from "../path-names.ts";
import type { ShellJudge } from "../permission.ts";
import { parseShell, type ShellWord } from "./parse-shell.ts";
import { READ_ONLY_COMMANDS, type ReadOnlySpec } from "./read-only-commands.ts";
import { isWrapper } from "./wrappers.ts";

interface Judgement {
  readOnly: boolean;
  why: string;
}

export const judgeShell: ShellJudge = (command) => {
  const parsed = parseShell(command);
  if (parsed.grade !== "exact") return notReadOnly(parsed.why);
  if (parsed.redirects.length > 0) return notReadOnly(`opens ${parsed.redirects[0]!.target} by redirection`);
  for (const one of parsed.commands) {
    if (one.assigns) return notReadOnly("sets variables for a command");
    const judgement = isReadOnlyCommand(one.argv);
    if (!judgement.readOnly) return judgement;
  }
  return { readOnly: true, why: "every command is known to only read" };
};

/** Judges a single command. If no workspace is given, links are not resolved, and every absolute path is treated as outside the workspace. */
export function isReadOnlyCommand(argv: readonly ShellWord[], workplace?: WorkspaceView): Judgement {
  if (argv.some((word) => word === undefined)) return notReadOnly("a word is known only when it runs");
  const [name = "", ...rest] = argv as readonly string[];
  if (isWrapper(name) && name !== "find") return notReadOnly(`${name} runs other commands`);
  if (name === "sed") return readsLinesWithSed(rest, workplace);
  if (name === "git") return gitOnlyReads(rest, workplace);
  return checkWords(name, rest, workplace);
}

/** The subcommand must come directly after `git` (or `--no-pager`), because other options can name programs to run (A26). */
function gitOnlyReads(words: readonly string[], workplace: WorkspaceView | undefined): Judgement {
  const [verb = "", ...rest] = words[0] === "--no-pager" ? words.slice(1) : words;
  const program = workplace?.gitProgramSetting?.(workplace.workspace);
  if (program !== undefined) return notReadOnly(`this repository has git run a program (${program})`);
  return checkWords(`git ${verb}`, rest, workplace);
}

/** `sed -n '10,20p' file` is the only accepted use of sed, because its script cannot write or run anything. */
function readsLinesWithSed(words: readonly string[], workplace: WorkspaceView | undefined): Judgement {
  const [flag, script = "", ...files] = words;
  if (flag !== "-n" || !/^\d+(,(\d+|\$))?p$/.test(script))
    return notReadOnly("sed can write files and run commands");
  return checkEach(files, (word) => !word.startsWith("-") && isInside(word, workplace), "sed");
}

function checkWords(name: string, words: readonly string[], workplace: WorkspaceView | undefined): Judgement {
  const spec = READ_ONLY_COMMANDS.get(name);
  if (!spec) return notReadOnly(`${name} is not known to only read`);
  // The first plain word is the search pattern, and any text is allowed. If `-e` gives the pattern, all plain words are paths.
  let patterns =
    spec.operands === "pattern-then-paths" && !words.some((word) => /^-\w*e|^--files$/.test(word)) ? 1 : 0;
  return checkEach(
    words,
    (word) => {
      if (spec.never?.test(word)) return false;
      if (word.startsWith("-") && word.length > 1) return isKnownFlag(word, spec);
      if (spec.operands === undefined) return false;
      if (spec.operands === "text" || patterns-- > 0) return true;
      return isInside(word, workplace) && !(spec.filesOnly && isFolder(word, workplace));
    },
    name,
  );
}

function checkEach(words: readonly string[], passes: (word: string) => boolean, name: string): Judgement {
  const stray = words.find((word) => !passes(word));
  return stray === undefined
    ? { readOnly: true, why: "" }
    : notReadOnly(`${name} with ${JSON.stringify(stray)}`);
}

/** Every word that looks like a flag is checked, even after `--` or as a value of another flag. So no flag can hide. */
function isKnownFlag(word: string, spec: ReadOnlySpec): boolean {
  if (spec.counts && /^-\d+$/.test(word)) return true;
  if (spec.words?.includes(word)) return true;
  const sign = word.indexOf("=");
  if (sign > 0 && spec.words?.includes(word.slice(0, sign + 1))) return true;
  if (word.startsWith("--")) return false;
  for (const letter of word.slice(1)) {
    if (spec.values?.includes(letter)) return true;
    if (!spec.letters?.includes(letter)) return false;
  }
  return true;
}

/** Reading outside the workspace is never allowed by default, because keys and other users' files are there. */
export function isInside(path: string, workplace: WorkspaceView | undefined): boolean {
  if (path.startsWith("~") || (path.startsWith("/") && !workplace)) return false;
  return isInWorkspace(path, workplace ?? { workspace: "/workspace" });
}

const isFolder = (path: string, workplace: WorkspaceView | undefined): boolean =>
  workplace?.inspectPath?.(joinUnresolved(path, workplace.workspace)).isFolder ?? false;

const notReadOnly = (why: string): Judgement => ({ readOnly: false, why });
