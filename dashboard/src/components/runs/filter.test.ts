import { expect, test } from "vitest";
import { filterChips, parseRunsSearch, toCommand, toFilter } from "./filter.ts";

const NOW = new Date(2026, 0, 31, 12, 34, 56).getTime();

test("[U02] the page ignores invalid filters in the URL", () => {
  expect(
    parseRunsSearch({
      q: "",
      agent: "lead",
      status: ["failed", "lost"],
      since: "7d",
      sort: "age",
      all: "yes",
      x: 1,
    }),
  ).toEqual({ agent: "lead", status: ["failed"], since: "7d" });
  expect(parseRunsSearch({ status: "failed,cancelled", q: 12, all: true })).toEqual({
    status: ["failed", "cancelled"],
    q: "12",
    all: true,
  });
});

test("[U02] the start time is rounded, so that the query changes rarely; only searches and wait filters include child runs", () => {
  expect(toFilter({}, NOW)).toEqual({ roots: true });
  expect(toFilter({ all: true }, NOW)).toEqual({});
  expect(toFilter({ q: "door" }, NOW)).toEqual({ q: "door", order: "relevance" });
  expect(toFilter({ q: "door", sort: "agent", asc: true }, NOW)).toEqual({
    ...{ q: "door", order: "agent", ascending: true },
  });
  expect(toFilter({ waiting: "outcome_unknown" }, NOW)).toEqual({ waiting: "outcome_unknown" });
  expect(toFilter({ since: "1h" }, NOW)).toEqual(toFilter({ since: "1h" }, NOW + 1_000));
  expect(toFilter({ since: "today" }, NOW)).toEqual({ since: new Date(2026, 0, 31).getTime(), roots: true });
});

test("[U02] the CLI command has the same filters as the page, with shell quoting", () => {
  expect(toCommand({})).toBe("runs");
  expect(toCommand({ status: ["failed", "cancelled"], since: "today" })).toBe(
    "runs --status failed,cancelled --since today",
  );
  expect(toCommand({ q: "it's $(rm)", agent: "ops/lead" })).toBe(
    "runs --agent ops/lead --search 'it'\\''s $(rm)' --all",
  );
  expect(filterChips({ sort: "cost", since: "7d" })).toEqual([
    { key: "since", label: "in the last 7 days", command: "runs --since 7d" },
    { key: "sort", label: "most expensive of the latest 500", command: "runs --sort cost" },
  ]);
});
