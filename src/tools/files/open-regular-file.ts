// Opens a regular file of a held folder to read it, and nothing else: what it is, is known before it is opened. Opening a device may do
// something, a FIFO waits (A38), and a database that this process has locked loses its locks when any descriptor of it is closed (O2).

import { readFileSync, type Stats } from "node:fs";
import { constants, type FileHandle, lstat, open } from "node:fs/promises";
import { type OpenFolder, openIn, pathIn } from "./open-folder.ts";

/** Linux: names a file without opening it; closing it drops nothing. Node has no constant for it. */
const O_PATH = 0o10000000;

const OWN_DATABASE = /[\\/](owner|cadre)\.db(-\w+)?$/i;

/** Throws as `open` does, with EISDIR for a folder, ENXIO for what is special and EBUSY for our own databases. */
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

/** By what it is, not by its name: a hard link is the same file. Systems without the list have only the name. */
function isLockedHere(inode: number): boolean {
  return locks().some((line) => {
    const [, kind, , , pid, where] = line.trim().split(/\s+/);
    return kind === "POSIX" && pid === String(process.pid) && where?.split(":")[2] === String(inode);
  });
}

/** At once: the kernel has it in memory. */
function locks(): string[] {
  try {
    return readFileSync("/proc/locks", "utf8").split("\n");
  } catch {
    return [];
  }
}

const failure = (code: string, path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: ${path}`), { code });
