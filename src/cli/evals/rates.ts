// Computes confidence intervals of pass rates, and decides which changes are regressions. The functions are pure.
//  EV3  A case is a regression if its pass rate is below the baseline's and the two 95 % intervals do not overlap.
//       If there are fewer than ten repeats, a drop from always passing to passing at most half the time is also a regression.

export interface Rate {
  passed: number;
  n: number;
}

const Z = 1.959964;

/** The 95 % Wilson score interval. It is also meaningful for few repeats and for rates of 0 and 1. */
export function wilsonInterval({ passed, n }: Rate): [low: number, high: number] {
  if (n === 0) return [0, 1];
  const rate = passed / n;
  const square = (Z * Z) / n;
  const centre = rate + square / 2;
  const spread = Z * Math.sqrt((rate * (1 - rate)) / n + square / (4 * n));
  return [Math.max(0, (centre - spread) / (1 + square)), Math.min(1, (centre + spread) / (1 + square))];
}

/** Below this number of repeats, the intervals are so wide that they overlap even after a large change. */
const FEW = 10;

/** Returns why the new rate is a regression, or undefined if it is not a regression. */
export function regressionReason(before: Rate, now: Rate): string | undefined {
  if (now.passed / now.n >= before.passed / before.n) return undefined;
  const rates = `passed ${before.passed} of ${before.n} in the baseline, ${now.passed} of ${now.n} now`;
  if (wilsonInterval(now)[1] < wilsonInterval(before)[0])
    return `${rates}: the 95 % intervals do not overlap`;
  const isFew = Math.min(before.n, now.n) < FEW;
  if (isFew && before.passed === before.n && now.passed * 2 <= now.n)
    return `${rates}: with fewer than ${FEW} repeats, a case that always passed must still pass more than half the time`;
  return undefined;
}
