// The places that a command names: its words, what stands behind an option, and where the commands before it may have
// gone (`cd x && cat ../y`). For rules that ask or deny, so a word that may name a place is taken to name it.

import { isAbsolute, resolve } from "node:path";
import { type PathNames, pathNames, type WorkspaceView } from "../path-names.ts";
import type { ShellWord } from "./parse-shell.ts";
import type { PossibleCommands } from "./possible-commands.ts";

export interface MentionedPaths {
  /** By a word of their own. */
  certain: readonly PathNames[];
  /** Within a text that may be code. */
  possible: readonly PathNames[];
  /** Some word is known only when it runs. */
  unknown: boolean;
  /** It names more than is looked at. */
  cut: boolean;
}

/** Folders that words may be relative to. */
export interface Folders {
  known: readonly string[];
  /** It may have gone to one that only running it would tell. */
  unknown: boolean;
}

const MAX_FOLDERS = 16;
/** What is named beyond these is not looked at, and counts as unknown. */
const MAX_PLACES = 2_000;

export function mentionedPaths(
  { argvs, redirects, code }: PossibleCommands,
  folders: Folders,
  workplace: WorkspaceView,
): MentionedPaths {
  const words = argvs.flatMap(([program, ...rest]) => (program?.includes("/") ? [program, ...rest] : rest));
  const targets = redirects.map(({ target }) => target);
  const sure = distinct([...distinct(words).flatMap(pathsIn), ...targets]);
  const perhaps = distinct(code.flatMap((text) => text.match(/[\w.~/@+-]+/g) ?? []));
  const most = Math.ceil(MAX_PLACES / folders.known.length);
  const places = (names: readonly string[]): PathNames[] =>
    names
      .slice(0, most)
      .flatMap((name) => folders.known.map((folder) => pathNames(within(folder, name), workplace)));
  const isUnknown = (word: ShellWord): boolean =>
    word === undefined || (folders.unknown && !isAbsolute(word));
  const cut = sure.length > most || perhaps.length > most;
  return {
    cut,
    certain: places(sure),
    possible: places(perhaps),
    unknown: cut || [...words, ...targets].some(isUnknown),
  };
}

/** Where a call may have gone by the time that any of its commands runs. */
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
    // Bare, it goes home; `cd -` goes back to a folder that is known already.
    return words.includes("-") ? [] : [target];
  }
  return words.flatMap((word, at) => {
    if (/^(-C|--(chdir|directory|cwd|dir|prefix|work-tree))$/.test(word ?? "")) return [words[at + 1]];
    const joined = /^(?:-C|--(?:chdir|directory|cwd|dir|prefix|work-tree)=)(.+)$/s.exec(word ?? "");
    return joined ? [joined[1]] : [];
  });
}

/** `--file=x`, `-ox`, `HEAD:x`, `@x`, `of=x`, `a,x`: a word and every end of it that may be a path. */
function pathsIn(word: string): string[] {
  const ends = [...word.matchAll(/[=:@,]/g)].map(({ index }) => word.slice(index + 1));
  const whole = word.startsWith("-") ? word.slice(2) : word;
  return [whole, ...ends].filter((path) => path !== "" && !path.includes("\0"));
}

const within = (folder: string, name: string): string => (isAbsolute(name) ? name : `${folder}/${name}`);

const distinct = (words: readonly ShellWord[]): string[] => [
  ...new Set(words.filter((word) => word !== undefined)),
];
