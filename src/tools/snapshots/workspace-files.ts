// Watches the files of workspaces while calls change them, reads them, and puts them back, all for `cadre undo`.

import { randomUUID } from "node:crypto";
import { readdir, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Version } from "../../projections/folds/undo-plan.ts";
import { openFolder, pathIn } from "../files/open-folder.ts";
import { ignoreStateFolder } from "../git/worktree-records.ts";
import type { Restored, WorkspaceFiles } from "../tool.ts";
import { readVersion } from "./file-version.ts";
import { restorePath, syncFolder } from "./restore-path.ts";
import { createFileWatcher, readRules, type WatcherParts } from "./watch-files.ts";

const ASIDE = [".cadre", "undone"];
/** Number of undos whose replaced files are kept in a workspace. */
const KEPT_UNDOS = 20;

export function createWorkspaceFiles(parts: WatcherParts): WorkspaceFiles {
  const rules = readRules(parts);
  return {
    ...createFileWatcher(parts),
    isProtected: (workspace, path) => parts.isProtected(path, join(workspace, path)),
    async versions(workspace, paths) {
      const root = await realpath(workspace).catch(() => undefined);
      if (root === undefined) return undefined;
      const found = new Map<string, Version>();
      for (const path of paths) found.set(path, (await readVersion(root, path, rules)).version);
      return found;
    },
    async restore(workspace, steps, { note, bytesOf }) {
      const root = await realpath(workspace);
      await ignoreStateFolder(root);
      await removeOldUndos(root);
      const time = new Date(parts.clock.now()).toISOString().replaceAll(":", "-").slice(0, 19);
      const names = [...ASIDE, `${time}-${randomUUID().slice(0, 8)}`];
      await using aside = await openFolder(root, names, { create: true });
      await writeFile(pathIn(aside, "undo.txt"), note, { mode: 0o600 });
      const results: Restored[] = [];
      for (const step of steps) results.push(await restorePath(step, { root, rules, aside, bytesOf }));
      await syncFolder(aside);
      return { results, aside: join(root, ...names) };
    },
  };
}

async function removeOldUndos(root: string): Promise<void> {
  const folder = join(root, ...ASIDE);
  const names = (await readdir(folder).catch(() => [])).toSorted((a, b) => (a < b ? -1 : 1));
  for (const name of names.slice(0, Math.max(0, names.length - KEPT_UNDOS + 1)))
    await rm(join(folder, name), { recursive: true, force: true });
}
