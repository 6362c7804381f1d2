import { expect, test } from "vitest";
import { roughly } from "./words.ts";

test("[U20] how long somebody has waited is said in its largest unit, so that it fits beside the queue", () => {
  const min = 60_000;
  const said = [900, 59_999, min, 17 * min + 26_000, 90 * min, 47 * 60 * min, 72 * 60 * min].map(roughly);
  expect(said).toEqual(["0 s", "59 s", "1 min", "17 min", "1 h", "47 h", "3 d"]);
});
