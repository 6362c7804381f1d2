import { expect, test } from "vitest";
import { chipsOf, commandOf, filterOf } from "./filter.ts";
import { runsSearch } from "./runs-search.ts";

const NOW = new Date(2026, 0, 31, 12, 34, 56).getTime();

test("[U02] an address is taken only as far as it makes sense", () => {
  expect(
    runsSearch({
      q: "",
      agent: "lead",
      status: ["failed", "lost"],
      since: "7d",
      sort: "age",
      all: "yes",
      x: 1,
    }),
  ).toEqual({ agent: "lead", status: ["failed"], since: "7d" });
  expect(runsSearch({ status: "failed,cancelled", q: 12, all: true })).toEqual({
    status: ["failed", "cancelled"],
    q: "12",
    all: true,
  });
});

test("[U02] the same question for a while, by roots unless words or reasons are looked for", () => {
  expect(filterOf({}, NOW)).toEqual({ roots: true });
  expect(filterOf({ all: true }, NOW)).toEqual({});
  expect(filterOf({ q: "door" }, NOW)).toEqual({ q: "door" });
  expect(filterOf({ waiting: "outcome_unknown" }, NOW)).toEqual({ waiting: "outcome_unknown" });
  expect(filterOf({ since: "1h" }, NOW)).toEqual(filterOf({ since: "1h" }, NOW + 1_000));
  expect(filterOf({ since: "today" }, NOW)).toEqual({ since: new Date(2026, 0, 31).getTime(), roots: true });
});

test("[U02] the command says the same, whatever was typed", () => {
  expect(commandOf({})).toBe("runs");
  expect(commandOf({ status: ["failed", "cancelled"], since: "today" })).toBe(
    "runs --status failed,cancelled --since today",
  );
  expect(commandOf({ q: "it's $(rm)", agent: "ops/lead" })).toBe(
    "runs --agent ops/lead --search 'it'\\''s $(rm)' --all",
  );
  expect(chipsOf({ sort: "cost", since: "7d" })).toEqual([
    { key: "since", label: "in the last 7 days", command: "runs --since 7d" },
    { key: "sort", label: "most expensive first, of the latest 500", command: "runs --sort cost" },
  ]);
});
