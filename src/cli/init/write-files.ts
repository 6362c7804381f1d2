// What `cadre init` writes. It adds what is not there and overwrites nothing.

import { existsSync, lstatSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** What was made, and what was there already and stays as it is; relative to the project. */
export interface WrittenFiles {
  created: string[];
  kept: string[];
}

/** `files` from one folder into another, by the same names. */
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

/** Runs and their journals are of this machine: nobody means to commit them. */
export async function ignoreStateFolder(folder: string, made: WrittenFiles): Promise<void> {
  const file = join(folder, ".gitignore");
  const found = lstatSync(file, { throwIfNoEntry: false });
  // A link that came with the folder would have a line written wherever it leads.
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
