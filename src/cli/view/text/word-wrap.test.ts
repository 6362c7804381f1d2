// Tests how text is wrapped at the width of the terminal.

import { expect, test } from "vitest";
import { wordWrap, wrapText } from "./word-wrap.ts";

const HARD = "The parser reads lines of up to\n80 characters. It\nkeeps the rest.";

test("[26] a paragraph that its author wrapped at a larger width is filled, not wrapped twice", () => {
  const text = "The first line was wrapped by its author here,\nand the second line continues it.\n\nNext.";
  expect(wrapText(text, 24)).toBe(
    "The first line was\nwrapped by its author\nhere, and the second\nline continues it.\n\nNext.",
  );
  const streamed = wordWrap(24);
  const pieces = Array.from(text, (character) => streamed.add(character)).join("");
  expect(pieces + streamed.rest(), "also if it arrives character by character").toBe(wrapText(text, 24));
});

test("[26] short lines, lists, code, and lines that start with a digit keep their line breaks", () => {
  expect(wrapText(HARD, 80)).toBe(HARD);
  expect(wrapText(HARD, 24)).toBe("The parser reads lines\nof up to\n80 characters. It\nkeeps the rest.");
  const list = "- a point that is longer than the screen\n- another\n1. one\n";
  expect(wrapText(list, 20).split("\n").slice(-4)).toEqual(["screen", "- another", "1. one", ""]);
  const code = "```\nconst answer = compute(everything);\nreturn answer;\n```\n";
  expect(wrapText(code, 20)).toContain("\nreturn answer;\n");
});
