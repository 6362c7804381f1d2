// Files that the configuration in force names, so that Cadre or git runs or obeys them: the scripts of hooks, of local MCP servers and of
// services, the roles file with its prompts, instructions with their imports, and what git's own settings name.
// They are protected like the files in `protected-files.ts`. They are found by reading the configuration, not by their names (A37).
// A script can load other scripts. So the code files that a script mentions belong to the list, too, and those that these mention.

import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { readDataFile } from "../agents/files/data-file.ts";
import { importsIn } from "../agents/instructions/imports.ts";
import {
  type CodeSearch,
  codeLoadedBy,
  entriesOf,
  isBelow,
  isFile,
  isFolder,
  MAX_FILE,
  MOST_FILES,
  OWN_FOLDER,
  SCRIPT,
  spellingsOf,
  startCodeSearch,
} from "../config/code-files.ts";
import type { Config } from "../config/config.ts";
import { readPlainFile } from "../config/plain-file.ts";
import { foldPath } from "../key-files.ts";
import { gitFilesToRun } from "../tools/git/program-setting.ts";

export interface NamedFiles {
  /**
   * Whether the configuration names the file, a folder around it, or a file below it. The path is relative to the workspace.
   * True for every file while it cannot be found out: the configuration seems to name too many files, or git cannot read its settings.
   */
  isNamed(path: string, absolute?: string): boolean;
  /** The named paths, relative to the project's folder. They might not exist. `.` alone means every file. */
  list(): readonly string[];
}

type Source = Pick<Config, "folder" | "hooks" | "mcpServers" | "services" | "roles" | "instructions">;

/** The list is computed again when one of the files that it depends on has changed. */
export function createNamedFiles(config: Source): NamedFiles {
  let known: { stamp: string; reads: readonly string[]; names: Names; until: number } | undefined;
  const names = (): Names => {
    if (known && performance.now() < known.until && known.stamp === stampOf(known.reads)) return known.names;
    const found = findNamed(config);
    const reads = [...found.reads];
    const names = found.isCut || found.isUnread ? ALL : namesOf(config.folder, found.paths);
    const until = found.isUnread ? performance.now() + RETRY_MS : Number.POSITIVE_INFINITY;
    known = { stamp: stampOf(reads), reads, names, until };
    return names;
  };
  return {
    isNamed(path, absolute) {
      const { folded, parents, isAll } = names();
      if (isAll) return true;
      const inProject = absolute === undefined ? undefined : relative(config.folder, absolute);
      return [path, ...(inProject === undefined ? [] : [inProject])].some((each) => {
        const own = foldPath(each);
        return own !== "" && (parents.has(own) || selfAndParents(own).some((one) => folded.has(one)));
      });
    },
    list: () => names().listed,
  };
}

/** When git is asked again after it could not read its settings. It might only have been slow. */
const RETRY_MS = 5_000;

interface Names {
  listed: readonly string[];
  folded: ReadonlySet<string>;
  parents: ReadonlySet<string>;
  isAll?: true;
}

/** The answer while it is not known what the configuration names. */
const ALL: Names = { listed: ["."], folded: new Set(), parents: new Set(), isAll: true };

function namesOf(folder: string, paths: ReadonlySet<string>): Names {
  const listed = [...paths].map((path) => relative(folder, path).split(sep).join("/"));
  const folded = new Set(listed.map(foldPath));
  const parents = new Set([...folded].flatMap((path) => selfAndParents(path).slice(1)));
  return { listed, folded, parents };
}

/** `a/b/c`, `a/b` and `a`. */
function selfAndParents(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, parts.length - index).join("/"));
}

