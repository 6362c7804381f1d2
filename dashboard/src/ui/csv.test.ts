import { expect, test } from "vitest";
import { toCsv } from "./csv.ts";

test("[29.17] a CSV file quotes commas, quotes and line breaks, and leaves missing values empty", () => {
  expect(
    toCsv([
      ["agent", "cost"],
      ['a "b", c\nd', 0.5],
      ["lead", null],
    ]),
  ).toBe('agent,cost\r\n"a ""b"", c\nd",0.5\r\nlead,\r\n');
});

test("[29.17] a text of a model never becomes a formula in a spreadsheet", () => {
  expect(toCsv([["=HYPERLINK(1)", "-2+3", -2]])).toBe("'=HYPERLINK(1),'-2+3,-2\r\n");
});
