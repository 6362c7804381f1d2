import { expect, test } from "vitest";
import { COLUMNS, nextSort, sortOf } from "./columns.ts";
import type { RunsSearch } from "./filter.ts";

const column = (name: string) => COLUMNS.find((each) => each.name === name)!;
const clicks = (name: string, times: number, from: RunsSearch = {}): RunsSearch =>
  Array.from({ length: times }).reduce<RunsSearch>((search) => nextSort(search, column(name)), from);

test("[29.18] clicks on a column's head sort by it, turn the order round, and end the sorting", () => {
  expect(clicks("cost", 1, { agent: "lead" })).toEqual({ agent: "lead", sort: "cost" });
  expect(clicks("cost", 2)).toEqual({ sort: "cost", asc: true });
  expect(clicks("cost", 3)).toEqual({});
  expect(clicks("agent", 1)).toEqual({ sort: "agent", asc: true });
  expect(clicks("agent", 2)).toEqual({ sort: "agent" });
  expect(nextSort({ sort: "agent", asc: true }, column("cost"))).toEqual({ sort: "cost" });
});

test("[29.18] without a sorting the newest runs come first; a search begins with the best match", () => {
  expect(sortOf({})).toEqual({ sort: "started", direction: "descending" });
  expect(clicks("start", 1)).toEqual({ sort: "started", asc: true });
  expect(sortOf({ q: "door" })).toBeUndefined();
  expect(clicks("start", 1, { q: "door" })).toEqual({ q: "door", sort: "started" });
});
