// A file that came with a folder may be a pipe, or a link to a device: reading it at once would never end, and nobody could
// stop a process that waits there.

import { readFileSync, statSync } from "node:fs";

/** Throws with a sentence where it is no plain file of at most so many bytes. */
export function readPlainFile(path: string, max: number): string {
  const found = statSync(path);
  if (!found.isFile()) throw new Error("it is no plain file");
  if (found.size > max) throw new Error(`it is larger than ${max / 1_000} kB`);
  return readFileSync(path, "utf8");
}
