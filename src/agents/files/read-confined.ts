// Reads a file that an agent's file refers to, if it is inside a given root folder. Links are resolved before the check.

import { readFile, realpath, stat } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { throwIfTemporary } from "../../errors.ts";

const MAX_TEXT = 1_000_000;

export interface FilePointer {
  name: string;
  /** `name` is relative to this folder. */
  folder: string;
  /** A file outside this folder is never read. */
  root: string;
  /** Name of the root folder in messages. */
  within: string;
}

export type ConfinedFile =
  | { path: string; text: string }
  /** The problem, as the rest of a sentence that begins with the file's name: `is outside the project`. */
  | { problem: string };

export async function readConfined({ name, folder, root, within }: FilePointer): Promise<ConfinedFile> {
  try {
    const inside = await realpath(root);
    const path = await realpath(resolve(folder, name));
    if (!path.startsWith(inside + sep)) return { problem: `is outside ${within}` };
    const found = await stat(path);
    // We refuse a device or a pipe, because reading it would never end.
    if (!found.isFile()) return { problem: "is not a file" };
    if (found.size > MAX_TEXT) return { problem: "is larger than 1 MB" };
    const text = (await readFile(path, "utf8")).replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
    return { path, text: text.trimEnd() };
  } catch (error) {
    throwIfTemporary(error);
    return { problem: "cannot be read" };
  }
}

/** Path of a file relative to its root, for messages. */
export async function nameBelow(path: string, root: string): Promise<string> {
  return relative(await realpath(root), path)
    .split(sep)
    .join("/");
}
