// Reads and replaces text files: regular UTF-8 files up to a size limit, always through open folders.
// One read gives both the content and its fingerprint, so the two always match.

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { constants, type FileHandle, open, rename, rm } from "node:fs/promises";
import { describeSystemError } from "../../errors.ts";
import { detectMediaType, isImage } from "../../journal/attachment.ts";
import { type OpenFolder, openFolder, openIn, openRegularFile, pathIn } from "./open-folder.ts";
import type { WorkspacePath } from "./workspace-path.ts";

export const MAX_FILE_BYTES = 10 * 1024 * 1024;

export const ABSENT = "absent";

export type FileText = {
  /** Identifies the content: the same fingerprint means the same content. */
  fingerprint: string;
  /** The bytes, if the file is an image or a PDF. */
  media?: Buffer;
} & (
  | { ok: true; text: string; owner: Owner }
  /** `why` completes a sentence that begins with the file's name. */
  | { ok: false; missing: boolean; isFolder?: true; isTooLong?: true; why: string }
);

interface Owner {
  mode: number;
  uid: number;
  gid: number;
}

export async function readTextFile({ root, names }: WorkspacePath): Promise<FileText> {
  try {
    await using folder = await openFolder(root, names.slice(0, -1));
    return await readIn(folder, names.at(-1) ?? ".");
  } catch (error) {
    return unreadableFile(error);
  }
}

/** Replaces the file in one step, so a killed process leaves either the old or the new content. Returns "changed" if the file differs from `before`. */
export async function replaceFile(
  { root, names }: WorkspacePath,
  text: string,
  { key, before }: { key: string; before: FileText },
): Promise<"replaced" | "changed"> {
  const name = names.at(-1)!;
  await using folder = await openFolder(root, names.slice(0, -1), { create: true });
  // The temporary file is named after the call's key, so that the next attempt can find and remove the file of a killed attempt.
  const temporary = `.cadre.${fingerprintOf(key).slice(0, 16)}.tmp`;
  try {
    await writeNew(folder, temporary, text, before.ok ? before.owner : undefined);
    if ((await readIn(folder, name)).fingerprint !== before.fingerprint) return "changed";
    if (!(await folder.isUnchanged())) return "changed";
    await rename(pathIn(folder, temporary), pathIn(folder, name));
  } finally {
    await rm(pathIn(folder, temporary), { force: true }).catch(() => undefined);
  }
  await syncFolder(folder);
  return "replaced";
}

export const fingerprintOf = (content: string | Buffer): string =>
  createHash("sha256").update(content).digest("hex");

/** Says why writing failed. The words complete a sentence that begins with the file's name. */
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
    case "ENOTDIR":
    case "ELOOP":
      return "is reached by a link or through a file since a moment ago; nothing was changed";
    default:
      return `could not be written (${describeSystemError(error)}); nothing was changed`;
  }
}

async function readIn(folder: OpenFolder, name: string): Promise<FileText> {
  let file: FileHandle;
  try {
    file = await openRegularFile(folder, name);
  } catch (error) {
    return unreadableFile(error);
  }
  try {
    const { mode, uid, gid, size, mtimeMs } = await file.stat();
    const fingerprint = `${mode}:${size}:${mtimeMs}`;
    if (size > MAX_FILE_BYTES)
      return { ...unusableFile(await describeTooLong(file, size), fingerprint), isTooLong: true };
    const content = await readBounded(file);
    if (content.length > MAX_FILE_BYTES) return unusableFile(tooLong((await file.stat()).size), fingerprint);
    if (size === 0 && content.length > 0 && (await file.stat()).size === 0)
      return unusableFile("is not a regular file: the system makes it up as it is read", fingerprint);
    const text = textOf(content, { mode: mode & 0o777, uid, gid });
    return detectMediaType(content) === undefined ? text : { ...text, media: content };
  } catch (error) {
    return unreadableFile(error);
  } finally {
    await file.close();
  }
}

/** Reads at most one byte more than the limit, because a file might grow without end while it is read. */
async function readBounded(file: FileHandle): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  while (size <= MAX_FILE_BYTES) {
    const chunk = Buffer.allocUnsafe(Math.min(256 * 1024, MAX_FILE_BYTES + 1 - size));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    size += bytesRead;
  }
  return Buffer.concat(chunks);
}

