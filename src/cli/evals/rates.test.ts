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
  ["always, now always", [5, 5], [5, 5], undefined],
  ["better", [1, 5], [4, 5], undefined],
  ["lower, intervals overlap", [5, 5], [3, 5], undefined],
  ["lower, intervals apart", [10, 10], [2, 10], /the 95 % intervals do not overlap$/],
  ["one repeat that failed", [1, 1], [0, 1], /fewer than 10 repeats/],
  ["few repeats, one failed", [3, 3], [2, 3], undefined],
  ["few repeats, half failed", [4, 4], [2, 4], /fewer than 10 repeats/],
  ["few repeats, had failed before", [2, 3], [1, 3], undefined],
  ["few now, many then", [20, 20], [2, 4], /fewer than 10 repeats/],
  ["many, half failed", [12, 12], [7, 12], undefined],
] as const)("[EV3] %s", (_, [before, of], [now, n], rule) => {
  const found = regressionReason({ passed: before, n: of }, { passed: now, n });
  if (rule === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(rule);
});
