// A temporary folder for a test. It is in memory if the machine has enough, because waiting for a disk teaches a test
// nothing. Do not use it for programs inside a sandbox: they cannot see it.

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
