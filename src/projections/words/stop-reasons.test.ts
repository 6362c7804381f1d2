import { expect, test } from "vitest";
import { StopReason } from "../../journal/events.ts";
import { describeStop } from "./stop-reasons.ts";

test("[U42] every stop reason has a sentence, and every failure says what to do now", () => {
  for (const reason of StopReason.options) {
    const { why, next } = describeStop(reason);
    expect(why).toMatch(/^[A-Z].*\.$/);
    const isFine = ["final_answer", "handed_off", "routed", "moved"].includes(reason);
    expect([reason, next !== undefined]).toEqual([reason, !isFine]);
  }
});
