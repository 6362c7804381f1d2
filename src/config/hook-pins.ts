// Hooks run outside of the sandbox. So trust in a folder covers its hooks as they were when a person looked at them: the command lines,
// and the project's files that these run, with the code that the files load. A hook that differs does not run until a person has looked again (A95).
//  - The pins are stored outside of the project, with the list of trusted folders. They hold hashes, no texts.
//  - A hook of the user's own settings needs a pin only for files of the project that it runs.
//  - `CADRE_TRUST=1` trusts everything that is there.

import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import {
  type CodeSearch,
  codeLoadedBy,
  isBelow,
  isFile,
  spellingsOf,
  startCodeSearch,
} from "./code-files.ts";
import type { ConfiguredHook } from "./hooks.ts";
import { readPlainFile } from "./plain-file.ts";
import { type Env, hookPinsOf, realFolder } from "./trust.ts";

/** For each command line, by its hash: the files that it runs, with their hashes. The paths are relative to the folder. */
export type HookPins = Readonly<Record<string, Programs>>;
type Programs = Readonly<Record<string, string>>;

type Hook = Pick<ConfiguredHook, "command" | "isOwn">;

/** The hooks as they are now. */
export const pinsOf = (hooks: readonly Hook[], folder: string): HookPins =>
  Object.fromEntries(
    hooks.map(({ command }) => [hashOf(command), findPrograms(command, realFolder(folder), "all").programs]),
  );

/** Says why a hook is not run in the folder `cwd`. Undefined if it is as it was when a person looked at it. */
export type HookCheck = (hook: Hook, cwd?: string) => string | undefined;

export function createHookCheck(folder: string, env: Env): HookCheck {
  const known = new Map<string, { stamp: string; found: Found }>();
  const programsOf = (command: string, root: string, which: Which): Programs => {
    const key = [which, root, command].join("\0");
    const last = known.get(key);
    if (last && last.stamp === stampOf(last.found.reads)) return last.found.programs;
    const found = findPrograms(command, root, which);
    known.set(key, { stamp: stampOf(found.reads), found });
    return found.programs;
  };
  return ({ command, isOwn }, cwd = folder) => {
    if (env["CADRE_TRUST"] === "1") return undefined;
    const [root, at] = [realFolder(folder), realFolder(cwd)];
    const pinned = hookPinsOf(folder, env)?.[hashOf(command)];
    if (pinned === undefined && !isOwn) return "this folder was trusted without it";
    // A run in a worktree works with a copy of the script, which can differ.
    const copies = at === root ? {} : programsOf(command, at, "relative");
    const found = [...Object.entries(copies), ...Object.entries(programsOf(command, root, "all"))];
    const changed = found.find(([name, hash]) => pinned?.[name] !== hash);
    if (changed === undefined) return undefined;
    const [name] = changed;
    return pinned?.[name] === undefined
      ? `it runs ${name}, and this folder was not trusted with that`
      : `${name} has changed since this folder was trusted`;
  };
}

const stampOf = (paths: readonly string[]): string =>
  paths
    .map((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}` : "";
    })
    .join("\n");

/** Files that hold data in all likelihood. They change often, and do not run. */
const DATA = /\.(json|jsonc|ya?ml|toml|md|txt|csv|tsv|ini|cfg|conf|lock|env|html|css|svg|png)$/i;
const MAX_PROGRAM = 20 * 1024 * 1024;
const OWN_FOLDER = /\$\{?(CADRE_PROJECT_DIR|CLAUDE_PROJECT_DIR|PWD)\}?/;
const WORD_END = /[\s;|&<>()=,{}[\]]+/;

type Which = "all" | "relative";

interface Found {
  programs: Programs;
  /** Absolute paths whose change can change the programs. */
  reads: string[];
}

/** The files below `root` that a command runs, with their hashes. `relative` leaves out the words that name the project's folder. */
function findPrograms(command: string, root: string, which: Which): Found {
  const search = startCodeSearch(root);
  const found = new Map<string, string>();
  const open = [command];
  const seen = new Set(open);
  for (let line = open.pop(); line !== undefined && seen.size < MOST_LINES; line = open.pop())
    for (const { name, script } of programsIn(line, root, which, search, found)) {
      found.set(name, hashOf(script));
      if (!seen.has(script)) open.push(script);
      seen.add(script);
    }
  if (search.isCut) found.set("more files than can be looked at", "");
  return { programs: Object.fromEntries(found), reads: [...search.reads] };
}

const MOST_LINES = 200;

/** Adds the files that one command line runs to `found`. Returns the scripts of package.json that it starts. */
function programsIn(
  line: string,
  root: string,
  which: Which,
  search: CodeSearch,
  found: Map<string, string>,
): { name: string; script: string }[] {
  const words = line
    .split(/\s+/)
    .filter((part) => which === "all" || !OWN_FOLDER.test(part))
    .flatMap((part) => part.replace(OWN_FOLDER, ".").replaceAll(/["'`]/g, "").split(WORD_END))
    .filter((word) => word !== "" && word.length <= 500 && !word.includes("://"));
  // After `cd tools`, `./x.sh` is `tools/x.sh`.
  const bases = [
    root,
    ...words.map((word) => resolve(root, word)).filter((path) => isBelow(root, path) && isFolder(path)),
  ];
  const programs = new Set(words.map((word) => basename(word)));
  const tasks = Object.entries(TASK_FILES).flatMap(([program, files]) =>
    programs.has(program) ? files : [],
  );
  for (const base of bases)
    for (const word of [...words, ...tasks]) {
      const files = spellingsOf(resolve(base, word), word, base).filter(
        (path) => isBelow(root, path) && isFile(path, search) && !DATA.test(path),
      );
      for (const file of files.flatMap((each) => codeLoadedBy(each, search)))
        addFile(file, root, search, found);
    }
  return ["npm", "pnpm", "yarn", "bun"].some((one) => programs.has(one))
    ? bases.flatMap((base) => scriptsIn(base, words, search))
    : [];
}

const isFolder = (path: string): boolean => Boolean(statSync(path, { throwIfNoEntry: false })?.isDirectory());

/** Programs that take their commands from a file of the project. */
const TASK_FILES: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
};

function addFile(path: string, root: string, { reads }: CodeSearch, found: Map<string, string>): void {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file?.isFile() || !isBelow(root, path) || path.includes(`${sep}node_modules${sep}`)) return;
  reads.add(path);
  const name = relative(root, path).split(sep).join("/");
  found.set(name, file.size > MAX_PROGRAM ? `${file.size} bytes` : hashOf(readFileSync(path)));
}

/** The scripts of package.json that the words name. `npm run build` also starts `prebuild` and `postbuild`. */
function scriptsIn(
  base: string,
  words: readonly string[],
  { reads }: CodeSearch,
): { name: string; script: string }[] {
  reads.add(join(base, "package.json"));
  try {
    const { scripts = {} } = JSON.parse(readPlainFile(join(base, "package.json"), MAX_PROGRAM)) as {
      scripts?: object;
    };
    return Object.entries(scripts).flatMap(([name, script]) =>
      typeof script === "string" && [name, name.replace(/^(pre|post)/, "")].some((one) => words.includes(one))
        ? [{ name: `package.json, script ${name}`, script }]
        : [],
    );
  } catch {
    return [];
  }
}

const hashOf = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
