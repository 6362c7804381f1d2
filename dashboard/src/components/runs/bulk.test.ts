import { expect, test } from "vitest";
import type { ApprovalView, RunTree } from "../../../../src/api/client/types.ts";
import { cancelPreview, retryPreview } from "./bulk.ts";

const tree = (id: string, endedAt?: number, children: RunTree[] = []) =>
  ({ id, endedAt, children }) as RunTree;
const asks = (runId: string) => ({ runId }) as ApprovalView;

test("[U06] the preview of a cancellation counts the runs to cancel, the runs below them, and the requests to withdraw", () => {
  const child = tree("c", undefined, [tree("c1"), tree("c2", 5)]);
  const trees = [tree("r", undefined, [child]), child, tree("done", 5, [tree("left")])];
  const { runs, ...counts } = cancelPreview(trees, [asks("c1"), asks("c2"), asks("other")]);
  expect(runs.map(({ id }) => id)).toEqual(["r"]);
  expect(counts).toEqual({ below: 3, approvals: 1, ended: 1 });
});

test("[U06] the preview of a retry contains only root runs that failed or were cancelled", () => {
  const chosen = [
    { status: "failed" as const },
    { status: "cancelled" as const },
    { status: "completed" as const },
    { status: "running" as const },
    { status: "failed" as const, parentRunId: "r" },
    { status: "cancelled" as const, stopReason: "moved" as const },
  ];
  expect(retryPreview(chosen)).toEqual({ runs: chosen.slice(0, 2), left: 4 });
});
