// U06: pure functions that preview an action on several runs.

import type { ApprovalView, ListedRun, RunSummary, RunTree } from "../../../../src/api/client/types.ts";
import { totalTokens } from "../../../../src/projections/usage/run-usage.ts";
import type { CsvCell } from "../../ui/csv.ts";

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

/** What the selected runs have cost. A run below another selected run counts once: its root's total contains it. */
export function totalSpent(chosen: readonly ListedRun[]) {
  const roots = new Set(chosen.flatMap(({ id, parentRunId }) => (parentRunId === undefined ? [id] : [])));
  const counted = chosen.filter((run) => run.id === run.rootRunId || !roots.has(run.rootRunId));
  const total = { cost: 0, unpriced: 0, tokens: 0 };
  for (const run of counted) {
    const usage = run.tree?.usage ?? run.usage;
    total.cost += usage.cost;
    total.unpriced += usage.unpriced;
    total.tokens += totalTokens(usage);
  }
  return total;
}

/** The older run is A. */
export function comparedRuns(chosen: readonly Pick<ListedRun, "id" | "createdAt">[]): {
  a: string;
  b: string;
} {
  const [a, b] = chosen.toSorted((one, other) => one.createdAt - other.createdAt);
  return { a: a!.id, b: b!.id };
}

/** The selected runs as the rows of a CSV file. */
export function runRows(chosen: readonly ListedRun[]): CsvCell[][] {
  return [
    ["run", "status", "agent", "task", "person", "started", "ended", "cost_usd", "tokens"],
    ...chosen.map((run) => {
      const usage = run.tree?.usage ?? run.usage;
      return [
        ...[run.id, run.status, run.agent, run.task, run.userId],
        new Date(run.createdAt).toISOString(),
        run.endedAt === undefined ? undefined : new Date(run.endedAt).toISOString(),
        ...[usage.cost, totalTokens(usage)],
      ];
    }),
  ];
}

const flatten = (tree: RunTree): RunTree[] => [tree, ...tree.children.flatMap(flatten)];
