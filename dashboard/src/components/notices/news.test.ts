import { expect, test } from "vitest";
import type { ApprovalView } from "../../../../src/api/client/types.ts";
import type { LiveRun } from "../../../../src/projections/formats/live-feed.ts";
import { newApprovalNotices, runEndNotice } from "./news.ts";

const asks = (id: string, rootRunId: string, more: Partial<ApprovalView> = {}): ApprovalView =>
  ({
    id,
    rootRunId,
    runId: rootRunId,
    path: ["lead", "editor"],
    agent: "editor",
    kind: "tool",
    tool: "Write",
    ...more,
  }) as ApprovalView;

test("[U32] one notice per tree, and none on the first load", () => {
  const now = [asks("1", "r1"), asks("2", "r1"), asks("3", "r1"), asks("4", "r2")];
  expect(newApprovalNotices(undefined, now)).toEqual([]);
  expect(newApprovalNotices(now, now)).toEqual([]);
  expect(newApprovalNotices([now[0]!], now)).toMatchObject([
    {
      rootRunId: "r1",
      title: "lead needs you",
      text: "editor: wants to use Write, and 1 other",
      approvalId: "2",
    },
    { rootRunId: "r2", approvalId: "4" },
  ]);
});

test("[U49] only root runs notify when they end", () => {
  const run = {
    run_id: "r1",
    agent_id: "lead",
    status: "failed",
    ended_at: 5,
    detail: "It broke.",
  } as LiveRun;
  expect(runEndNotice({ type: "StateUpdated", run })).toMatchObject({
    title: "lead has failed",
    text: "It broke.",
    isBad: true,
  });
  expect(runEndNotice({ type: "StateUpdated", run: { ...run, parent_run_id: "r0" } })).toBeUndefined();
  const { ended_at: _, ...going } = run;
  expect(runEndNotice({ type: "StateUpdated", run: going })).toBeUndefined();
});
