import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import type { LoopParts } from "../loop/parts.ts";
import { isProtectedPath } from "../permissions/protected-files.ts";
import {
  closeWorktree,
  headOf,
  openWorktree,
  reviewWorktree,
  sweepWorktrees,
  worktreeOf,
  worktreeProblem,
} from "../tools/git/worktrees.ts";

/** Manages the worktrees of runs. `folder` is the project whose abandoned worktrees are removed. */
export function worktreesOf(
  folder: string,
  { merge = "ask" }: NonNullable<Config["worktrees"]> = {},
  isNamed: (path: string) => boolean = () => false,
): LoopParts["worktrees"] {
  // Write and Edit already ask before they change a protected file, so their files need no second look.
  const mustLook = (files: readonly string[]) => (path: string) =>
    (isProtectedPath(path) || isNamed(path)) && !files.includes(path);
  const asks = merge === "ask" || merge === "squash";
  return {
    async plan(workspace, runId) {
      const problem = await worktreeProblem(workspace);
      if (problem !== undefined) return { problem };
      const head = await headOf(workspace);
      const worktree = worktreeOf(head.top, runId, head.base);
      return { worktree, workspace: join(worktree.path, head.folder) };
    },
    open: openWorktree,
    review: async (worktree, { files, message }) =>
      asks ? reviewWorktree(worktree, { message, mustLook: mustLook(files) }) : undefined,
    close: (worktree, { files, message, keep, isInner, approved, rejected, stays }) =>
      closeWorktree(worktree, {
        message,
        keep,
        apart: rejected ?? (merge === "branch" && !isInner ? KEPT_APART : undefined),
        squash: merge === "squash" && !isInner,
        ...(asks && !isInner ? { approved: approved ?? null } : {}),
        stays,
        mustLook: mustLook(files),
      }),
    sweep: async (isOver) => void (await sweepWorktrees(folder, isOver)),
  };
}

const KEPT_APART = "cadre.yaml keeps work on branches (`worktrees: { merge: branch }`)";

/** Whether the folder exists. Also true if the folder cannot be accessed: the tool that uses the folder will report the error. */
export async function hasFolder(path: string): Promise<boolean> {
  return (await reach(path)) !== "ENOENT";
}

const reach = (path: string): Promise<unknown> =>
  access(path).catch((error: NodeJS.ErrnoException) => error.code);
