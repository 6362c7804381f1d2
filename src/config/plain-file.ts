// Reads regular files only.
// A file in a stranger's folder can be a pipe or a link to a device, and reading such a file would block the process forever.

import { readFileSync, statSync } from "node:fs";

/** Throws if the path is not a regular file of at most `max` bytes. */
export function readPlainFile(path: string, max: number): string {
  const found = statSync(path);
  if (!found.isFile()) throw new Error("it is no plain file");
  if (found.size > max) throw new Error(`it is larger than ${max / 1_000} kB`);
  return readFileSync(path, "utf8");
}
