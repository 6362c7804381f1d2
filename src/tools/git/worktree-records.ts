// Finds worktrees by git's records in the repository, never by the `.git` file in their folder.
// A folder without `.git` would look like a part of the repository around it, and a replaced `.git` could point anywhere.

import { mkdir, readdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { CadreError } from "../../errors.ts";
import { repositoryPrograms } from "./repository-programs.ts";
import { type GitLocation, git, inFolder } from "./run-git.ts";

export interface Worktree {
  /** The folder that the worktree will be merged into: the repository's top folder, or the parent run's worktree. */
  parent: string;
  path: string;
  branch: string;
  /** The commit that the worktree started from. */
  base: string;
}

export interface Checkout {
  top: string;
  /** The git folder that all worktrees share. */
  common: string;
  /** The git folder of this worktree. */
  gitDir: string;
}

/** A worktree in git's records. Its folder might be gone. */
export interface WorktreeRecord {
  path: string;
  record: string;
  hasFolder: boolean;
}

export async function checkoutAround(folder: string): Promise<Checkout> {
  const asked = ["--show-toplevel", "--git-common-dir", "--git-dir"];
  const said = await git(inFolder(folder), ["rev-parse", "--path-format=absolute", ...asked]);
  const [top = "", common = "", gitDir = "", ...more] = said.split("\n");
  if (more.length > 0) throw new CadreError("UNPROCESSABLE", lineBreakProblem(folder));
  if (gitDir !== common && dirname(dirname(gitDir)) !== common) throw strayRecord(top);
  return { top, common, gitDir };
}

/** `git rev-parse` separates paths by line breaks only. A path that contains one could look like several paths. */
export const lineBreakProblem = (folder: string): string =>
  `The path ${JSON.stringify(folder)} or its repository contains a line break, and such a folder can have no worktrees: rename it.`;

/** The repository whose top folder this is. Throws if the folder is only a subfolder of a repository. */
export async function checkoutAt(top: string): Promise<Checkout> {
  const found = await checkoutAround(top);
  if (found.top !== (await realpath(top)))
    throw new CadreError("UNPROCESSABLE", `${top} is no worktree of git any more`);
  const programs = await repositoryPrograms(top);
  if (programs.length > 0) throw new CadreError("UNPROCESSABLE", programsProblem(top, programs));
  return found;
}

/** The error for a repository whose settings start programs. Starting or ending a child must not run them (A30). */
export const programsProblem = (workspace: string, programs: readonly string[]): string =>
  `The repository of ${workspace} has git start programs of its own (${programs.join(", ")}), which Cadre does not: configure them for yourself (\`git config --global\`) if you trust them.`;

export async function recordedWorktrees(common: string): Promise<WorktreeRecord[]> {
  const records = await readdir(join(common, "worktrees")).catch(() => []);
  const found = await Promise.all(records.map((name) => readRecord(join(common, "worktrees", name))));
  return found.filter((worktree) => worktree !== undefined);
}

export async function findRecord({ path }: Worktree, common: string): Promise<WorktreeRecord | undefined> {
  const place = await realPlace(path);
  const all = await recordedWorktrees(common);
  const found = all.find((worktree) => worktree.path === place);
  if (found) await mustBelongTo(common, found);
  return found;
}

/** Throws if the record leads to another repository, because that repository's settings could start programs (A30). */
async function mustBelongTo(common: string, { path, record }: WorktreeRecord): Promise<void> {
  // If the file `commondir` is missing, git does not treat the record as a repository.
  const said = await readFile(join(record, "commondir"), "utf8").catch(() => undefined);
  if (said !== undefined && resolve(record, said.trim()) !== common) throw strayRecord(path);
}

const strayRecord = (path: string): CadreError =>
  new CadreError("UNPROCESSABLE", `the record of ${path} in git leads to another repository`);

export function inWorktree({ path, record, hasFolder }: WorktreeRecord): GitLocation {
  if (!hasFolder) return { folder: record, args: [`--git-dir=${record}`] };
  return { folder: path, args: ["-C", path, `--git-dir=${record}`, `--work-tree=${path}`] };
}

/** The reason why the worktree is locked. Undefined if it is not locked. */
export async function lockReason({ record }: WorktreeRecord): Promise<string | undefined> {
  return readFile(join(record, "locked"), "utf8").then(
    (reason) => reason.trim(),
    () => undefined,
  );
}

/** The name of the git operation in progress, as one word. Undefined if there is none. */
export async function unfinishedOperation(gitDir: string): Promise<string | undefined> {
  const marks = { MERGE_HEAD: "merge", CHERRY_PICK_HEAD: "cherry-pick", REVERT_HEAD: "revert" };
  const more = { "rebase-merge": "rebase", "rebase-apply": "rebase", BISECT_LOG: "bisect" };
  for (const [name, word] of Object.entries({ ...marks, ...more }))
    if (await exists(join(gitDir, name))) return word;
  return undefined;
}

/** Hides `.cadre` from git, so that `git add` never sees the worktrees in it. */
export async function ignoreStateFolder(top: string): Promise<void> {
  const folder = join(top, ".cadre");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, ".gitignore"), "*\n", { mode: 0o600, flag: "wx" }).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

export async function listFolder(folder: string): Promise<string[]> {
  return readdir(folder).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

async function readRecord(record: string): Promise<WorktreeRecord | undefined> {
  const gitFile = await readFile(join(record, "gitdir"), "utf8").catch(() => undefined);
  if (gitFile === undefined) return undefined;
  const path = dirname(resolve(record, gitFile.trimEnd()));
  return { path, record, hasFolder: await exists(path) };
}

/** The path as git records it: links in its parent folders are resolved. */
async function realPlace(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  return join(folder, basename(path));
}
