// The lock that Cadre holds on the parent's index while it applies a merge.
//  - Cadre creates `index.lock` itself, and writes its process and the merge into the file.
//    This marks the lock as Cadre's. Cadre never removes the lock of another program.
//  - git works on a copy of the index and records its process id before it starts. So Cadre can wait for a git that outlived its Cadre.
//  - A process that finds the lock of a dead Cadre takes it over. It finishes or undoes the merge, and then releases the lock.

import { link, mkdtemp, readFile, rename, rm, stat, unlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { parseStat, processPlace, processStartTime, processStat } from "../../process-start.ts";

const SCRATCH = "cadre-merge-";
const LOOK_MS = 100;
/** How long to wait for the lock of a program other than Cadre. */
const FOREIGN_MS = 3_000;
/** How long to wait for another Cadre, or for a git that has outlived its Cadre. This is longer than git's time limit. */
const CADRE_MS = 150_000;
/** A process on another machine or in another container cannot be checked. It is treated as dead after this time. */
const ELSEWHERE_MS = 600_000;
/** Two processes might take over a lock at the same time. After this pause, the lock names the process that has it. */
const TAKE_OVER_MS = 50;

const Note = z.object({
  cadre: z.literal("merge"),
  /** Machine, boot and process namespace. A process id identifies a process only if all three are the same. */
  place: z.object({ host: z.string(), boot: z.string(), namespace: z.string() }),
  pid: z.int().positive(),
  started: z.string().optional(),
  /** Name of the folder in the git folder that holds the copy of the index. */
  scratch: z.string().regex(/^cadre-merge-\w+$/),
  head: z.string().regex(/^[0-9a-f]{40,64}$/),
  commit: z.string().regex(/^[0-9a-f]{40,64}$/),
});
type Note = z.infer<typeof Note>;

/** The merge that a lock is held for. */
export interface LockedMerge extends Pick<Note, "head" | "commit"> {
  /** A folder for the files of this merge. It is removed together with the lock. */
  scratch: string;
  /** git writes its process id to this file before it starts. */
  gitFile: string;
}

/** Finishes or undoes a merge that was cut off. */
export type Settle = (merge: LockedMerge) => Promise<void>;

/** Merges that this process is working on. A merge that failed halfway is removed, and is then handled like the merge of a dead process. */
const active = new Set<string>();

/** Does the work with the index locked. Returns git's complaint if another program keeps the lock. */
export async function withMergeLock<T>(
  gitDir: string,
  merge: Pick<Note, "head" | "commit">,
  { settle, work }: { settle: Settle; work: (merge: LockedMerge) => Promise<T> },
): Promise<T | { complaint: string }> {
  const scratch = await mkdtemp(join(gitDir, SCRATCH));
  const own = { ...merge, scratch: basename(scratch) };
  const draft = join(scratch, "lock");
  await writeNote(draft, own);
  for (let waited = 0; ; waited += LOOK_MS) {
    active.add(own.scratch);
    if (await createLink(draft, lockPath(gitDir))) return workAndRelease(gitDir, own, work);
    active.delete(own.scratch);
    const found = await settleIfDead(gitDir, settle);
    if (waited >= (found === "cadre" ? CADRE_MS : FOREIGN_MS)) break;
    if (found !== "free") await pause(LOOK_MS);
  }
  await rm(scratch, { recursive: true, force: true });
  return { complaint: `Unable to create '${lockPath(gitDir)}': File exists.` };
}

/** Settles the merge of a dead Cadre, if there is one. Waits for merges that are still running. */
export async function settleLeftMerge(gitDir: string, settle: Settle): Promise<void> {
  for (let waited = 0; waited < CADRE_MS; waited += LOOK_MS) {
    if ((await settleIfDead(gitDir, settle)) !== "cadre") return;
    await pause(LOOK_MS);
  }
}

/**
 * Settles the merge of a dead Cadre, if there is one. Returns who holds the lock afterwards.
 * `cadre` means a live Cadre, or a dead Cadre whose git is still running.
 */
async function settleIfDead(gitDir: string, settle: Settle): Promise<"free" | "cadre" | "foreign"> {
  const found = await readLock(gitDir);
  if (found === undefined || found === "foreign") return found ?? "free";
  const { note } = found;
  if (isHeld(found) || (await isGitAlive(lockedMerge(gitDir, note).gitFile, found))) return "cadre";
  active.add(note.scratch);
  try {
    const draft = `${lockPath(gitDir)}.${process.pid}`;
    await writeNote(draft, note);
    await rename(draft, lockPath(gitDir));
    await pause(TAKE_OVER_MS);
    const taken = await readLock(gitDir);
    if (typeof taken !== "object" || !isOfThisProcess(taken.note)) return "cadre";
    await workAndRelease(gitDir, note, settle);
    return "free";
  } finally {
    active.delete(note.scratch);
  }
}

async function workAndRelease<T>(
  gitDir: string,
  note: Pick<Note, "head" | "commit" | "scratch">,
  work: (merge: LockedMerge) => Promise<T>,
): Promise<T> {
  try {
    const merge = lockedMerge(gitDir, note);
    const result = await work(merge);
    await rm(merge.scratch, { recursive: true, force: true });
    await unlink(lockPath(gitDir));
    return result;
  } finally {
    active.delete(note.scratch);
  }
}

const lockPath = (gitDir: string): string => join(gitDir, "index.lock");

function lockedMerge(
  gitDir: string,
  { head, commit, scratch: name }: Pick<Note, "head" | "commit" | "scratch">,
): LockedMerge {
  const scratch = join(gitDir, name);
  return { head, commit, scratch, gitFile: join(scratch, "git") };
}

const writeNote = (path: string, merge: Pick<Note, "head" | "commit" | "scratch">): Promise<void> => {
  const started = processStartTime(process.pid);
  const { head, commit, scratch } = merge;
  const note: Note = {
    cadre: "merge",
    place: processPlace(),
    pid: process.pid,
    started,
    scratch,
    head,
    commit,
  };
  return writeFile(path, `${JSON.stringify(note)}\n`, { mode: 0o600 });
};

/** Creates the lock as a link, because a link appears with its whole content. An incomplete lock would look like another program's. */
async function createLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
  }
  // This file system does not support links.
  try {
    await writeFile(to, await readFile(from), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

interface FoundLock {
  note: Note;
  /** Milliseconds since the lock was written. */
  age: number;
}

async function readLock(gitDir: string): Promise<FoundLock | "foreign" | undefined> {
  try {
    const { size, mtimeMs } = await stat(lockPath(gitDir));
    // The lock of another git is its new index, which can be large.
    if (size > 4_096) return "foreign";
    const note = Note.safeParse(JSON.parse(await readFile(lockPath(gitDir), "utf8")));
    return note.success ? { note: note.data, age: Date.now() - mtimeMs } : "foreign";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    return "foreign";
  }
}

function isHeld({ note, age }: FoundLock): boolean {
  if (isOfThisProcess(note)) return active.has(note.scratch);
  return isAlive({ ...note, started: note.started }, age);
}

const isOfThisProcess = ({ place, pid, started }: Note): boolean =>
  pid === process.pid && started === processStartTime(pid) && isDeepStrictEqual(place, processPlace());

interface Holder extends Pick<Note, "place" | "pid"> {
  started: string | undefined;
}

function isAlive({ place, pid, started }: Holder, age: number): boolean {
  const here = processPlace();
  if (place.host === here.host && place.boot !== here.boot) return false;
  if (!isDeepStrictEqual(place, here)) return age < ELSEWHERE_MS;
  // Without /proc, an existing process id might belong to another program.
  if (processStat(process.pid) === undefined) return isProcess(pid) && age < ELSEWHERE_MS;
  const now = processStat(pid);
  return now !== undefined && !now.isZombie && now.began === started;
}

/** The file contains git's entry in /proc, or only git's process id if the system has no /proc. If the file is missing, git was not started. */
async function isGitAlive(file: string, { note, age }: FoundLock): Promise<boolean> {
  const text = await readFile(file, "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  return pid > 0 && isAlive({ place: note.place, pid, started: parseStat(text)?.began }, age);
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
