import { expect, test } from "vitest";
import { foldEqual } from "./fold-equal.ts";

const stretches = (pattern: string) =>
  foldEqual(pattern.split("").map((letter) => ({ same: letter === "=" }))).map(
    ({ from, to, isEqual }) => `${from}-${to}${isEqual ? " equal" : ""}`,
  );

test("[29.16] equal steps in a row are folded, a single one is shown", () => {
  expect(stretches("===x=xx==")).toEqual(["0-3 equal", "3-4", "4-5", "5-7", "7-9 equal"]);
  expect(stretches("==")).toEqual(["0-2 equal"]);
  expect(stretches("")).toEqual([]);
});
