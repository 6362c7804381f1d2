import { expect, test } from "vitest";
import type { UsageView } from "../../../../src/api/client/types.ts";
import { runSeries, spentSeries, stackSeries, timeBuckets } from "./plot-data.ts";
import { rangeFilter } from "./usage-range.ts";

const HOUR = 3_600_000;
const usageEntry = (hour: number, agent: string, cost: number) =>
  ({ from: hour * HOUR, agent, model: "a/big", cost, input: 1, output: 1, turns: 1 }) as never;

const overTime = (...items: ReturnType<typeof usageEntry>[]) =>
  ({
    every: HOUR,
    spent: items,
    runs: [{ from: 2 * HOUR, started: 2, completed: 1, failed: 1, cancelled: 0, depth: 0 }],
  }) as unknown as NonNullable<UsageView["overTime"]>;

test("[S2-94] each series has one value per time bucket; series are sorted by cost, and the cheapest are combined into one", () => {
  const data = overTime(
    usageEntry(1, "lead", 1),
    usageEntry(3, "lead", 2),
    usageEntry(3, "lead", 4),
    ...["a", "b", "c", "d", "e", "f"].map((name) => usageEntry(2, name, 0.5)),
  );
  const times = timeBuckets(data, HOUR, 3.5 * HOUR);
  expect(times).toEqual([1, 2, 3].map((hour) => hour * HOUR));
  const { series } = spentSeries(data, times, { metric: "cost", by: "agent" });
  expect(series[0]).toEqual({ name: "lead", colour: "accent", values: [1, 0, 6] });
  expect(series).toHaveLength(6);
  expect(series.at(-1)).toEqual({ name: "2 others", colour: "edge", values: [0, 1, 0] });
  expect(spentSeries(data, times, { metric: "tokens", by: "agent" }).series[0]).toMatchObject({
    name: "lead",
    colour: "accent",
  });
  expect(stackSeries(series)[0]).toEqual([1, 3, 6]);
  expect(spentSeries(data, times, { metric: "turns", by: "model" }).series).toEqual([
    { name: "a/big", colour: "accent", values: [1, 6, 2] },
  ]);
  expect(runSeries(data, times).series.map(({ name }) => name)).toEqual(["completed", "failed"]);
});

test("the range `all` starts with the first entry; an empty report has no buckets", () => {
  const { since, every } = rangeFilter("all", 100_000 * HOUR);
  const data = { ...overTime(usageEntry(2, "lead", 1)), every };
  expect(timeBuckets(data, since, 100_000 * HOUR)[0]).toBe(2 * HOUR);
  expect(timeBuckets({ ...overTime(), runs: [] }, 0, HOUR)).toEqual([]);
});

test("a time range starts at a full hour or at midnight; the start stays the same for an hour", () => {
  const now = new Date(2026, 10, 16, 14, 30).getTime();
  expect(rangeFilter("24h", now)).toEqual(rangeFilter("24h", now + 20 * 60_000));
  expect(new Date(rangeFilter("7d", now).since).getHours()).toBe(0);
  expect(rangeFilter("30d", now).since).toBe(new Date(2026, 9, 18).getTime());
});
