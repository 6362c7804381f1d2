// Reading and replacing text files without surprises: regular files only, bounded, never through a link, never half.

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../errors.ts";

export const MAX_FILE_BYTES = 10 * 1024 * 1024;

export type FileText =
  | { ok: true; text: string; mode: number }
  /** With `mode`: a regular file that is no text we can read; it may still be replaced as a whole. */
  | { ok: false; missing: boolean; why: string; mode?: number };

/** `why` continues a sentence that begins with the file's name. */
export async function readTextFile(path: string): Promise<FileText> {
  // O_NONBLOCK: opening a FIFO that nobody writes to would wait for ever (A38).
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, flags);
  } catch (error) {
    return unreadable(error);
  }
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) return no("is a folder: use LS to see what is in it");
    if (!stats.isFile()) return no("is not a regular file");
    return textOf(stats.size > MAX_FILE_BYTES ? stats.size : await file.readFile(), stats.mode & 0o777);
  } catch (error) {
    return unreadable(error);
  } finally {
    await file.close();
  }
}

function textOf(content: Buffer | number, mode: number): FileText {
  if (typeof content === "number") {
    const limit = megabytes(MAX_FILE_BYTES);
    const why = `is ${megabytes(content)} MB, more than the ${limit} MB that can be read: use Grep to find the part that matters`;
    return { ok: false, missing: false, why, mode };
  }
  if (content.subarray(0, 8192).includes(0)) {
    return {
      ok: false,
      missing: false,
      why: `is binary (${content.length} bytes): only text can be read`,
      mode,
    };
  }
  if (!isUtf8(content)) return { ok: false, missing: false, why: "is not UTF-8 text", mode };
  // Node keeps a byte order mark as a character: an edit leaves it where it is.
  return { ok: true, text: content.toString("utf8"), mode };
}

/** Replaces the file in one step: a kill at any moment leaves the old content or the new, never a part. */
export async function replaceFile(
  path: string,
  text: string,
  options: { key: string; mode?: number },
): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  // Named by the call's key: the next attempt finds and overwrites what a kill left behind.
  const temporary = join(folder, `.${basename(path).slice(0, 100)}.${hash(options.key).slice(0, 12)}.tmp`);
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const file = await open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, options.mode ?? 0o666);
  try {
    await file.writeFile(text);
    if (options.mode !== undefined) await file.chmod(options.mode);
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** What a file is now, for approvals: same fingerprint, same effect. */
export async function fingerprintOf(path: string): Promise<string> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return "absent";
  if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return `${stats.mode}:${stats.size}:${stats.mtimeMs}`;
  return readFile(path).then(hash, messageOf);
}

const hash = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");

/** Why writing failed, as the rest of a sentence about the file. */
export function writeFailure(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EACCES":
    case "EPERM":
      return "may not be written by this user; nothing was changed";
    case "EROFS":
      return "is on a read-only file system; nothing was changed";
    case "ENOSPC":
    case "EDQUOT":
      return "cannot be written because the disk is full; nothing was changed";
    case "EISDIR":
      return "is a folder; nothing was changed";
    default:
      return `could not be written (${messageOf(error)}); nothing was changed`;
  }
}

/** Makes the rename itself survive a power cut. Not every system can. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function unreadable(error: unknown): FileText {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return { ok: false, missing: true, why: "does not exist" };
  if (code === "EACCES" || code === "EPERM") return no("may not be read by this user");
  if (code === "ELOOP") return no("has just become a link");
  return no(`could not be read (${messageOf(error)})`);
}

const no = (why: string): FileText => ({ ok: false, missing: false, why });

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(bytes < 100 * 1024 * 1024 ? 1 : 0);
