import { expect, test } from "vitest";
import { summarizeNotices } from "./digest.ts";
import type { Notice } from "./news.ts";
import { DEFAULT_SETTINGS, quietHoursEnd } from "./notice-settings.ts";

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

test("[U32] quiet hours end at the next end time, also across midnight", () => {
  const night = { ...DEFAULT_SETTINGS, to: "07:00" };
  expect(quietHoursEnd(night, new Date(2026, 0, 1, 23, 30))).toEqual(new Date(2026, 0, 2, 7));
  expect(quietHoursEnd(night, new Date(2026, 0, 2, 3))).toEqual(new Date(2026, 0, 2, 7));
});
