// Opens a folder and the files in it. The folder stays open, so no process can redirect its path between the check and the use (A35).
//  X1  Each folder on the path is opened through its parent, never through a link.
//  X2  Files are read, written and renamed through the open folder, never by its path.
// Linux has a name for an open folder, /proc/self/fd/<n>. On other systems, the folders on the path are compared before and after use.
// On those systems, a swap is still possible in the short moment between the comparison and the use.

import { existsSync, readFileSync, type Stats } from "node:fs";
import { constants, type FileHandle, lstat, mkdir, open } from "node:fs/promises";
import { join } from "node:path";

export interface OpenFolder extends AsyncDisposable {
  /** A path that leads to this folder as long as the folder is open, even if the folder is moved. */
  path: string;
  /** True if the path still leads to this folder and `name` is still the opened file. Check this before you trust the data you read. */
  isUnchanged(opened?: { name: string; handle: FileHandle }): Promise<boolean>;
}

export type OpenMethod = "by-descriptor" | "by-name";

export interface OpenFolderOptions {
  create?: boolean;
  method?: OpenMethod;
}

const HERE: OpenMethod = existsSync("/proc/self/fd/0") ? "by-descriptor" : "by-name";

/** Throws the same errors as `open`: ENOENT for a missing folder, ENOTDIR or ELOOP if a file or link has replaced it. */
export function openFolder(
  root: string,
  names: readonly string[],
  { create = false, method = HERE }: OpenFolderOptions = {},
): Promise<OpenFolder> {
  return method === "by-descriptor" ? openByDescriptor(root, names, create) : openByName(root, names, create);
}

/** Opens an entry of an open folder, but never a link. Does not block on a FIFO that has no writer (A38). */
export async function openIn(
  folder: OpenFolder,
  name: string,
  flags: number,
  mode?: number,
): Promise<FileHandle> {
  const path = pathIn(folder, name);
  const handle = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
  if (await folder.isUnchanged({ name, handle })) return handle;
  await handle.close();
  throw swapError(path);
}

/** Does not use `join`, which drops a `.` at the end. Without the `.`, the path of a descriptor is a link and not the folder. */
export const pathIn = (folder: Pick<OpenFolder, "path">, name: string): string => `${folder.path}/${name}`;

/** A Linux flag that Node does not define. The handle refers to a file without opening it, so closing the handle releases no locks. */
const O_PATH = 0o10000000;

const OWN_DATABASE = /[\\/](owner|cadre)\.db(-\w+)?$/i;

/**
 * Opens a regular file of an open folder for reading. The type is checked first.
 * Opening a device might have an effect, and opening a FIFO blocks (A38).
 * Closing any descriptor of a database releases this process's locks on that database (O2).
 * Throws the same errors as `open`, with EISDIR for a folder, ENXIO for a special file and EBUSY for Cadre's own databases.
 */
export async function openRegularFile(folder: OpenFolder, name: string): Promise<FileHandle> {
  if (!folder.path.startsWith("/proc/self/fd/")) {
    mustBeRegular(await lstat(pathIn(folder, name)), pathIn(folder, name));
    return openIn(folder, name, constants.O_RDONLY);
  }
  await using spot = await openIn(folder, name, O_PATH);
  mustBeRegular(await spot.stat(), pathIn(folder, name));
  return await open(`/proc/self/fd/${spot.fd}`, constants.O_RDONLY | constants.O_NONBLOCK);
}

function mustBeRegular(stats: Stats, path: string): void {
  if (stats.isSymbolicLink()) throw failure("ELOOP", path);
  if (stats.isDirectory()) throw failure("EISDIR", path);
  if (!stats.isFile()) throw failure("ENXIO", path);
  if (OWN_DATABASE.test(path) || isLockedHere(stats.ino)) throw failure("EBUSY", path);
}

/** Compares inodes, because a hard link is the same file under another name. Only Linux provides a list of locks. */
function isLockedHere(inode: number): boolean {
  return locks().some((line) => {
    const [, kind, , , pid, where] = line.trim().split(/\s+/);
    return kind === "POSIX" && pid === String(process.pid) && where?.split(":")[2] === String(inode);
  });
}

/** A synchronous read is fast enough, because the kernel keeps the list of locks in memory. */
function locks(): string[] {
  try {
    return readFileSync("/proc/locks", "utf8").split("\n");
  } catch {
    return [];
  }
}

const failure = (code: string, path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: ${path}`), { code });

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

async function openByDescriptor(
  root: string,
  names: readonly string[],
  create: boolean,
): Promise<OpenFolder> {
  let handle = await open(root, FOLDER);
  for (const name of names) {
    const path = `/proc/self/fd/${handle.fd}/${name}`;
    try {
      if (create) await makeFolder(path);
      const next = await open(path, FOLDER);
      await handle.close();
      handle = next;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
  return {
    path: `/proc/self/fd/${handle.fd}`,
    isUnchanged: async () => true,
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function openByName(root: string, names: readonly string[], create: boolean): Promise<OpenFolder> {
  const way = [{ path: root, id: await folderId(root) }];
  for (const name of names) {
    const path = join(way.at(-1)!.path, name);
    if (create) await makeFolder(path);
    way.push({ path, id: await folderId(path) });
  }
  return {
    path: way.at(-1)!.path,
    async isUnchanged(opened) {
      if (opened && !(await isNamed(opened.handle, join(way.at(-1)!.path, opened.name)))) return false;
      for (const { path, id } of way) if ((await folderId(path).catch(() => undefined)) !== id) return false;
      return true;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

async function isNamed(handle: FileHandle, path: string): Promise<boolean> {
  const opened = await handle.stat({ bigint: true });
  const named = await lstat(path, { bigint: true }).catch(() => undefined);
  return named !== undefined && opened.dev === named.dev && opened.ino === named.ino;
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

async function folderId(path: string): Promise<string> {
  const stats = await lstat(path, { bigint: true });
  if (!stats.isDirectory()) throw swapError(path);
  return `${stats.dev}:${stats.ino}`;
}

const swapError = (path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${path} is no longer what it was`), { code: "ENOTDIR" });