const stampOf = (files: readonly string[]): string =>
  files
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}` : "";
    })
    .join("\n");

interface Search extends CodeSearch {
  /** Absolute paths that are named. */
  paths: Set<string>;
  /** Commands that were read, so that two scripts of package.json cannot call each other forever. */
  commands: Set<string>;
  /** True if git could not read its settings. */
  isUnread: boolean;
}

function findNamed({ folder, hooks, mcpServers, services, roles, instructions }: Source): Search {
  const search: Search = {
    ...startCodeSearch(folder),
    paths: new Set(),
    commands: new Set(),
    isUnread: false,
  };
  for (const { command } of hooks) nameCommand(command, search);
  for (const { command, args = [] } of Object.values(mcpServers))
    if (command !== undefined) nameCommand([command, ...args].map((word) => `"${word}"`).join(" "), search);
  for (const text of stringsIn(services)) nameCommand(text, search);
  nameRoles(roles, search);
  nameInstructions(instructions, search);
  const git = gitFilesToRun(folder);
  for (const file of git.reads) search.reads.add(file);
  for (const path of git.named) addPath(path, search);
  for (const file of git.hooks) if (isFile(file, search)) followCode(file, search);
  search.isUnread = git.isUnread === true;
  return search;
}

/** Adds a path of the project. If it is a link, its target is added, too. */
function addPath(path: string, search: Search): void {
  if (!isBelow(search.folder, path) || !hasRoom(search.paths, search)) return;
  search.paths.add(path);
  search.reads.add(path);
  try {
    const real = relative(realpathSync(search.folder), realpathSync(path));
    if (real !== "" && !real.startsWith("..")) search.paths.add(resolve(search.folder, real));
  } catch {
    // The file does not exist yet.
  }
}

/** Names the files that a command line runs or reads, and the code that these files load. Also files that do not exist yet. */
function nameCommand(written: string, search: Search): void {
  if (search.commands.has(written) || !hasRoom(search.commands, search)) return;
  search.commands.add(written);
  const command = written.replace(OWN_FOLDER, ".");
  const quoted = [...command.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, a, b]) => a ?? b ?? "");
  const words = [...command.replaceAll(/["'`]/g, "").split(WORD_END), ...quoted].filter(
    (word) => word !== "",
  );
  // After `cd tools`, `./x.sh` is `tools/x.sh`.
  const folders = words.map((word) => resolve(search.folder, word)).filter((path) => isFolder(path, search));
  const bases = [search.folder, ...folders.filter((path) => isBelow(search.folder, path))];
  for (const word of words) nameWord(word, bases, search);
  for (const base of bases) nameTasks(words, base, search);
}

const WORD_END = /[\s;|&<>()=,{}[\]]+/;

function nameWord(word: string, bases: readonly string[], search: Search): void {
  if (word.length > 500 || word.includes("://")) return;
  const folderOfGlob = /^([^*?]*\/)[^/]*[*?]/.exec(word)?.[1];
  const isScript = word.includes("/") || SCRIPT.test(word);
  for (const base of bases) {
    if (folderOfGlob !== undefined) addPath(resolve(base, folderOfGlob), search);
    const path = resolve(base, word);
    const found = spellingsOf(path, word, base).filter((each) => isFile(each, search));
    for (const file of found) {
      addPath(file, search);
      followCode(file, search);
    }
    if (isFolder(path, search)) nameEntry(path, search);
    else if (found.length === 0 && isScript && /^[\w.@+/-]+$/.test(word)) addPath(path, search);
  }
}

/** A folder that is started as a program: `node tools`, `python -m tools`. Its other files can be ordinary sources. */
function nameEntry(folder: string, search: Search): void {
  if (folder === search.folder) return;
  for (const [name] of entriesOf(folder, search))
    if (/^(index|__main__|__init__|main)\.\w+$/.test(name)) {
      addPath(join(folder, name), search);
      followCode(join(folder, name), search);
    }
}

