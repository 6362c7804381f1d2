// Opens a regular file of an open folder for reading. The type is checked before the file is opened: opening a device may have
// an effect, a FIFO blocks (A38), and closing any descriptor of a database drops this process's locks on it (O2).

import { readFileSync, type Stats } from "node:fs";
import { constants, type FileHandle, lstat, open } from "node:fs/promises";
import { type OpenFolder, openIn, pathIn } from "./open-folder.ts";

/** A Linux flag that Node lacks: refers to a file without opening it, so closing the handle drops no locks. */
const O_PATH = 0o10000000;

const OWN_DATABASE = /[\\/](owner|cadre)\.db(-\w+)?$/i;

/** Throws the same errors as `open`, with EISDIR for a folder, ENXIO for a special file and EBUSY for Cadre's own databases. */
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

/** Compares inodes, because a hard link is the same file under another name. Only Linux has the list of locks. */
function isLockedHere(inode: number): boolean {
  return locks().some((line) => {
    const [, kind, , , pid, where] = line.trim().split(/\s+/);
    return kind === "POSIX" && pid === String(process.pid) && where?.split(":")[2] === String(inode);
  });
}

/** Reads synchronously, because the kernel keeps the list in memory. */
function locks(): string[] {
  try {
    return readFileSync("/proc/locks", "utf8").split("\n");
  } catch {
    return [];
  }
}

const failure = (code: string, path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: ${path}`), { code });
