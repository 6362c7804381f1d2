// Puts all work of a worktree on its branch: commits, changed files and new files. HEAD does not have to be on that branch.
//  - The commit is built in a separate index, so an index lock that a killed command left behind does not matter.
//    If Cadre crashes before it moves the branch, nothing has changed.
//  - If the work must not be merged automatically, the commit records the reason, because the folder might be gone later.

import { copyFile, lstat, mkdtemp, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { CADRE, commitAt, type GitLocation, git, gitList, isAncestor, tryGit } from "./run-git.ts";
import {
  exists,
  ignoreStateFolder,
  inWorktree,
  listFolder,
  unfinishedOperation,
  type Worktree,
  type WorktreeRecord,
} from "./worktree-records.ts";

const KEEP = "Cadre-Keep";

export interface CommitResult {
  /** Why a person must review the work before it is merged. */
  why?: string | undefined;
  /** Describes the work that could not be committed. In that case the folder is kept. */
  stays?: string | undefined;
}

export async function commitWork(
  worktree: Worktree,
  found: WorktreeRecord,
  message: string,
): Promise<CommitResult> {
  if (!found.hasFolder)
    return { why: await moveBranch(worktree, found, { message, tree: undefined, why: undefined }) };
  if (await exists(join(found.path, ".cadre"))) await ignoreStateFolder(found.path);
  const tracked = await gitList(inWorktree(found), ["ls-files", "--stage", "-z"]);
  const others = await otherRepositories(found, tracked);
  const half = await unfinishedProblem(found, tracked);
  const scratch = await mkdtemp(join(found.record, "cadre-"));
  try {
    const index = join(scratch, "index");
    await copyIndex(join(found.record, "index"), index);
    const { tree, failure } = await treeOf(found, index, { others, tracked });
    const why = await moveBranch(worktree, found, { message, tree, why: half });
    await rename(index, join(found.record, "index"));
    if (others.length === 0) return { why, stays: failure };
    return {
      stays: `${found.path} holds other git repositories (${others.join(", ")}) and is left as it is`,
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Reads the reason why a commit must not be merged automatically. Undefined if the commit records no reason. */
export async function keepReason(at: GitLocation, commit: string): Promise<string | undefined> {
  const said = await git(at, ["log", "-1", `--format=%(trailers:key=${KEEP},valueonly)`, commit, "--"]);
  return said.trim() || undefined;
}

/** True if everything in the folder is committed. Removing such a folder loses nothing. */
export async function isFullyCommitted(found: WorktreeRecord): Promise<boolean> {
  if (!found.hasFolder) return true;
  if ((await listFolder(join(found.path, ".cadre", "worktrees"))).length > 0) return false;
  // git would look into submodules with their own configuration. A submodule with files is another repository anyway.
  const status = ["status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=all"];
  if ((await git(inWorktree(found), status)) !== "") return false;
  const tracked = await gitList(inWorktree(found), ["ls-files", "--stage", "-z"]);
  return (await otherRepositories(found, tracked)).length === 0;
}

/** Other repositories inside the folder. Their files cannot be committed here. An empty submodule does not count. */
async function otherRepositories(found: WorktreeRecord, tracked: readonly string[]): Promise<string[]> {
  const untracked = await gitList(inWorktree(found), ["ls-files", "--others", "--exclude-standard", "-z"]);
  const nested = untracked.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
  const filled: string[] = [];
  for (const { path: link } of submodulesAmong(tracked)) {
    const entries = await readdir(join(found.path, link)).catch(() => []);
    if (entries.length > 0) filled.push(link);
  }
  const own = await stat(join(found.path, ".git")).catch(() => undefined);
  return [...new Set([...nested, ...filled, ...(own?.isDirectory() ? [".git"] : [])])];
}

interface TrackedSubmodule {
  path: string;
  /** The entry as `git update-index --index-info` takes it. */
  entry: string;
}

/** Submodules among the entries of `ls-files --stage -z`. Everything after the first tab is the path: a path can contain tabs. */
const submodulesAmong = (tracked: readonly string[]): TrackedSubmodule[] =>
  tracked
    .filter((entry) => entry.startsWith("160000 "))
    .map((entry) => ({ entry, path: entry.slice(entry.indexOf("\t") + 1) }));

async function unfinishedProblem(
  found: WorktreeRecord,
  tracked: readonly string[],
): Promise<string | undefined> {
  const unfinished = await unfinishedOperation(found.record);
  if (unfinished !== undefined) return `it was left in the middle of a ${unfinished}`;
  const isClash = (entry: string) => !/^\d+ \w+ 0\t/.test(entry);
  return tracked.some(isClash) ? "it was left with conflicts of its own" : undefined;
}

/** Copies the index together with its file time. Git uses this time to decide which files it must check for changes. */
export async function copyIndex(from: string, to: string): Promise<void> {
  const stats = await stat(from).catch(() => undefined);
  if (!stats) return;
  await copyFile(from, to);
  await utimes(to, stats.atime, stats.mtime);
}

async function treeOf(
  found: WorktreeRecord,
  index: string,
  { others, tracked }: { others: readonly string[]; tracked: readonly string[] },
): Promise<{ tree: string; failure: string | undefined }> {
  const at = { ...inWorktree(found), env: { GIT_INDEX_FILE: index } };
  // For a submodule in the index, `git add` starts another git inside of it, with the submodule's configuration.
  const submodules = submodulesAmong(tracked);
  await updateIndex(
    at,
    submodules.map(({ entry }) =>
      entry.replace(/^160000 (\w+) /, (_, id: string) => `0 ${"0".repeat(id.length)} `),
    ),
  );
  const without = others.map((path) => `:(exclude,literal)${path}`);
  const added = await tryGit(at, ["add", "--all", "--sparse", "--ignore-errors", "--", ".", ...without]);
  const failure = added.ok
    ? undefined
    : `not every file in ${found.path} could be committed (${oneLine(added.complaint)})`;
  const kept: string[] = [];
  for (const { path, entry } of submodules)
    if ((await lstat(join(found.path, path)).catch(() => undefined))?.isDirectory()) kept.push(entry);
  await updateIndex(at, kept);
  return { tree: await git(at, ["write-tree"]), failure };
}

async function updateIndex(at: GitLocation, entries: readonly string[]): Promise<void> {
  if (entries.length === 0) return;
  await git(at, ["update-index", "-z", "--index-info"], entries.map((entry) => `${entry}\0`).join(""));
}

interface Work {
  message: string;
  /** The git tree of the files in the folder. Undefined if the folder is gone. */
  tree: string | undefined;
  why: string | undefined;
}

/** Moves all work to the branch: uncommitted files, and the commits of HEAD, even if HEAD is not on the branch. */
async function moveBranch(
  { branch, base }: Worktree,
  found: WorktreeRecord,
  work: Work,
): Promise<string | undefined> {
  const at = inWorktree(found);
  const ref = `refs/heads/${branch}`;
  const { output: now } = await tryGit(at, ["symbolic-ref", "--quiet", "HEAD"]);
  const [head, tip] = [await commitAt(at, "HEAD"), await commitAt(at, ref)];
  const tree = head && (await git(at, ["rev-parse", `${head}^{tree}`]));
  const isChanged = work.tree !== undefined && work.tree !== tree;
  // HEAD is an older commit of the branch, so the branch already has all work.
  if (head && tip && !isChanged && head !== tip && (await isAncestor(at, head, tip))) return undefined;

  const follows =
    head !== undefined && (tip === undefined || tip === head || (await isAncestor(at, tip, head)));
  const parents = follows ? [head] : [head, tip].filter((commit) => commit !== undefined);
  const why = work.why ?? (follows ? undefined : "it left its branch for another line of commits");
  const isNew = isChanged || !follows;
  const commit = isNew
    ? await commitTree(at, work.tree ?? tree!, parents.length === 0 ? [base] : parents, {
        paragraphs: [work.message.trim() || `Work of ${branch}`],
        trailers: why === undefined ? [] : [`${KEEP}: ${why}`],
      })
    : head!;
  if (commit !== tip) await git(at, ["update-ref", ref, commit, tip ?? ""]);
  if (now.trim() !== ref) await git(at, ["symbolic-ref", "HEAD", ref]);
  return isNew ? why : undefined;
}

/** Commits in the name of the person whom git knows in this repository, with Cadre as the co-author. */
export async function commitTree(
  at: GitLocation,
  tree: string,
  parents: readonly string[],
  { paragraphs, trailers }: { paragraphs: readonly string[]; trailers: readonly string[] },
): Promise<string> {
  const person = await personOf(at);
  const all = person === undefined ? trailers : [...trailers, CO_AUTHOR];
  const message = [...paragraphs, ...(all.length > 0 ? [all.join("\n")] : [])].join("\n\n");
  const author = person && { ...at, env: { ...at.env, ...person } };
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
  return git(author ?? at, args, message.replaceAll("\0", ""));
}

const CO_AUTHOR = `Co-authored-by: ${CADRE.name} <${CADRE.email}>`;

/** The person's identity as environment variables of git. Undefined if git knows no name and address. */
async function personOf(at: GitLocation): Promise<NodeJS.ProcessEnv | undefined> {
  const [name, email] = [await setting(at, "user.name"), await setting(at, "user.email")];
  if (name === "" || email === "") return undefined;
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

const setting = async (at: GitLocation, key: string): Promise<string> =>
  (await tryGit(at, ["config", "--get", key])).output.trim();

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 300);
