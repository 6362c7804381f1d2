// U06: pure functions that preview an action on several runs.

import type { ApprovalView, RunSummary, RunTree } from "../../../../src/api/client/types.ts";

export interface CancelPreview {
  /** The selected runs that have not ended, except runs that are below another selected run. */
  runs: RunSummary[];
  /** Number of unfinished runs below the selected runs. They will be cancelled too. */
  below: number;
  /** Number of open requests that will be withdrawn. */
  approvals: number;
  /** Number of selected runs that already ended. */
  ended: number;
}

export function cancelPreview(trees: readonly RunTree[], open: readonly ApprovalView[]): CancelPreview {
  const nested = new Set(trees.flatMap((tree) => flatten(tree).slice(1)).map(({ id }) => id));
  const tops = trees.filter((tree) => !nested.has(tree.id));
  const alive = tops.flatMap(flatten).filter(({ endedAt }) => endedAt === undefined);
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
  /** Number of selected runs that cannot be retried, because they are unfinished, successful, or child runs. */
  left: number;
}

/** Only root runs that failed or were cancelled can be retried. A child run is retried by its parent. */
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

const flatten = (tree: RunTree): RunTree[] => [tree, ...tree.children.flatMap(flatten)];
