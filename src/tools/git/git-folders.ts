// Finds the git folder of a workspace without running git. Commands get write access to that folder.
// A `.git` file could name any folder, so it is accepted only if that folder points back to the file.

import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

export interface GitFolders {
  /** The folder that contains `.git`: the workspace itself, or one of its parent folders. */
  top: string;
  /** The git folder that all worktrees share. */
  common: string;
  /** The worktree's own git folder. Outside a worktree it is the same as `common`. */
  own: string;
}

export async function gitFoldersOf(workspace: string): Promise<GitFolders | undefined> {
  for (let top = workspace; ; top = dirname(top)) {
    const entry = join(top, ".git");
    const found = await stat(entry).catch(() => undefined);
    if (found?.isDirectory() && (await realpath(entry)) === entry) return { top, common: entry, own: entry };
    if (found?.isFile()) return pointedTo(top, entry);
    if (found || dirname(top) === top) return undefined;
  }
}

async function pointedTo(top: string, entry: string): Promise<GitFolders | undefined> {
  const target = /^gitdir: (.+)$/m.exec(await text(entry))?.[1];
  if (target === undefined) return undefined;
  const own = await realpath(resolve(top, target)).catch(() => undefined);
  if (own === undefined || basename(dirname(own)) !== "worktrees") return undefined;
  if (resolve(own, (await text(join(own, "gitdir"))).trim()) !== entry) return undefined;
  return { top, common: dirname(dirname(own)), own };
}

const text = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");
