import { expect, test } from "vitest";
import { regressionReason, wilsonInterval } from "./rates.ts";

test.each([
  [1, 1, 0.2065, 1],
  [0, 1, 0, 0.7935],
  [5, 5, 0.5655, 1],
  [1, 3, 0.0615, 0.7923],
  [50, 100, 0.4038, 0.5962],
])("[EV3] Wilson's interval is computed for %i of %i", (passed, n, low, high) => {
  const [lower, upper] = wilsonInterval({ passed, n });
  expect(lower).toBeCloseTo(low, 3);
  expect(upper).toBeCloseTo(high, 3);
});

test.each([
  ["a rate that stays at 100 %", [5, 5], [5, 5], undefined],
  ["a better rate", [1, 5], [4, 5], undefined],
  ["a lower rate whose interval overlaps", [5, 5], [3, 5], undefined],
  ["a lower rate whose interval does not overlap", [10, 10], [2, 10], /the 95 % intervals do not overlap$/],
  ["one repeat, which failed", [1, 1], [0, 1], /fewer than 10 repeats/],
  ["few repeats, of which one failed", [3, 3], [2, 3], undefined],
  ["few repeats, of which half failed", [4, 4], [2, 4], /fewer than 10 repeats/],
  ["few repeats, of which some had failed before", [2, 3], [1, 3], undefined],
  ["few repeats now and many before", [20, 20], [2, 4], /fewer than 10 repeats/],
  ["many repeats, of which almost half failed", [12, 12], [7, 12], undefined],
] as const)("[EV3] the rule for regressions handles %s", (_, [before, of], [now, n], rule) => {
  const found = regressionReason({ passed: before, n: of }, { passed: now, n });
  if (rule === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(rule);
});
