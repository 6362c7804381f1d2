import { access } from "node:fs/promises";
import { join } from "node:path";
import type { LoopParts } from "../loop/parts.ts";
import { isProtectedPath } from "../permissions/protected-files.ts";
import {
  closeWorktree,
  headOf,
  openWorktree,
  sweepWorktrees,
  worktreeOf,
  worktreeProblem,
} from "../tools/git/worktrees.ts";

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
    sweep: async (isOver) => void (await sweepWorktrees(folder, isOver)),
  };
}

/** One that cannot be looked at may be there: whoever uses it learns why it cannot be used. */
export async function hasFolder(path: string): Promise<boolean> {
  return (await reach(path)) !== "ENOENT";
}

const reach = (path: string): Promise<unknown> =>
  access(path).catch((error: NodeJS.ErrnoException) => error.code);

/** Protected files that the child did not change by Write or Edit, which ask about each. */
const unlessIn = (files: readonly string[]) => (path: string) =>
  isProtectedPath(path) && !files.includes(path);
