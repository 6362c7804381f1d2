// Applies a merge commit to the parent's folder, as a fast-forward.
//  - The index changes last, after git has written every file and moved the branch. This shows how far an interrupted merge got.
//    If the branch has moved, only the new index is missing. Otherwise Cadre restores the files of the old index.
//  - Undoing a merge changes only files that the merge wrote, partly or completely, and files that it removed.
//    Files that blocked the merge stay as they are, and so do files that a person has changed since.

import {
  copyFile,
  lstat,
  mkdir,
  readFile,
  readlink,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type LockedMerge, settleLeftMerge, withMergeLock } from "./merge-lock.ts";
import {
  GIT_TIME_LIMIT,
  type GitAnswer,
  type GitLocation,
  git,
  gitList,
  inFolder,
  tryGit,
} from "./run-git.ts";
import { copyIndex } from "./worktree-commit.ts";
import type { Checkout } from "./worktree-records.ts";

/** A ref lock that is older than this belongs to a git process that has died. */
const STALE_MS = 1_000;

type Place = Pick<Checkout, "top" | "gitDir" | "common">;

/** Returns git's answer. If git refused the merge, nothing in the folder has changed. */
export async function applyMerge(
  place: Place,
  merge: Pick<LockedMerge, "head" | "commit">,
): Promise<Pick<GitAnswer, "ok" | "complaint">> {
  const { gitDir } = place;
  const answer = await withMergeLock(gitDir, merge, {
    settle: (left) => settleLeftBehind(place, left),
    work: async (locked) => {
      const answer = await fastForward(place, locked);
      await settleMerge(place, locked);
      return answer;
    },
  });
  return "ok" in answer ? answer : { ok: false, ...answer };
}

/** Finishes or undoes the merge that a dead process left in the folder. If the git of that process is still running, waits for it first. */
export const settleLeft = (place: Place): Promise<void> =>
  settleLeftMerge(place.gitDir, (left) => settleLeftBehind(place, left));

async function settleLeftBehind(place: Place, merge: LockedMerge): Promise<void> {
  await removeDeadLocks(place, merge);
  await settleMerge(place, merge);
}

async function fastForward(
  { top, gitDir }: Place,
  { scratch, gitFile, commit, head }: LockedMerge,
): Promise<GitAnswer> {
  const index = join(scratch, "index");
  const at: GitLocation = { ...inFolder(top), env: { GIT_INDEX_FILE: index } };
  await copyIndex(join(gitDir, "index"), index);
  await tryGit(at, ["update-index", "-q", "--ignore-submodules", "--refresh"]);
  const found = await dirtyPaths(top, at, await changes(at, head, commit));
  await writeFile(join(scratch, DIRTY), JSON.stringify(found));
  // `--no-overwrite-ignore` prevents git from overwriting ignored files of the parent.
  const how = ["--ff-only", "--quiet", "--no-stat", "--no-autostash", "--no-overwrite-ignore"];
  return tryGit({ ...at, pidFile: gitFile }, ["merge", ...how, commit]);
}

async function settleMerge(place: Place, merge: LockedMerge): Promise<void> {
  const { top, gitDir } = place;
  const at = inFolder(top);
  if ((await git(at, ["rev-parse", "HEAD"])) !== merge.commit) return undo(place, merge);
  // The scratch index is missing if an earlier attempt has already moved it.
  await rename(join(merge.scratch, "index"), join(gitDir, "index")).catch(ignoreMissing);
}

/** git itself locks refs while it moves the branch. Only locks from the time of our git are removed. The index lock keeps other gits away. */
async function removeDeadLocks({ top }: Place, { gitFile }: LockedMerge): Promise<void> {
  const began = await madeAt(gitFile);
  if (began === undefined) return;
  const at = inFolder(top);
  const branch = (await tryGit(at, ["symbolic-ref", "--quiet", "HEAD"])).output.trim();
  const refs = ["HEAD", "ORIG_HEAD", ...(branch === "" ? [] : [branch])];
  for (const ref of refs) {
    const path = await git(at, ["rev-parse", "--path-format=absolute", "--git-path", `${ref}.lock`]);
    const made = await madeAt(path);
    if (made === undefined || made < began || made > began + GIT_TIME_LIMIT) continue;
    // git itself holds a ref lock for a few milliseconds only.
    await pause(STALE_MS);
    if ((await madeAt(path)) === made) await rm(path, { force: true });
  }
}

const madeAt = async (path: string): Promise<number | undefined> =>
  (await stat(path).catch(() => undefined))?.mtimeMs;

interface Change {
  path: string;
  /** Mode and id of the entry before and after the merge. Undefined if there is no entry. */
  before: Entry | undefined;
  after: Entry | undefined;
}

interface Entry {
  mode: string;
  id: string;
}

const NONE = "000000";
const SUBMODULE = "160000";

