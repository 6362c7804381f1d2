import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { LoopParts } from "../loop/parts.ts";
import { isProtected } from "../permissions/protected.ts";
import {
  closeWorktree,
  headOf,
  openWorktree,
  sweepWorktrees,
  worktreeOf,
  worktreeProblem,
} from "../tools/worktrees.ts";

/** `folder`: whose worktrees are looked after, when nobody is left to close them. */
export function worktreesOf(folder: string): LoopParts["worktrees"] {
  return {
    async plan(workspace, runId) {
      const problem = await worktreeProblem(workspace);
      if (problem !== undefined) return { problem };
      const head = await headOf(workspace);
      const worktree = worktreeOf(head.top, runId, head.base);
      return { worktree, workspace: join(worktree.path, head.folder) };
    },
    open: openWorktree,
    close: (worktree, { files, ...options }) =>
      closeWorktree(worktree, { ...options, mustLook: unlessIn(files) }),
    async sweep(isAlive) {
      const left = await readdir(join(folder, ".cadre", "worktrees")).catch(() => []);
      if (left.length === 0) return;
      const alive = await Promise.all(left.map(async (runId) => ((await isAlive(runId)) ? [runId] : [])));
      await sweepWorktrees(folder, new Set(alive.flat()));
    },
  };
}

/** Protected files that the child did not change by Write or Edit, which ask about each. */
const unlessIn = (files: readonly string[]) => (path: string) => isProtected(path) && !files.includes(path);
