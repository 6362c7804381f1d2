// A search that only reads needs no approval, but its answer would tell what is in a file with keys: `grep -r "KEY=a" .` finds it or not (A71).
// So a sandbox shows these files empty to a search. Without a sandbox, a search that includes such a file is refused, with a hint for the agent.
// Only the approval of a person shows them. Grep searches such files in their masked form.

import { existsSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { isInside } from "../files/workspace-path.ts";
import type { ToolContext } from "../tool.ts";
import { plainWords } from "./protected-paths.ts";

export interface HiddenKeys {
  /** Absolute paths. */
  files: readonly string[];
  /** The names of the files that a search of whole folders would include. */
  searched: readonly string[];
  /** The names of the files that the command names. A rule allows that, or the word is a pattern. */
  named: readonly string[];
}

const NOTHING: HiddenKeys = { files: [], searched: [], named: [] };

export function hiddenKeys(
  command: string,
  { effect, approved, workspace }: Pick<ToolContext, "effect" | "approved" | "workspace">,
  keyFiles: ((workspace: string) => readonly string[]) | undefined,
): HiddenKeys {
  if (!keyFiles || effect !== "read" || approved || !/grep|rg/.test(command)) return NOTHING;
  const files = keyFiles(workspace);
  if (files.length === 0) return NOTHING;
  const words = plainWords(command);
  const searches = command
    .replaceAll(QUOTED, ` ${PLACEHOLDER} `)
    .split(/[|;&\n]+/)
    .map(plainWords)
    .filter(isDeepSearch);
  // git compares files with its records, so an empty file would look like a change.
  if (searches.length === 0 && words.includes("git")) return NOTHING;
  const pathOf = (word: string): string => (isAbsolute(word) ? word : join(workspace, word));
  const nameOf = (file: string): string => relative(workspace, file);
  const isSearched = (file: string): boolean =>
    searches.some(
      (search) =>
        (!skipsHidden(search) || !/(^|\/)\./.test(nameOf(file))) &&
        rootsOf(search, pathOf).some((root) => isInside(root, file)),
    );
  const paths = new Set(words.map(pathOf));
  return {
    files,
    searched: files.filter(isSearched).map(nameOf),
    named: files.filter((file) => paths.has(file)).map(nameOf),
  };
}

const isDeepSearch = (words: readonly string[]): boolean =>
  words.includes("rg") ||
  (words.includes("grep") && words.some((word) => /^(-[a-zA-Z]*[rR]|--recursive|-d)/.test(word)));

/** True if the search is ripgrep without a flag that makes it show hidden files. */
const skipsHidden = (words: readonly string[]): boolean =>
  words.includes("rg") &&
  !words.some((word) => /^(-[a-zA-Z0]*[u.gt]|--(hidden|no-ignore|glob|type))/.test(word));

/** Stands for a quoted text with blanks, such as a pattern. It is the name of no file. */
const PLACEHOLDER = "\u{fffc}";
const QUOTED = /'([^']*\s[^']*)?'|"([^"]*\s[^"]*)?"/g;

/** The folders that a search names. The current folder, if it is not certain which they are. */
function rootsOf(words: readonly string[], pathOf: (word: string) => string): readonly string[] {
  const [, ...plain] = words.slice(1).filter((word) => !/^-./.test(word));
  // The word after such a flag can be its value, or the flag gives the pattern.
  const hasValues = words.some((word) => /^-[a-zA-Z]*[ABCmedfgtTM]$|^-[a-zA-Z]*[ef]/.test(word));
  const paths = plain.map(pathOf);
  return hasValues || paths.length === 0 || !paths.every((path) => existsSync(path)) ? [pathOf(".")] : paths;
}
