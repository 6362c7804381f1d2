// Protected files of a workspace decide which programs run. They are read-only in a sandbox. If a command creates new ones, Cadre moves them away.
// A person can lift the protection of a file by approving a command that names the file.
// The protection covers the workspace's top folder, its git folder, and the files that the configuration names, wherever they are.
// Only permission rules protect other deeper files.

import { chmod, cp, lstat, mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { dirname, join, normalize, relative } from "node:path";
import type { GitFolders } from "../git/git-folders.ts";
import { isHarmlessState } from "../git/operation-state.ts";

export interface ProtectedPath {
  path: string;
  /** The name that a command would use: `.mcp.json`, `.git/hooks`. */
  name: string;
  /** The link's target. Undefined if the file is not a link. */
  link: string | undefined;
  /** True if the file belongs to another worktree. Another run might have created that worktree in the meantime. */
  isOthers?: boolean;
}

export interface ProtectedPathsRequest {
  workspace: string;
  git: GitFolders | undefined;
  /** Takes a path relative to the workspace. */
  isProtected: (path: string) => boolean;
  /** Files that the configuration names, relative to the workspace. They might not exist. */
  named?: readonly string[];
}

/**
 * Entries of a git folder that git itself writes for ordinary work. Every other entry is protected:
 * hooks, configuration, and what a rebase would run next. So an entry that a future git adds is protected, too.
 */
const WRITTEN_BY_GIT =
  /^(objects|refs|logs|HEAD|index|[A-Z][A-Z_]*_HEAD|[A-Z][A-Z_]*_MSG|[A-Z][A-Z_]*EDITMSG|MERGE_\w+|AUTO_MERGE|packed-refs|shallow|lfs|gc\.(pid|log)|rr-cache|reftable|description|branches|worktrees|modules|sharedindex\.\w+|next-index-\w+|\w+\.lock|\w+\.stash\.\w+)$/;
const MOST_MODULES = 500;

/** The protected paths that exist now. */
export async function protectedPaths({
  workspace,
  git,
  isProtected,
  named = [],
}: ProtectedPathsRequest): Promise<ProtectedPath[]> {
  const isOurs = (name: string) => name === ".cadre" || join(workspace, name) === git?.common;
  const inWorkspace = (await entriesOf(workspace)).filter((name) => isProtected(name) && !isOurs(name));
  const deeper: string[] = [];
  for (const name of named)
    if (!inWorkspace.includes(name) && !name.startsWith("..") && (await isThere(join(workspace, name))))
      deeper.push(name);
  return Promise.all([
    ...[...inWorkspace, ...deeper].map((name) => describePath(join(workspace, name), name)),
    ...(git ? await inGit(git) : []),
  ]);
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

async function inGit({ common, own }: GitFolders): Promise<Promise<ProtectedPath>[]> {
  const parts = async (folder: string, named: string) => {
    const isOthers = folder === common && own !== common;
    const entries: string[] = [];
    for (const entry of await entriesOf(folder)) {
      if (WRITTEN_BY_GIT.test(entry)) continue;
      // A person's rebase in the main folder is none of the commands in a worktree.
      if (!isOthers && (await isHarmlessState(folder, entry).catch(() => false))) continue;
      entries.push(entry);
    }
    return entries.map((entry) => describePath(join(folder, entry), join(named, entry)));
  };
  const records = (await entriesOf(join(common, "worktrees"))).map((name) => join(common, "worktrees", name));
  const modules = await modulesIn(join(common, "modules"));
  const shownName = (folder: string): string =>
    folder === own ? ".git" : join(".git", relative(common, folder));
  const all = [
    parts(common, ".git"),
    // The record of another worktree is protected as a whole, or a command could put a configuration into it.
    ...records.map(async (folder) =>
      folder === own
        ? parts(folder, shownName(folder))
        : [describePath(folder, shownName(folder)).then((part) => ({ ...part, isOthers: true }))],
    ),
    ...modules.map((folder) => parts(folder, shownName(folder))),
  ];
  return (await Promise.all(all)).flat();
}

/** Git folders of submodules. Their names can contain slashes, and they can have submodules themselves. */
async function modulesIn(folder: string): Promise<string[]> {
  const modules: string[] = [];
  const open = [folder];
  for (let at = open.shift(); at !== undefined && modules.length < MOST_MODULES; at = open.shift()) {
    const entries = await entriesOf(at);
    const isModule = entries.includes("HEAD") && entries.includes("objects");
    if (isModule || entries.includes("config")) modules.push(at);
    if (!isModule) open.push(...entries.map((entry) => join(at, entry)));
    else if (entries.includes("modules")) open.push(join(at, "modules"));
  }
  return modules;
}

/** The entries of a folder. Empty for a link to a folder. */
async function entriesOf(folder: string): Promise<string[]> {
  const isOwn = await lstat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  return isOwn ? readdir(folder).catch(() => []) : [];
}

const describePath = async (path: string, name: string): Promise<ProtectedPath> => ({
  path,
  name,
  link: await readlink(path).catch(() => undefined),
});

/** Files that git itself writes for commands such as `git remote add`, `git init` and `git submodule add`. */
const BY_GIT = /^(\.git|\.gitmodules|\.git\/(config|info))$/;
const BY_VERB: readonly [file: RegExp, command: RegExp][] = [
  [/^\.git\/modules\//, /\bsubmodules?\b/],
  [/^\.git\/worktrees\//, /\bworktree\b/],
  [/^\.git\/(rebase-\w+|sequencer|REBASE\w*)$/, /\b(rebase|pull|am|cherry-pick|revert)\b/],
  [/^\.git\/BISECT_/, /\bbisect\b/],
];

/** Files that package managers write. They are protected only if the configuration names them. */
const BY_INSTALLERS = /(^|\/)(package\.json$|node_modules(\/|$))/;
const INSTALLS =
  /(^|[^\w.-])(npm|pnpm|yarn|bun)\s+(ci|i|install|add|update|upgrade|up|remove|rm|uninstall|un|dedupe|version|pkg)\b/;

/** True if a person who reads the command can see that it concerns this file. */
export function isMentionedIn(
  command: string,
  { name, path }: Pick<ProtectedPath, "name"> & { path?: string },
): boolean {
  if (/(^|[^\w.-])git\s/.test(command)) {
    if (BY_GIT.test(name)) return true;
    if (BY_VERB.some(([file, verb]) => file.test(name) && verb.test(command))) return true;
  }
  if (BY_INSTALLERS.test(name) && INSTALLS.test(withoutTexts(command))) return true;
  return plainWords(command).some((word) => word === path || word === name || word.startsWith(`${name}/`));
}

/**
 * The words of a command, as paths from the workspace. A word names exactly the path that it spells: `src/agents` does not name `agents`.
 * Quoted text with spaces, such as the message of a commit, names no file.
 */
export const plainWords = (command: string): string[] =>
  withoutTexts(command)
    .split(/[\s;|&<>()=,:`"']+/)
    .filter((word) => word !== "")
    .map((word) => normalize(word).replace(/(.)\/$/, "$1"));

export const withoutTexts = (command: string): string =>
  command.replace(/'[^']*\s[^']*'|"[^"]*\s[^"]*"/g, " ");

/** Moves away protected files that the command created, and links that it changed. Restores links that the command removed. */
export async function removeCreated(
  before: readonly ProtectedPath[],
  after: readonly ProtectedPath[],
  keptIn: string,
): Promise<Removal> {
  const isIn = (list: readonly ProtectedPath[], one: ProtectedPath) =>
    list.some(({ path, link }) => path === one.path && link === one.link);
  const made = after.filter((one) => !one.isOthers && !isIn(before, one));
  const taken: Removal = { moved: [], left: [] };
  for (const { path, name } of made) {
    const isAway = await moveAside(path, join(keptIn, name)).then(
      () => true,
      () => false,
    );
    (isAway ? taken.moved : taken.left).push(name);
  }
  for (const one of before)
    if (one.link !== undefined && !isIn(after, one))
      await symlink(one.link, one.path).catch(() => taken.left.push(one.name));
  return taken;
}

/** Names of files. The files in `left` could not be moved. */
export interface Removal {
  moved: string[];
  left: string[];
}

export async function moveAside(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  // A read-only folder cannot be moved to another parent.
  await makeWritable(from);
  await rename(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return;
    await makeWritable(from, "all");
    await cp(from, to, { recursive: true, verbatimSymlinks: true, filter: isPlain });
    await rm(from, { recursive: true, force: true });
  });
}

async function makeWritable(path: string, what: "this" | "all" = "this"): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isDirectory()) return;
  await chmod(path, stats.mode | 0o700);
  if (what === "this") return;
  for (const entry of await readdir(path)) await makeWritable(join(path, entry), "all");
}

/** Pipes, sockets and devices cannot be copied. */
async function isPlain(path: string): Promise<boolean> {
  const stats = await lstat(path);
  return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
}
