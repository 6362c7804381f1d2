// Lists everything in a workspace that `cadre undo` keeps track of: files, links and folders.
// Files in .gitignore are left out: dependencies and build output can be made again, and copying them would take too long.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { openFolder } from "../files/open-folder.ts";
import { ripgrep } from "../files/ripgrep.ts";

/** Cadre does not track a folder with more files. */
export const MAX_PATHS = 20_000;

const LEFT_OUT = new Set([".git", ".cadre", "node_modules"]);

/** The paths, relative to the workspace. A folder is listed before its contents. */
export async function listPaths(
  root: string,
  signal: AbortSignal,
): Promise<{ paths: string[] } | { problem: "too_many_files" | "unreadable" }> {
  await using folder = await openFolder(root, []);
  const files: string[] = [];
  const end = await ripgrep({
    args: ["--files", "--hidden", "--no-require-git", ...globs(), "--null", "--", "."],
    separator: "\0",
    folder,
    signal,
    onRecord: (record) => files.push(record.replace(/^\.\//, "")) <= MAX_PATHS,
  });
  if (!end.ok) return { problem: "unreadable" };
  if (!end.complete) return { problem: "too_many_files" };
  const folders = foldersOf(files);
  const others: string[] = [];
  for (const path of ["", ...folders]) others.push(...(await linksAndEmptyFolders(root, path, folders)));
  return { paths: [...folders, ...files, ...others] };
}

const globs = (): string[] => [...LEFT_OUT].map((name) => `--glob=!${name}`);

function foldersOf(files: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const file of files)
    for (let slash = file.lastIndexOf("/"); slash > 0; slash = file.lastIndexOf("/", slash - 1)) {
      const folder = file.slice(0, slash);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
}

/** ripgrep lists only files. A folder without listed files may hold ignored files, so it is listed only if it is empty. */
async function linksAndEmptyFolders(
  root: string,
  path: string,
  folders: ReadonlySet<string>,
): Promise<string[]> {
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    const whole = path === "" ? entry.name : `${path}/${entry.name}`;
    if (LEFT_OUT.has(entry.name) || folders.has(whole)) continue;
    if (entry.isSymbolicLink()) found.push(whole);
    if (entry.isDirectory()) found.push(...(await emptyFolders(root, whole)));
  }
  return found;
}

/** The folder, if it holds nothing but empty folders. */
async function emptyFolders(root: string, path: string): Promise<string[]> {
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined || !entries.every((entry) => entry.isDirectory())) return [];
  const inner = await Promise.all(entries.map(({ name }) => emptyFolders(root, `${path}/${name}`)));
  return inner.some((one) => one.length === 0) ? [] : [path, ...inner.flat()];
}
