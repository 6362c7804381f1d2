// What a step over many runs will do, before it is done (U06). Pure.

import type { ApprovalView, RunSummary, RunTree } from "../../../../src/api/client/types.ts";

export interface CancelPreview {
  /** Those that have not ended. A run below another chosen one is ended with it. */
  runs: RunSummary[];
  /** Runs below them that will end too. */
  below: number;
  /** Questions and approvals that will be withdrawn. */
  approvals: number;
  /** Chosen, but ended already. */
  ended: number;
}

export function cancelPreview(trees: readonly RunTree[], open: readonly ApprovalView[]): CancelPreview {
  const nested = new Set(trees.flatMap((tree) => all(tree).slice(1)).map(({ id }) => id));
  const tops = trees.filter((tree) => !nested.has(tree.id));
  const alive = tops.flatMap(all).filter(({ endedAt }) => endedAt === undefined);
  const ids = new Set(alive.map(({ id }) => id));
  const runs = tops.filter(({ endedAt }) => endedAt === undefined);
  return {
    runs,
    below: alive.length - runs.length,
    approvals: open.filter(({ runId }) => ids.has(runId)).length,
    ended: trees.filter(({ endedAt }) => endedAt !== undefined).length,
  };
}

export interface RetryPreview<Run> {
  runs: Run[];
  /** Chosen, but not to be tried again: they go on, or have done what they should. */
  left: number;
}

/** What did not succeed, and was not started by another run: that one tries again by itself. */
export function retryPreview<Run extends Pick<RunSummary, "status" | "stopReason" | "parentRunId">>(
  chosen: readonly Run[],
): RetryPreview<Run> {
  const runs = chosen.filter(
    ({ status, stopReason, parentRunId }) =>
      parentRunId === undefined &&
      (status === "failed" || (status === "cancelled" && stopReason !== "moved")),
  );
  return { runs, left: chosen.length - runs.length };
}

const all = (tree: RunTree): RunTree[] => [tree, ...tree.children.flatMap(all)];
