import { expect, it } from "vitest";
import { formatTime, parseTimeRange } from "./time-range.ts";

const now = Date.parse("2026-01-31T12:00:00Z");
const startOf = (start: string): string => {
  const read = parseTimeRange({ start }, now);
  return read.ok ? formatTime(read.range.start) : read.why;
};

it.each([
  ["15m", "2026-01-31T11:45:00.000Z"],
  ["last 15m", "2026-01-31T11:45:00.000Z"],
  ["Last 15 minutes", "2026-01-31T11:45:00.000Z"],
  ["the past 2 hours", "2026-01-31T10:00:00.000Z"],
  ["last hour", "2026-01-31T11:00:00.000Z"],
  ["an hour ago", "2026-01-31T11:00:00.000Z"],
  ["1h 30m ago", "2026-01-31T10:30:00.000Z"],
  ["3 days ago", "2026-01-28T12:00:00.000Z"],
  ["1w", "2026-01-24T12:00:00.000Z"],
  ["-5m", "2026-01-31T11:55:00.000Z"],
  ["2026-01-31T10:00:00Z", "2026-01-31T10:00:00.000Z"],
  ["2026-01-31T10:00:00+02:00", "2026-01-31T08:00:00.000Z"],
  ["2026-01-31 10:00z", "2026-01-31T10:00:00.000Z"],
  ["2026-01-31T10:00:00.123456789Z", "2026-01-31T10:00:00.123456789Z"],
])("the start %s means %s", (text, time) => {
  expect(startOf(text)).toBe(time);
});

it.each([
  "soon",
  "15",
  "1769860800",
  "",
  "2026-01-31T10:00:00",
  "2026-13-31T10:00:00Z",
  "last",
  "99999d",
  "1h; rm",
])('the time "%s" is refused, and the error lists the accepted forms', (text) => {
  expect(startOf(text)).toMatch(/^start: ".*" is no time: write how long ago .*RFC 3339/);
});

it("the default time range is the last hour, and the start must be before the end", () => {
  expect(parseTimeRange({}, now)).toMatchObject({ range: { end: BigInt(now) * 1_000_000n } });
  expect(startOf("1h")).toBe("2026-01-31T11:00:00.000Z");
  expect(parseTimeRange({ start: "1h", end: "2h" }, now)).toMatchObject({
    ok: false,
    why: expect.stringContaining("must be before end"),
  });
});
