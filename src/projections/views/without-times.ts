// Texts without durations and times of day, so that two runs of the same work can be compared: a test that took 0.0 s and one that
// took 0.1 s did the same.

const NUMBER = String.raw`\d+(?:[.,]\d+)?`;
const UNIT = "(?:ns|µs|us|ms|msecs?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)";

/** A duration (`0.1 s`, `1m 20s`, `12ms`), or a time (`2026-01-31T12:30:00Z`, `12:30:05.123`). */
const TIME = new RegExp(
  String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?|(?<![\w.:])\d{1,2}:\d\d:\d\d(?:[.,]\d+)?|(?<![\w.])${NUMBER} ?${UNIT}(?:[ ,]+${NUMBER} ?${UNIT})*(?!\w)`,
  "g",
);

export const withoutTimes = (text: string): string => text.replaceAll(TIME, "·");
