import { describe, expect, test } from "vitest";
import { emptyUsage } from "../../projections/usage/run-usage.ts";
import { ago, cost, duration } from "./format.ts";

describe("numbers", () => {
  test("durations and times", () => {
    expect([90, 4_230, 65_000, 7_800_000].map(duration)).toEqual([
      "90 ms",
      "4.2 s",
      "1 min 5 s",
      "2 h 10 min",
    ]);
    expect([0, 61_000, 7_300_000, 200_000_000].map((ms) => ago(0, ms))).toEqual([
      "0 s ago",
      "1 min ago",
      "2 h ago",
      "2 days ago",
    ]);
  });

  test("a price that nobody knows is never shown as nothing", () => {
    const usage = emptyUsage();
    expect(cost(usage)).toBe("$0");
    expect(cost({ ...usage, cost: 0.0012 })).toBe("$0.0012");
    expect(cost({ ...usage, unpriced: 1 })).toBe("cost unknown");
    expect(cost({ ...usage, cost: 1.234, unpriced: 2 })).toBe("at least $1.23 (2 calls without a price)");
  });
});
