import { expect, test } from "vitest";
import { parseRunsFilter } from "./runs.ts";

const NOW = new Date(2026, 0, 31, 12, 30).getTime();

test("[U02] every filter of the API's list of runs is also an option of the command line", () => {
  const options = {
    status: "failed,cancelled",
    agent: "lead",
    search: "green door",
    since: "2h",
    waitingFor: "outcome_unknown",
    sort: "cost",
  };
  expect(parseRunsFilter(options, NOW)).toEqual({
    status: ["failed", "cancelled"],
    agent: "lead",
    q: "green door",
    since: NOW - 7_200_000,
    waiting: "outcome_unknown",
    order: "cost",
  });
  expect(parseRunsFilter({}, NOW)).toEqual({});
});

test.each([
  ["today", new Date(2026, 0, 31).getTime()],
  ["7d", NOW - 7 * 86_400_000],
  ["2026-01-30", new Date(2026, 0, 30).getTime()],
  ["2026-01-30T10:00:00Z", Date.UTC(2026, 0, 30, 10)],
])("`runs --since %s` is parsed as a time", (since, wanted) => {
  expect(parseRunsFilter({ since }, NOW)).toEqual({ since: wanted });
});

test.each([
  { since: "5" },
  { since: "soon" },
  { since: "2026-13-99" },
  { waitingFor: "rain" },
  { sort: "age" },
])("`cadre runs` refuses the options %o with a one-sentence error", (options) => {
  expect(() => parseRunsFilter(options, NOW)).toThrow(/^--/);
});
