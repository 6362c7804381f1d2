import { expect, test } from "vitest";
import type { ApprovalView } from "../../../../src/api/client/types.ts";
import type { AgentRunRecord } from "../../../../src/projections/formats/agent-records.ts";
import { type Notice, newApprovalNotices, plainText, runEndNotice, summarizeNotices } from "./news.ts";
import { DEFAULT_SETTINGS, quietHoursEnd } from "./notice-settings.ts";

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

test("[U32] each tree with new items gets one notice; the first load gives no notice", () => {
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

test("[U49] the end of a root run gives a notice; the end of a child run gives none", () => {
  const run = {
    run_id: "r1",
    agent_id: "lead",
    session_id: "r1",
    status: "failed",
    ended_at: 5,
    detail: "It broke.",
  } as AgentRunRecord;
  const ids = { run_id: run.run_id, agent_id: run.agent_id, session_id: run.session_id };
  expect(runEndNotice({ type: "StateUpdated", ...ids, run })).toMatchObject({
    title: "lead has failed",
    text: "It broke.",
    isBad: true,
  });
  expect(
    runEndNotice({ type: "StateUpdated", ...ids, run: { ...run, parent_run_id: "r0" } }),
  ).toBeUndefined();
  const { ended_at: _, ...going } = run;
  expect(runEndNotice({ type: "StateUpdated", ...ids, run: going })).toBeUndefined();
});

const notice = (rootRunId: string, kind: Notice["kind"], isBad = false): Notice => ({
  ...{ rootRunId, kind, isBad },
  title: "",
  text: "",
});

test("[U32] quiet hours end with one notice that sums up the latest state of each tree", () => {
  expect(summarizeNotices([])).toBeUndefined();
  const told = summarizeNotices([
    notice("r1", "needs-you"),
    notice("r2", "needs-you"),
    notice("r2", "done"),
    notice("r3", "done", true),
  ]);
  expect(told).toMatchObject({ kind: "needs-you", text: "1 tree needs you, 1 failed, 1 done" });
  expect(summarizeNotices([notice("r2", "done")])).toMatchObject({ kind: "done", text: "1 done" });
});

test("[U32] quiet hours end when the clock next shows their end time, which can be after midnight", () => {
  const night = { ...DEFAULT_SETTINGS, to: "07:00" };
  expect(quietHoursEnd(night, new Date(2026, 0, 1, 23, 30))).toEqual(new Date(2026, 0, 2, 7));
  expect(quietHoursEnd(night, new Date(2026, 0, 2, 3))).toEqual(new Date(2026, 0, 2, 7));
});

test("[29 bugs] a notice shows the words of Markdown without its marks", () => {
  const report =
    "## Done\n\n**Two** files, see [the guide](http://x.test):\n\n| a | b |\n|---|:--|\n| `one` | 2 |";
  expect(plainText(report)).toBe("Done Two files, see the guide: a b one 2");
});
