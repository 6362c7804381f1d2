// Gives a child run its own folder and branch, as a git worktree. When the child ends, the branch is merged into the parent's workspace.
//  - No work is lost: a folder is removed only after its work is on the branch, and a branch only after its work is in the parent.
//  - Every call can be repeated after a crash at any point. Git shows which steps are already done, so these steps are not repeated.
//  - A parent's folder is changed by a complete merge or not at all.
//  - Calls for the same parent run one after the other.

import { realpath, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { CadreError, messageOf } from "../../errors.ts";
import { settleLeft } from "./apply-merge.ts";
import { repositoryPrograms } from "./repository-programs.ts";
import { commitAt, git, inFolder, tryGit } from "./run-git.ts";
import { type CommitResult, commitWork, isFullyCommitted } from "./worktree-commit.ts";
import { keepBranch, type MergeResult, type MergeReview, mergeBack, reviewMerge } from "./worktree-merge.ts";
import {
  type Checkout,
  checkoutAround,
  checkoutAt,
  exists,
  findRecord,
  ignoreStateFolder,
  inWorktree,
  lineBreakProblem,
  listFolder,
  lockReason,
  programsProblem,
  recordedWorktrees,
  type Worktree,
  type WorktreeRecord,
} from "./worktree-records.ts";

export type { MergeResult, MergeReview } from "./worktree-merge.ts";
export type { Worktree } from "./worktree-records.ts";

const FOLDER = join(".cadre", "worktrees");

/** The first git version with `git merge-tree --write-tree`, which merges without touching a folder. */
const OLDEST_GIT = "2.38";

/** Lock reason of a worktree that is still being created. Such a worktree contains no work yet. */
const MAKING = "cadre: being made";

/** Lock reason of a worktree that is being removed. Its work is on its branch, and some of its files may be gone already. */
const REMOVING = "cadre: being removed";

/** Says in a sentence why a folder cannot have worktrees. Undefined if worktrees are possible. */
export async function worktreeProblem(workspace: string): Promise<string | undefined> {
  const found = await look(workspace);
  return "problem" in found ? found.problem : undefined;
}

export interface Head {
  top: string;
  base: string;
  /** Path of the workspace relative to the repository's top folder, or "". A child works in the same subfolder of its own worktree. */
  folder: string;
}

/** Folder and branch of a run's worktree. `headOf` says in which folder of the worktree the child works. */
export function worktreeOf(top: string, runId: string, base: string): Worktree {
  return { parent: top, path: join(top, FOLDER, runId), branch: `cadre/${runId}`, base };
}

export async function headOf(workspace: string): Promise<Head> {
  const found = await look(workspace);
  if ("problem" in found) throw new CadreError("UNPROCESSABLE", found.problem);
  return found;
}

/** Creates the worktree, or completes a worktree whose creation was interrupted. */
export function openWorktree(worktree: Worktree): Promise<void> {
  return runInTurn(worktree.parent, async () => {
    try {
      await open(worktree);
    } catch (error) {
      const why = `The worktree ${worktree.path} could not be made (${messageOf(error)})`;
      const now = "Nothing that was there is lost; try again when the cause is gone.";
      throw new CadreError("UNPROCESSABLE", `${why}. ${now}`, undefined, error);
    }
  });
}

export interface CloseOptions {
  message: string;
  /** True if the run did not succeed. Its work stays on the branch. */
  keep?: boolean;
  /** Why the work stays on its branch: the project wants this, or a person rejected the merge. */
  apart?: string | undefined;
  /** True if the work becomes one ordinary commit instead of a merge commit. */
  squash?: boolean | undefined;
  /** The commit that a person has approved, or null if nobody has approved any. Other work is not merged. Absent if nobody is asked. */
  approved?: string | null | undefined;
  /** True if the folder and the branch stay, because the run might go on in them. */
  stays?: boolean | undefined;
  /** True if a person must review changes of this path before they are merged. */
  mustLook?: (path: string) => boolean;
}

/** Commits uncommitted work, merges the branch unless `keep` is set, and removes the folder with its ignored files. */
export function closeWorktree(worktree: Worktree, options: CloseOptions): Promise<MergeResult> {
  return runInTurn(worktree.parent, async () => {
    try {
      return await close(worktree, options);
    } catch (error) {
      if (!isForeseen(error)) throw error;
      return keepBranch(
        worktree,
        `${messageOf(error)}; what is in ${worktree.path}, if anything, is untouched`,
      );
    }
  });
}

/**
 * Commits uncommitted work to the branch, and returns what a merge would change in the parent's folder. Merges nothing.
 * Undefined if there is nothing for a person to decide: no change, a conflict, or work that must stay on its branch.
 */
export function reviewWorktree(
  worktree: Worktree,
  { message, mustLook }: Pick<CloseOptions, "message" | "mustLook">,
): Promise<MergeReview | undefined> {
  return runInTurn(worktree.parent, async () => {
    try {
      const { checkout, work } = await commitAll(worktree, message);
      if (work.stays !== undefined || work.why !== undefined) return undefined;
      return await reviewMerge(worktree, { checkout, mustLook });
    } catch (error) {
      if (!isForeseen(error)) throw error;
      // The merge itself reports the same problem.
      return undefined;
    }
  });
}

/** Closes the worktrees of ended runs without merging them. Returns the branches that contain work. */
export async function sweepWorktrees(
  workspace: string,
  isOver: (runId: string) => Promise<boolean>,
): Promise<string[]> {
  if (!(await mayHaveSome(workspace)) || (await worktreeProblem(workspace)) !== undefined) return [];
  const checkout = await checkoutAround(workspace);
  const { top } = checkout;
  await runInTurn(top, () => settleLeft(checkout));
  const held: string[] = [];
  const failures: unknown[] = [];
  for (const path of await worktreesOfRuns(checkout)) {
    try {
      if (!(await isOver(basename(path)))) continue;
      const merged = await closeWorktree(await worktreeAt(path, top), {
        message: "Work of a run that ended before it was merged",
        keep: true,
      });
      if ("branch" in merged) held.push(merged.branch);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return held;
}

/** Folders of worktrees below the top folder. Inner worktrees come first, because a folder that contains worktrees is kept. */
async function worktreesOfRuns({ top, common }: Checkout): Promise<string[]> {
  const recorded = (await recordedWorktrees(common)).map(({ path }) => path);
  // git forgets a worktree whose `.git` file is gone. Its folder is still there.
  const folders = (await listFolder(join(top, FOLDER))).map((name) => join(top, FOLDER, name));
  return [...new Set([...recorded, ...folders])]
    .filter((path) => path.startsWith(join(top, FOLDER) + sep) && path.endsWith(join(FOLDER, basename(path))))
    .toSorted((a, b) => b.length - a.length);
}

/** This check runs every minute, so it does not start git. It looks for a folder of worktrees here and in all parent folders. */
async function mayHaveSome(workspace: string): Promise<boolean> {
  let folder = await realpath(workspace).catch(() => workspace);
  while (!(await exists(join(folder, FOLDER)))) {
    if (dirname(folder) === folder) return false;
    folder = dirname(folder);
  }
  return true;
}

async function look(workspace: string): Promise<Head | { problem: string }> {
  const at = inFolder(workspace);
  const version = await tryGit({ folder: workspace, args: [] }, ["--version"]);
  if (!version.ok)
    return { problem: "git was not found: install it, or let the agent work in its parent's folder." };
  if (!isRecent(version.output))
    return {
      problem: `${version.output.trim()} is too old for worktrees: ${OLDEST_GIT} or newer is needed.`,
    };
  const asked = ["--path-format=absolute", "--show-toplevel", "--show-prefix", "HEAD^{commit}", "HEAD:./"];
  const { ok, output } = await tryGit(at, ["rev-parse", ...asked]);
  if (!ok) return { problem: await whyNot(workspace) };
  const programs = await repositoryPrograms(workspace);
  if (programs.length > 0) return { problem: programsProblem(workspace, programs) };
  const [top = "", prefix = "", base = "", , ...more] = output.replace(/\n$/, "").split("\n");
  if (more.length > 0) return { problem: lineBreakProblem(workspace) };
  return { top, base, folder: prefix.replace(/\/$/, "") };
}

async function whyNot(workspace: string): Promise<string> {
  const at = inFolder(workspace);
  const { ok, complaint } = await tryGit(at, ["rev-parse", "--show-toplevel"]);
  if (!ok)
    return `${workspace} is in no git repository that can be used (${complaint}): \`git init\` makes one.`;
  if ((await commitAt(at, "HEAD")) === undefined)
    return `The repository of ${workspace} has no commit yet, and a worktree begins at one: commit something.`;
  return `Nothing in ${workspace} is committed, so a worktree would lack it: commit its files first.`;
}

function isRecent(version: string): boolean {
  const found = /\d+\.\d+/.exec(version)?.[0] ?? "0";
  return found.localeCompare(OLDEST_GIT, "en", { numeric: true }) >= 0;
}

async function open(worktree: Worktree): Promise<void> {
  const checkout = await checkoutAt(worktree.parent);
  await settleLeft(checkout);
  await ignoreStateFolder(worktree.parent);
  const found = await existingWorktree(worktree, checkout.common);
  if (found?.hasFolder) return;
  if (found) {
    await commitWork(worktree, found, "");
    await discard(found);
  }
  await add(worktree, worktree.path, ["--lock", "--reason", MAKING]);
  await git(inFolder(worktree.parent), ["worktree", "unlock", "--", worktree.path]);
}

/** True if git or the system failed. Any other error is a bug and must stay visible. */
const isForeseen = (error: unknown): boolean =>
  error instanceof CadreError || (error as NodeJS.ErrnoException).syscall !== undefined;

async function close(worktree: Worktree, options: CloseOptions): Promise<MergeResult> {
  const { message, keep = false, apart, stays = false } = options;
  const { parent, branch } = worktree;
  const { checkout, found, work } = await commitAll(worktree, message);
  if (work.stays !== undefined) return keepBranch(worktree, work.stays);
  const why = work.why ?? (keep ? "its run did not succeed, or ended before the merge" : apart);
  const merged = await mergeBack(worktree, { ...options, checkout, why, mustLook: options.mustLook });
  if (stays || (found && !(await removeFolder(worktree, found)))) return merged;
  if ("branch" in merged) return merged;
  // git refuses to delete the branch unless the parent contains all of its commits. It cannot see that a squash contains them.
  const force = merged.status === "merged" && merged.squashed ? ["--force"] : [];
  await tryGit(inFolder(parent), ["branch", "--delete", ...force, "--quiet", "--", branch]);
  return merged;
}

/** Puts all work on the branch. */
async function commitAll(
  worktree: Worktree,
  message: string,
): Promise<{ checkout: Checkout; found: WorktreeRecord | undefined; work: CommitResult }> {
  const checkout = await checkoutAt(worktree.parent);
  await settleLeft(checkout);
  const found = await existingWorktree(worktree, checkout.common);
  const work: CommitResult = found ? await commitWork(worktree, found, message) : {};
  return { checkout, found, work };
}

/** Returns the existing worktree. Discards a half-made or half-removed worktree. A folder without a record in git gets a new record. */
async function existingWorktree(worktree: Worktree, common: string): Promise<WorktreeRecord | undefined> {
  const found = await findRecord(worktree, common);
  const locked = found && (await lockReason(found));
  if (found && (locked === MAKING || locked === REMOVING)) {
    await discard(found);
    return undefined;
  }
  if (found) {
    const isCut = found.hasFolder && !(await exists(join(found.path, ".git")));
    if (isCut) await git(inFolder(worktree.parent), ["worktree", "repair"]);
    return found;
  }
  const entries = await listFolder(worktree.path);
  if (entries.length > 0) return adopt(worktree, common);
  if (await exists(worktree.path)) await rmdir(worktree.path);
  return undefined;
}

/** Registers a folder as a worktree again after git has lost the folder's record. Existing files are kept. */
async function adopt(worktree: Worktree, common: string): Promise<WorktreeRecord> {
  const { parent, path } = worktree;
  const beside = join(parent, ".cadre", "adopted", basename(path));
  await rm(beside, { recursive: true, force: true });
  await add(worktree, beside, ["--no-checkout", "--force"]);
  await rename(join(beside, ".git"), join(path, ".git"));
  await rm(dirname(beside), { recursive: true, force: true });
  await git(inFolder(parent), ["worktree", "repair", "--", path]);
  const found = await findRecord(worktree, common);
  if (!found) throw new CadreError("UNPROCESSABLE", `git does not know ${path} as a worktree`);
  await git(inWorktree(found), ["read-tree", "HEAD"]);
  await tryGit(inWorktree(found), ["checkout-index", "--all", "--quiet"]);
  return found;
}

async function add({ parent, branch, base }: Worktree, path: string, how: readonly string[]): Promise<void> {
  const at = inFolder(parent);
  const isThere = (await commitAt(at, `refs/heads/${branch}`)) !== undefined;
  const what = isThere ? ["--", path, branch] : ["-b", branch, "--no-track", "--", path, base];
  await git(at, ["worktree", "add", "--quiet", ...how, ...what]);
}

/** Removes an unused worktree without git. The worktree might be too incomplete for `git worktree remove`. */
async function discard({ path, record }: WorktreeRecord): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await rm(record, { recursive: true, force: true });
}

/** Removes the folder, unless it contains new files or a person has locked it. */
async function removeFolder({ parent, path }: Worktree, found: WorktreeRecord): Promise<boolean> {
  if (!(await isFullyCommitted(found)) || (await lockReason(found)) !== undefined) return false;
  await writeFile(join(found.record, "locked"), REMOVING);
  // Git removes a locked worktree only if `--force` is given twice.
  return (await tryGit(inFolder(parent), ["worktree", "remove", "--force", "--force", "--", path])).ok;
}

/** Rebuilds a worktree's data from its path. The base is the commit at which the worktree and its parent diverge. */
async function worktreeAt(path: string, top: string): Promise<Worktree> {
  const parent = dirname(dirname(dirname(path)));
  const worktree = worktreeOf((await exists(parent)) ? parent : top, basename(path), "HEAD");
  const parted = await tryGit(inFolder(worktree.parent), [
    "merge-base",
    "HEAD",
    `refs/heads/${worktree.branch}`,
  ]);
  return { ...worktree, path, base: parted.ok ? parted.output.trim() : "HEAD" };
}

const turns = new Map<string, Promise<unknown>>();

function runInTurn<T>(parent: string, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(parent) ?? Promise.resolve()).then(work);
  const settled = turn
    .catch(() => undefined)
    .then(() => {
      if (turns.get(parent) === settled) turns.delete(parent);
    });
  turns.set(parent, settled);
  return turn;
}
