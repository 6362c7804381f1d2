// Tests when schedules come, above all on the days when the clocks change.

import { expect, test } from "vitest";
import { lastTick, nextTick, Schedule, ticksBetween } from "./schedule.ts";

const at = (text: string): number => Date.parse(text);
const iso = (ticks: readonly number[]): string[] => ticks.map((tick) => new Date(tick).toISOString());

test.each([
  [
    "a time that the clocks skip comes right after the gap",
    "30 2 * * *",
    "2026-03-28T12:00Z",
    "2026-03-29T12:00Z",
    ["2026-03-29T01:00:00.000Z"],
  ],
  [
    "a time that comes twice has one tick",
    "30 2 * * *",
    "2026-10-24T12:00Z",
    "2026-10-25T12:00Z",
    ["2026-10-25T00:30:00.000Z"],
  ],
  [
    "an hourly schedule has a tick in each of the 25 hours",
    "0 * * * *",
    "2026-10-24T23:30Z",
    "2026-10-25T02:00Z",
    ["2026-10-25T00:00:00.000Z", "2026-10-25T01:00:00.000Z", "2026-10-25T02:00:00.000Z"],
  ],
  [
    "the time of the day stays the same on the clock",
    "0 7 * * *",
    "2026-10-24T00:00Z",
    "2026-10-26T12:00Z",
    ["2026-10-24T05:00:00.000Z", "2026-10-25T06:00:00.000Z", "2026-10-26T06:00:00.000Z"],
  ],
])("[32.1] [TR3] in Berlin, %s", (_, cron, from, until, expected) => {
  const times = { cron, timezone: "Europe/Berlin" };
  expect(iso(ticksBetween(times, at(from), at(until), 100))).toEqual(expected);
});

test("[32.1] the last tick of a long time is found without visiting the others", () => {
  const often = { cron: "* * * * *", timezone: "UTC" };
  expect(lastTick(often, 0, at("2026-05-05T05:05:30Z"))).toBe(at("2026-05-05T05:05Z"));
  const rare = { cron: "0 0 29 2 *", timezone: "UTC" };
  expect(lastTick(rare, 0, at("2027-01-01T00:00Z"))).toBe(at("2024-02-29T00:00Z"));
  expect(lastTick(rare, at("2024-02-29T00:00Z"), at("2027-01-01T00:00Z"))).toBeUndefined();
  expect(nextTick({ cron: "@daily", timezone: "Asia/Kolkata" }, at("2026-01-01T00:00Z"))).toBe(
    at("2026-01-01T18:30Z"),
  );
});

test.each([
  [{ cron: "0 0 0 * * *" }, "five fields"],
  [{ cron: "61 * * * *" }, "five fields"],
  [{ cron: "0 0 30 2 *" }, "never comes"],
  [{ timezone: "Mars/Base" }, "time zone"],
  [{ jitter: "2h" }, "at most 1h"],
])("[32.1] a schedule with %o is refused", (over, said) => {
  const result = Schedule.safeParse({ agent: "a", task: "t", cron: "0 7 * * *", ...over });
  expect(JSON.stringify(result.error?.issues)).toContain(said);
});
