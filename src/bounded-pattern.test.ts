import { expect, test } from "vitest";
import { compileBounded } from "./bounded-pattern.ts";
import { checkInput } from "./mcp/check-input.ts";

test.each([
  ["(?:\\w?){999}".repeat(20), 1_000],
  ["(?:\\w?){999}".repeat(600), 10],
  ["[\\p{L}\\p{N}]{500}".repeat(4), 1_000_000],
  ["(?:a{0,1000}){1}".repeat(5), 100],
  ["a".repeat(2_001), 10],
  ["(", 10],
])("[A78] [30.6] [30.15] a pattern that could take long is refused: %.20s", (pattern, length) => {
  expect(compileBounded(pattern, length)).toBeUndefined();
});

test.each([
  "foo.*bar",
  "^\\s*(export )?(async )?function (\\w+)",
  "[0-9]{4}-[0-9]{2}",
  "\\p{Lu}\\w{3,40}",
  "a|b|c",
])("an everyday pattern searches a megabyte: %s", (pattern) => {
  expect(compileBounded(pattern, 1_000_000)).toBeDefined();
});

test("[A78] [30.15] the pattern of a hostile schema does not block the process", () => {
  const schema = { type: "string", pattern: `${"(?:\\w?){999}".repeat(38)}!` };
  expect(checkInput(schema, "a".repeat(9_000))).toEqual([]);
  expect(checkInput({ type: "string", pattern: "^b" }, "a")).toHaveLength(1);
});
