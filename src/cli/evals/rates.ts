// How sure a pass rate is, and when a lower one is a regression. Pure.
//  EV3  A case is a regression where its pass rate is lower than the baseline's and their 95 % intervals are apart; or, where
//       either has fewer than ten repeats, where it passed every time then and at most half the time now.

export interface Rate {
  passed: number;
  n: number;
}

const Z = 1.959964;

/** Wilson's score interval, 95 %: honest where there are few repeats, and where all or none of them passed. */
export function wilsonInterval({ passed, n }: Rate): [low: number, high: number] {
  if (n === 0) return [0, 1];
  const rate = passed / n;
  const square = (Z * Z) / n;
  const centre = rate + square / 2;
  const spread = Z * Math.sqrt((rate * (1 - rate)) / n + square / (4 * n));
  return [Math.max(0, (centre - spread) / (1 + square)), Math.min(1, (centre + spread) / (1 + square))];
}

/** Below it intervals are so wide that they overlap although much has changed. */
const FEW = 10;

/** The rule by which it is worse; undefined: it is not. */
export function regressionReason(before: Rate, now: Rate): string | undefined {
  if (now.passed / now.n >= before.passed / before.n) return undefined;
  const rates = `passed ${before.passed} of ${before.n} in the baseline, ${now.passed} of ${now.n} now`;
  if (wilsonInterval(now)[1] < wilsonInterval(before)[0]) return `${rates}: the 95 % intervals are apart`;
  const isFew = Math.min(before.n, now.n) < FEW;
  if (isFew && before.passed === before.n && now.passed * 2 <= now.n)
    return `${rates}: with fewer than ${FEW} repeats, what always passed must pass more often than not`;
  return undefined;
}