function textOf(content: Buffer, owner: Owner): FileText {
  const fingerprint = fingerprintOf(content);
  const mark = content.length > 1 ? content.readUInt16BE(0) : 0;
  if (mark === 0xfffe || mark === 0xfeff)
    return unusableFile(
      "is UTF-16 text, and only UTF-8 can be used: convert a copy with Bash (iconv)",
      fingerprint,
    );
  if (content.includes(0))
    return unusableFile(`is binary (${content.length} bytes), and only text can be used`, fingerprint);
  if (!isUtf8(content))
    return unusableFile(
      "is not UTF-8 text (Latin-1, perhaps): convert a copy with Bash (iconv)",
      fingerprint,
    );
  // Node keeps a byte order mark as a character, so an edit preserves it.
  return { ok: true, text: content.toString("utf8"), owner, fingerprint };
}

/** Creates a new file. An existing entry with this name might be a link, so the entry is removed first. */
async function writeNew(
  folder: OpenFolder,
  name: string,
  text: string,
  owner: Owner | undefined,
): Promise<void> {
  await rm(pathIn(folder, name), { force: true });
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  const file = await openIn(folder, name, O_WRONLY | O_CREAT | O_EXCL, owner?.mode ?? 0o666);
  try {
    await file.writeFile(text);
    if (owner) await keepOwner(file, owner);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Keeps the file's mode. Keeps the owner only if Cadre runs as root; otherwise Cadre's user becomes the owner, as in most editors. */
async function keepOwner(file: FileHandle, { mode, uid, gid }: Owner): Promise<void> {
  const now = await file.stat();
  if (now.uid !== uid || now.gid !== gid) await file.chown(uid, gid).catch(() => undefined);
  await file.chmod(mode);
}

/** Flushes the folder, so that the rename survives a power cut. Not every system supports this. */
async function syncFolder(folder: OpenFolder): Promise<void> {
  const handle = await open(pathIn(folder, "."), constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function unreadableFile(error: unknown): FileText {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return { ok: false, missing: true, why: "does not exist", fingerprint: ABSENT };
  if (code === "EACCES" || code === "EPERM") return unusableFile("may not be read by this user", code);
  if (code === "ELOOP" || code === "ENOTDIR")
    return unusableFile("is reached by a link or through a file since a moment ago", code);
  if (code === "EISDIR")
    return {
      ok: false,
      missing: false,
      isFolder: true,
      why: "is a folder: use LS to see what is in it",
      fingerprint: code,
    };
  if (code === "ENXIO") return unusableFile("is not a regular file", code);
  if (code === "EBUSY") return unusableFile("is a database that Cadre itself has open, and no text", code);
  return unusableFile(`could not be read (${describeSystemError(error)})`, code ?? "unreadable");
}

const unusableFile = (why: string, fingerprint: string): Extract<FileText, { ok: false }> => ({
  ok: false,
  missing: false,
  why,
  fingerprint,
});

/** The search of a folder skips files that are larger than this. */
export const MAX_SEARCHED_BYTES = 20 * 1024 * 1024;

/** Grep searches a single file up to this size. */
export const MAX_SEARCHED_FILE = 500 * 1024 * 1024;

const tooLong = (bytes: number): string =>
  `is ${megabytes(bytes)} MB, more than the ${megabytes(MAX_FILE_BYTES)} MB that can be used: ${
    bytes > MAX_SEARCHED_FILE
      ? "look at parts of it with Bash (grep, head, tail, sed -n)"
      : "use Grep on it, with context, or look at parts of it with Bash (head, tail, sed -n)"
  }`;

/** Reads the first bytes of the file, because the advice depends on the kind of file. */
async function describeTooLong(file: FileHandle, size: number): Promise<string> {
  const start = Buffer.alloc(16);
  await file.read(start, 0, start.length, 0);
  const mediaType = detectMediaType(start);
  if (mediaType === undefined) return tooLong(size);
  return isImage({ mediaType })
    ? `is an image of ${megabytes(size)} MB, which is too large: ${SMALLER_IMAGE}`
    : `is a PDF of ${megabytes(size)} MB, which is too large: ${FEWER_PAGES}`;
}

export const SMALLER_IMAGE = "make a smaller copy with Bash and read that";
export const FEWER_PAGES = "take out the part that matters with Bash (pdftotext or qpdf) and read that";

export const megabytes = (bytes: number): string =>
  (bytes / 1024 / 1024).toFixed(bytes < 100 * 1024 * 1024 ? 1 : 0);
