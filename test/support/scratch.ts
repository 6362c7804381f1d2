// A folder for what a test writes and throws away: in memory where the machine has enough of it, because a test learns
// nothing from a disk's pace. Not for what runs inside a sandbox: there such a folder is not to be seen.

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
