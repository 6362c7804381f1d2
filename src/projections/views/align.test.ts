import { describe, expect, test } from "vitest";
import { align } from "./align.ts";

const alignment = (left: string, right: string): string =>
  align(left.split(""), right.split(""), (each) => each)
    .map(({ a = "-", b = "-" }) => `${a}${b}`)
    .join(" ");

describe("[FK7] aligning two lists", () => {
  test.each([
    ["abc", "abc", "aa bb cc"],
    ["abc", "axc", "aa bx cc"],
    ["abc", "ac", "aa b- cc"],
    ["ac", "abbc", "aa -b -b cc"],
    ["", "ab", "-a -b"],
    ["abcd", "xbyd", "ax bb cy dd"],
  ])("the rows align equal elements of %s and %s", (left, right, rows) => {
    expect(alignment(left, right)).toBe(rows);
  });

  test("the rows contain all elements of both lists in order, even if the lists are too long to compare", () => {
    const left = Array.from({ length: 3_000 }, (_, index) => `a${index}`);
    const right = Array.from({ length: 2_500 }, (_, index) => `b${index}`);
    const rows = align(left, right, (each) => each);
    expect(rows.flatMap(({ a }) => a ?? [])).toEqual(left);
    expect(rows.flatMap(({ b }) => b ?? [])).toEqual(right);
  });
});
