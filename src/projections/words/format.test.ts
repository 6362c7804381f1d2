import { describe, expect, test } from "vitest";
import {
  ago,
  describeBudget,
  describeCost,
  duration,
  elapsed,
  fileSize,
  money,
  plural,
  roughDuration,
  shortCount,
  shortTime,
} from "./format.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe("durations and times", () => {
  test("a duration is written in at most two units", () => {
    const written = [90, 4_230, 42_400, 59_700, 65_000, 2 * MINUTE, 7_800_000, 76 * HOUR].map(duration);
    expect(written).toEqual([
      "90 ms",
      "4.2 s",
      "42 s",
      "1 min",
      "1 min 5 s",
      "2 min",
      "2 h 10 min",
      "3 d 4 h",
    ]);
  });

  test("a duration that still grows is written in whole seconds", () => {
    expect([-5, 900, 59_999, 65_400].map(elapsed)).toEqual(["0 s", "0 s", "59 s", "1 min 5 s"]);
  });

  test("[U20] a waiting time is written in its largest unit, so that it fits into the queue's column", () => {
    const times = [900, 59_999, MINUTE, 17 * MINUTE + 26_000, 90 * MINUTE, 47 * HOUR, 72 * HOUR];
    expect(times.map(roughDuration)).toEqual(["0 s", "59 s", "1 min", "17 min", "1 h", "47 h", "3 d"]);
  });

  test("a past time is written relative to now", () => {
    const written = [0, 40_000, 61_000, 7_300_000, 200_000_000].map((ms) => ago(0, ms));
    expect(written).toEqual(["just now", "40 s ago", "1 min ago", "2 h ago", "2 days ago"]);
  });

  test("a time on another day is written with its date", () => {
    const noon = new Date(2026, 4, 6, 12, 30).getTime();
    expect(shortTime(noon, noon + HOUR)).toBe("12:30");
    expect(shortTime(noon, noon + 24 * HOUR)).toBe("2026-05-06 12:30");
  });
});

describe("numbers and money", () => {
  test("counts and sizes are written with thousands separators and units", () => {
    expect([plural(1, "run"), plural(1_234, "run"), plural(2, "entry", "entries")]).toEqual([
      "1 run",
      "1,234 runs",
      "2 entries",
    ]);
    expect([950, 1_234, 9_960, 34_000, 999_600].map(shortCount)).toEqual([
      "950",
      "1.2k",
      "10k",
      "34k",
      "1.0M",
    ]);
    expect([812, 34_200, 5_600_000].map(fileSize)).toEqual(["812 bytes", "34 kB", "5.6 MB"]);
  });

  test("dollars are written with two decimals, or with four if the amount is below a cent", () => {
    expect([0, 1.234, 0.0012].map((dollars) => money(dollars))).toEqual(["$0.00", "$1.23", "$0.0012"]);
    expect(describeBudget({ maxCost: 2, maxTokens: 20_000 })).toBe("$2.00 and 20,000 tokens");
  });

  test("an unknown price is never shown as free", () => {
    expect(money(0, 1)).toBe("$?");
    expect(money(1.234, 2)).toBe("≥ $1.23");
    expect(describeCost({ cost: 0, unpriced: 0 })).toBe("$0.00");
    expect(describeCost({ cost: 0, unpriced: 1 })).toBe("cost unknown");
    expect(describeCost({ cost: 1.234, unpriced: 2 })).toBe("at least $1.23 (2 calls without a price)");
  });
});
