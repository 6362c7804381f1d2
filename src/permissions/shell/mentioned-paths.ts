// Finds the paths that a command mentions in its words and as values of options.
// A path can be relative to a folder that an earlier command might have entered (`cd x && cat ../y`).
// Ask and deny rules use these paths, so every word that might be a path is treated as a path.

import { isAbsolute, resolve } from "node:path";
import { MAX_PATH } from "../../journal/tool-facts.ts";
import { type PathNames, pathNames, type WorkspaceView } from "../path-names.ts";
import type { ShellWord } from "./parse-shell.ts";
import type { PossibleCommands } from "./possible-commands.ts";

export interface MentionedPaths {
  /** Paths that are whole words of the command. */
  certain: readonly PathNames[];
  /** Paths inside a text that might be code. */
  possible: readonly PathNames[];
  /** True if the value of a word is known only at run time. */
  unknown: boolean;
  /** True if the command mentions so many paths that not all of them are checked. */
  cut: boolean;
}

/** Folders to which relative paths might refer. */
export interface Folders {
  known: readonly string[];
  /** True if a command might have entered a folder that is known only at run time. */
  unknown: boolean;
}

const MAX_FOLDERS = 16;
/** Maximum number of paths to check, and of characters in all of them. Further paths are treated as unknown. */
const MAX_PLACES = 2_000;
const MAX_CHARACTERS = 200_000;

export function mentionedPaths(
  { argvs, redirects, code }: PossibleCommands,
  folders: Folders,
  workplace: WorkspaceView,
): MentionedPaths {
  const words = argvs.flatMap(([program, ...rest]) => (program?.includes("/") ? [program, ...rest] : rest));
  const targets = redirects.map(({ target }) => target);
  const sure = distinct([...distinct(words).flatMap(pathsIn), ...targets]);
  const perhaps = distinct(code.flatMap((text) => text.match(/[\w.~/@+-]+/g) ?? []));
  const checked = { sure: firstFew(sure, folders), perhaps: firstFew(perhaps, folders) };
  const places = (names: readonly string[]): PathNames[] =>
    names.flatMap((name) => folders.known.map((folder) => pathNames(joinPath(folder, name), workplace)));
  const isUnknown = (word: ShellWord): boolean =>
    word === undefined || (folders.unknown && !isAbsolute(word));
  const cut = checked.sure.length < sure.length || checked.perhaps.length < perhaps.length;
  return {
    cut,
    certain: places(checked.sure),
    possible: places(checked.perhaps),
    unknown: cut || [...words, ...targets].some(isUnknown),
  };
}

/** The names that are checked. A name longer than any path is left out, because only the program knows how to use it. */
function firstFew(names: readonly string[], { known }: Folders): string[] {
  const most = Math.ceil(MAX_PLACES / known.length);
  let room = MAX_CHARACTERS / known.length;
  return names.slice(0, most).filter((name) => {
    if (name.length > MAX_PATH || name.length > room) return false;
    room -= name.length;
    return true;
  });
}

/** All folders in which the commands of a call might run. */
export function possibleFolders(reaches: readonly PossibleCommands[], workspace: string): Folders {
  let known: string[] = [workspace];
  let unknown = false;
  for (const argv of reaches.flatMap(({ argvs }) => argvs)) {
    for (const target of foldersEntered(argv)) {
      if (target === undefined) unknown = true;
      else known = distinct([...known, ...known.map((folder) => resolve(folder, target))]);
      if (known.length > MAX_FOLDERS) return { known: known.slice(0, MAX_FOLDERS), unknown: true };
    }
  }
  return { known, unknown };
}

function foldersEntered([program, ...words]: readonly ShellWord[]): ShellWord[] {
  if (program === "cd" || program === "pushd") {
    const [target] = words.filter((word) => !/^-[LPen@]*$/.test(word ?? ""));
    // A bare `cd` goes to the home folder, which is unknown. `cd -` returns to a folder that is already known.
    return words.includes("-") ? [] : [target];
  }
  return words.flatMap((word, at) => {
    if (/^(-C|--(chdir|directory|cwd|dir|prefix|work-tree))$/.test(word ?? "")) return [words[at + 1]];
    const joined = /^(?:-C|--(?:chdir|directory|cwd|dir|prefix|work-tree)=)(.+)$/s.exec(word ?? "");
    return joined ? [joined[1]] : [];
  });
}

/** The word itself, and each ending of the word that might be a path: `--file=x`, `-ox`, `HEAD:x`, `@x`, `of=x`, `a,x`. */
function pathsIn(word: string): string[] {
  const ends = [...word.matchAll(/[=:@,]/g)].map(({ index }) => word.slice(index + 1));
  const whole = word.startsWith("-") ? word.slice(2) : word;
  return [whole, ...ends].filter((path) => path !== "" && !path.includes("\0"));
}

const joinPath = (folder: string, name: string): string => (isAbsolute(name) ? name : `${folder}/${name}`);

const distinct = (words: readonly ShellWord[]): string[] => [
  ...new Set(words.filter((word) => word !== undefined)),
];