/** The files that differ between two commits. Submodules are left out, because a merge does not change their folders. */
async function changes(at: GitLocation, from: string, to: string): Promise<Change[]> {
  const list = await gitList(at, [
    "diff-tree",
    "-r",
    "-z",
    "--raw",
    "--no-abbrev",
    "--no-renames",
    from,
    to,
    "--",
  ]);
  const found: Change[] = [];
  for (let i = 0; i + 1 < list.length; i += 2) {
    const [mode = "", newMode = "", id = "", newId = ""] = list[i]!.slice(1).split(" ");
    if (mode === SUBMODULE || newMode === SUBMODULE) continue;
    found.push({
      path: list[i + 1]!,
      before: mode === NONE ? undefined : { mode, id },
      after: newMode === NONE ? undefined : { mode: newMode, id: newId },
    });
  }
  return found;
}

/** Paths of the merge whose files already differed from the index before the merge. */
interface DirtyPaths {
  /** git refuses the merge because of these files, so it does not write them. */
  inTheWay: string[];
  /** Files that a person had deleted. git does not refuse the merge because of these files. */
  absent: string[];
}

const DIRTY = "dirty";

async function dirtyPaths(top: string, at: GitLocation, all: readonly Change[]): Promise<DirtyPaths> {
  const dirty = new Set(await gitList(at, ["diff-files", "-z", "--name-only", "--ignore-submodules=all"]));
  const found: DirtyPaths = { inTheWay: [], absent: [] };
  for (const { path, before } of all) {
    if (before && !dirty.has(path)) continue;
    if (await lstat(join(top, path)).catch(() => undefined)) found.inTheWay.push(path);
    else found.absent.push(path);
  }
  return found;
}

async function undo({ top, gitDir }: Place, { scratch, head, commit }: LockedMerge): Promise<void> {
  const listed = await readFile(join(scratch, DIRTY), "utf8").catch(() => undefined);
  if (listed === undefined) return;
  const { inTheWay, absent } = JSON.parse(listed) as DirtyPaths;
  const at = inFolder(top);
  const all = (await changes(at, head, commit))
    .filter(({ path }) => !inTheWay.includes(path))
    .map((change) => (absent.includes(change.path) ? { ...change, before: undefined } : change));
  const old = await entriesIn(at, join(scratch, "before"), all, "before");
  const fresh = await entriesIn(at, join(scratch, "after"), all, "after");
  const written: Change[] = [];
  for (const change of all) if (await isWritten(change)) written.push(change);
  if (written.length === 0) return;
  for (const { path, before } of written) {
    if (before) continue;
    await unlink(join(top, path)).catch(ignoreMissing);
    await removeEmptyFolders(top, dirname(path));
  }
  const paths = written.flatMap(({ path, before }) => (before ? [path] : []));
  // A copy of the index, because Cadre holds the lock of the index itself.
  const index = join(scratch, "undo");
  await copyFile(join(gitDir, "index"), index);
  const undoing = { ...at, env: { GIT_INDEX_FILE: index } };
  await git(undoing, ["checkout-index", "--force", "--quiet", "-u", "-z", "--stdin"], paths.join("\0"));
  await rename(index, join(gitDir, "index"));

  async function isWritten({ path, before, after }: Change): Promise<boolean> {
    const found = await lstat(join(top, path)).catch(() => undefined);
    if (!found) return before !== undefined;
    if (before && !old.differs.has(path)) return false;
    if (!after) return false;
    return !fresh.differs.has(path) || isBeginning(join(top, path), await contentOf(path));
  }

  /** The content of the file as git would write it, with line ends and filters applied. */
  async function contentOf(path: string): Promise<Buffer | undefined> {
    const folder = join(scratch, "content");
    await mkdir(folder, { recursive: true });
    await git(fresh.at, ["checkout-index", "--force", `--prefix=${folder}/`, "-z", "--stdin"], path);
    return readContent(join(folder, path));
  }
}

/** Builds an index of one side of the changes. `differs` lists the paths whose file in the folder is different or missing. */
async function entriesIn(
  at: GitLocation,
  index: string,
  all: readonly Change[],
  side: "before" | "after",
): Promise<{ at: GitLocation; differs: ReadonlySet<string> }> {
  await rm(index, { force: true });
  const own = { ...at, env: { GIT_INDEX_FILE: index } };
  const lines = all.flatMap(({ path, [side]: entry }) =>
    entry ? [`${entry.mode} ${entry.id} 0\t${path}`] : [],
  );
  await git(own, ["update-index", "--add", "-z", "--index-info"], lines.map((line) => `${line}\0`).join(""));
  await tryGit(own, ["update-index", "-q", "--ignore-submodules", "--refresh"]);
  return {
    at: own,
    differs: new Set(await gitList(own, ["diff-files", "-z", "--name-only", "--ignore-submodules=all"])),
  };
}

async function isBeginning(path: string, whole: Buffer | undefined): Promise<boolean> {
  const found = await readContent(path);
  return found !== undefined && whole !== undefined && found.equals(whole.subarray(0, found.length));
}

/** The bytes of a file, or the target of a link. */
async function readContent(path: string): Promise<Buffer | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink()) return readlink(path, "buffer");
  return found?.isFile() ? readFile(path) : undefined;
}

async function removeEmptyFolders(top: string, folder: string): Promise<void> {
  for (let at = folder; at !== "." && at !== ""; at = dirname(at)) {
    try {
      await rmdir(join(top, at));
    } catch {
      return;
    }
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
}
