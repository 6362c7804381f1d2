import { expect, test } from "vitest";
import { rankItems, rankOf } from "./rank.ts";

const items = ["Go to Runs", "Start a run", "ops/runner", "Settings"].map((label) => ({ label }));
const found = (typed: string, most = 9) => rankItems(items, typed, most).map(({ label }) => label);

test("[U31] every search result contains every typed word; a match at the start of a word ranks higher", () => {
  expect(found("run")).toEqual(["Go to Runs", "Start a run", "ops/runner"]);
  expect(found("start run")).toEqual(["Start a run"]);
  expect(found("ETT")).toEqual(["Settings"]);
  expect(found("nothing")).toEqual([]);
  expect(found("", 2)).toEqual(["Go to Runs", "Start a run"]);
  expect(rankOf("Mend the door", "do")).toBeGreaterThan(rankOf("Mend the window", "do")!);
});
