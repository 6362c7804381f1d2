// Files that an agent's file points to: read only inside the folder that it may point into, links followed.

import { readFile, realpath, stat } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";

const MAX_TEXT = 1_000_000;

export interface FilePointer {
  /** As it is written. */
  name: string;
  /** What the name is relative to. */
  folder: string;
  /** Nothing outside of it is read. */
  root: string;
  /** What people call the root. */
  within: string;
}

export type ConfinedFile =
  | { path: string; text: string }
  /** The rest of a sentence that begins with the file's name. */
  | { problem: string };

export async function readConfined({ name, folder, root, within }: FilePointer): Promise<ConfinedFile> {
  try {
    const inside = await realpath(root);
    const path = await realpath(resolve(folder, name));
    if (!path.startsWith(inside + sep)) return { problem: `lies outside ${within}` };
    const found = await stat(path);
    // A link to a device or a pipe would be read without end.
    if (!found.isFile()) return { problem: "is no file" };
    if (found.size > MAX_TEXT) return { problem: "is larger than 1 MB" };
    const text = (await readFile(path, "utf8")).replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
    return { path, text: text.trimEnd() };
  } catch {
    return { problem: "cannot be read" };
  }
}

/** A file as people know it: from the folder that it is confined to. */
export async function nameBelow(path: string, root: string): Promise<string> {
  return relative(await realpath(root), path)
    .split(sep)
    .join("/");
}