/** Programs that take their commands from a file of the project. */
function nameTasks(words: readonly string[], base: string, search: Search): void {
  const programs = new Set(words.map((word) => basename(word)));
  const has = (...names: string[]): boolean => names.some((name) => programs.has(name));
  if (has("make", "gmake"))
    for (const name of ["GNUmakefile", "makefile", "Makefile"]) addPath(join(base, name), search);
  if (has("just"))
    for (const name of ["justfile", "Justfile", ".justfile"]) addPath(join(base, name), search);
  if (has("task")) for (const name of ["Taskfile.yml", "Taskfile.yaml"]) addPath(join(base, name), search);
  if (has("npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx")) namePackages(words, base, search);
  if (!has("npm", "pnpm", "yarn", "bun")) return;
  const manifest = join(base, "package.json");
  addPath(manifest, search);
  try {
    const { scripts = {} } = JSON.parse(readPlainFile(manifest, MAX_FILE)) as { scripts?: object };
    for (const [name, script] of Object.entries(scripts))
      if (
        typeof script === "string" &&
        [name, name.replace(/^(pre|post)/, "")].some((one) => words.includes(one))
      )
        nameCommand(script, search);
  } catch {
    // The file does not exist, or is not JSON.
  }
}

/** Programs of installed packages, as `npx` finds them. Packages that these packages need are not named. */
function namePackages(words: readonly string[], base: string, search: Search): void {
  for (const word of words.filter((each) => /^(@[\w.-]+\/)?[\w-][\w.-]*$/.test(each))) {
    const program = join(base, "node_modules/.bin", word);
    if (isFile(program, search)) addPath(program, search);
    const folder = join(base, "node_modules", word);
    if (isFolder(folder, search)) addPath(folder, search);
  }
}

/** Adds the code files that a script loads. */
function followCode(start: string, search: Search): void {
  for (const file of codeLoadedBy(start, search)) {
    search.reads.add(file);
    if (isBelow(search.folder, file) && hasRoom(search.paths, search)) search.paths.add(file);
  }
}

function hasRoom({ size }: ReadonlySet<string>, search: Search): boolean {
  if (size >= MOST_FILES) search.isCut = true;
  return size < MOST_FILES;
}

/** The roles file, and every file that a value in it names. */
function nameRoles(roles: Config["roles"], search: Search): void {
  let values: unknown = roles;
  let base = search.folder;
  if (typeof roles === "string") {
    const file = resolve(search.folder, roles);
    addPath(file, search);
    base = dirname(file);
    try {
      values = readDataFile(readPlainFile(file, MAX_FILE), roles, 1).data;
    } catch {
      return;
    }
  }
  for (const text of stringsIn(values)) {
    if (text.length > 500 || text.includes("\n")) continue;
    const paths = [resolve(base, text), resolve(search.folder, text)];
    const found = paths.filter((path) => isFile(path, search));
    const isPath = /^[\w.@+/-]+\.\w+$/.test(text);
    for (const path of found.length > 0 || !isPath ? found : paths) addPath(path, search);
  }
}

function stringsIn(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > 20) return [];
  return Object.values(value).flatMap((item) => stringsIn(item, depth + 1));
}

const USUAL_INSTRUCTIONS = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];

/** Instructions, and the files that they import, as deep as they are read. A missing file is named, too: a run could create it. */
function nameInstructions(instructions: Config["instructions"], search: Search): void {
  const given = Array.isArray(instructions) ? instructions : undefined;
  for (const name of given ?? []) addPath(resolve(search.folder, name), search);
  const open = (given ?? USUAL_INSTRUCTIONS).map((name) => resolve(search.folder, name));
  const seen = new Set<string>();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file) || !hasRoom(seen, search)) continue;
    seen.add(file);
    search.reads.add(file);
    let text: string;
    try {
      text = readPlainFile(file, MAX_FILE);
    } catch {
      continue;
    }
    for (const imported of importsIn(text)) {
      const path = resolve(dirname(file), imported);
      // A word such as `@scope/name` is not always an import.
      if (!isFile(path, search) && !/\.(md|mdc|txt)$/i.test(imported)) continue;
      addPath(path, search);
      open.push(path);
    }
  }
}
