// Writes the files of `cadre init`. It adds missing files and overwrites nothing.

import { existsSync, lstatSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Files that were created, and files that already existed and were kept; paths relative to the project. */
export interface WrittenFiles {
  created: string[];
  kept: string[];
}

/** Copies `files` from one folder to another under the same names. */
export async function copyNewFiles(
  files: readonly string[],
  { from, folder, below = "" }: { from: string; folder: string; below?: string },
  made: WrittenFiles,
): Promise<void> {
  for (const file of files) {
    const name = `${below}${file}`;
    const target = join(folder, name);
    const isThere = existsSync(target);
    made[isThere ? "kept" : "created"].push(name);
    if (isThere) continue;
    await mkdir(dirname(target), { recursive: true });
    await cp(join(from, file), target, { force: false, errorOnExist: true });
  }
}

export async function writeNewFile(
  folder: string,
  file: string,
  text: string,
  made: WrittenFiles,
): Promise<void> {
  const isThere = existsSync(join(folder, file));
  made[isThere ? "kept" : "created"].push(file);
  if (!isThere) await writeFile(join(folder, file), text, { flag: "wx" });
}

/** Adds `.cadre/` to .gitignore: runs and their journals belong to this machine and should not be committed. */
export async function ignoreStateFolder(folder: string, made: WrittenFiles): Promise<void> {
  const file = join(folder, ".gitignore");
  const found = lstatSync(file, { throwIfNoEntry: false });
  // Do not write through a symbolic link that came with the folder.
  if (found && !found.isFile()) {
    made.kept.push(".gitignore");
    return;
  }
  const before = await readFile(file, "utf8").catch(() => "");
  if (/^\/?\.cadre\/?\s*$/m.test(before)) {
    made.kept.push(".gitignore");
    return;
  }
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  await writeFile(file, `${before}${gap}.cadre/\n`);
  made.created.push(before === "" ? ".gitignore" : ".gitignore (a line for .cadre/)");
}
