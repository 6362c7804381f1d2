// The files of a workspace that decide what runs: in a sandbox they are read-only, and those that were not there are taken
// away again when a command has made them. One exception: a person has approved this very command, and it names the file.
// Looked at are the workspace itself and its git folder; what lies deeper is for the rules alone.

import { cp, lstat, mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { GitFolders } from "./git-folders.ts";

export interface ProtectedPath {
  path: string;
  /** As a command would write it: `.mcp.json`, `.git/hooks`. */
  name: string;
  /** Where it leads, if it is a link. */
  link: string | undefined;
}

export interface ProtectedPlace {
  workspace: string;
  git: GitFolders | undefined;
  /** Takes a path relative to the workspace. */
  isProtected: (path: string) => boolean;
}

/** Files in a git folder that name programs, or other folders with such files. */
const COMMON_PARTS = ["hooks", "config", "config.worktree", "info", "commondir"];
const WORKTREE_PARTS = ["config.worktree", "commondir", "gitdir"];

/** Those that are there now. */
export async function protectedPaths({
  workspace,
  git,
  isProtected,
}: ProtectedPlace): Promise<ProtectedPath[]> {
  const isOurs = (name: string) => name === ".cadre" || join(workspace, name) === git?.common;
  const parts = async (folder: string, wanted: readonly string[]) =>
    (await entriesOf(folder)).filter((entry) => wanted.includes(entry)).map((entry) => join(folder, entry));
  const inWorkspace = (await entriesOf(workspace)).filter((name) => isProtected(name) && !isOurs(name));
  const inGit = [
    ...(git ? await parts(git.common, COMMON_PARTS) : []),
    ...(git && git.own !== git.common ? await parts(git.own, WORKTREE_PARTS) : []),
  ];
  return Promise.all([
    ...inWorkspace.map((name) => found(join(workspace, name), name)),
    ...inGit.map((path) => found(path, join(".git", basename(path)))),
  ]);
}

/** A folder by a link is somebody else's: it is not looked into. */
async function entriesOf(folder: string): Promise<string[]> {
  const isOwn = await lstat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  return isOwn ? readdir(folder).catch(() => []) : [];
}

const found = async (path: string, name: string): Promise<ProtectedPath> => ({
  path,
  name,
  link: await readlink(path).catch(() => undefined),
});

/** What git itself writes for a person who told it to: `git remote add`, `git init`, `git submodule add`. */
const BY_GIT = new Set([".git", ".git/config", ".git/info", ".gitmodules"]);

/** Whether somebody who reads the command reads that it is about this file. */
export function isNamedBy(command: string, { name }: Pick<ProtectedPath, "name">): boolean {
  if (BY_GIT.has(name) && /(^|[^\w.-])git\s/.test(command)) return true;
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(^|[^\\w.-])${literal}($|[^\\w.-])`).test(command);
}

/** Moves away what a command has made or led elsewhere, and answers with the names. A link is put back. */
export async function takeAway(
  before: readonly ProtectedPath[],
  after: readonly ProtectedPath[],
  keptIn: string,
): Promise<string[]> {
  const isThere = (list: readonly ProtectedPath[], one: ProtectedPath) =>
    list.some(({ path, link }) => path === one.path && link === one.link);
  const made = after.filter((one) => !isThere(before, one));
  for (const { path, name } of made) await move(path, join(keptIn, name));
  for (const one of before)
    if (one.link !== undefined && !isThere(after, one)) await symlink(one.link, one.path);
  return made.map(({ name }) => name);
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(from, to).catch(async () => {
    await cp(from, to, { recursive: true, verbatimSymlinks: true });
    await rm(from, { recursive: true, force: true });
  });
}
