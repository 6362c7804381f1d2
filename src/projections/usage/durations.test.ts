import { expect, test } from "vitest";
import { addDuration, addDurations, type Durations, percentile } from "./durations.ts";

const durationsOf = (...all: number[]): Durations => {
  const durations: Durations = {};
  for (const ms of all) addDuration(durations, ms);
  return durations;
};

test("[29.17] a percentile is wrong by at most five percent, from a millisecond to a day", () => {
  for (const ms of [1, 7, 130, 2_500, 61_000, 3_600_000, 86_400_000]) {
    const found = percentile(durationsOf(ms), 0.5)!;
    expect(Math.abs(found - ms) / ms, `${ms}`).toBeLessThanOrEqual(0.06);
  }
});

test("[29.17] p50 and p95 of added histograms equal those of all durations together", () => {
  const all = Array.from({ length: 100 }, (_, index) => (index + 1) * 100);
  const sum: Durations = {};
  for (const part of [all.slice(0, 30), all.slice(30)]) addDurations(sum, durationsOf(...part));
  expect(sum).toEqual(durationsOf(...all));
  expect(percentile(sum, 0.5)).toBeGreaterThan(4_700);
  expect(percentile(sum, 0.5)).toBeLessThan(5_300);
  expect(percentile(sum, 0.95)).toBeGreaterThan(9_000);
  expect(percentile({}, 0.5)).toBeNull();
});
