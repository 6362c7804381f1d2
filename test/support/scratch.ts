// Creates a temporary folder for a test. If the machine has enough memory, the folder is in memory, which is faster than a disk.
// Programs inside a sandbox cannot see this folder.

import { mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const ENOUGH = 4 * 1024 ** 3;

export const scratchFolder = (name: string): string =>
  mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), name));

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH;
  } catch {
    return false;
  }
}
