import { expect, it } from "vitest";
import { boundOutput, CONTEXT_BYTES, clipLine, lineCount } from "./answers.ts";

const numbers = (count: number, width = 1): string =>
  Array.from({ length: count }, (_, index) => `${index + 1} ${"x".repeat(width)}\n`).join("");

it.each([
  ["many short lines", numbers(30_000)],
  ["lines that nearly fit", numbers(6_500)],
  ["long lines", numbers(400, 106)],
  ["lines longer than half of the room", numbers(4, 25_000)],
])(
  "[25.9] if a long output is cut in the middle, the sentence about the cut is correct, and the output fits: %s",
  (_title, text) => {
    const { text: shown, cut } = boundOutput(text);
    expect(cut).toBe(true);
    expect(shown.length).toBeLessThanOrEqual(CONTEXT_BYTES);
    const [, first, last, all] = (/… lines (\d+)–(\d+) of (\d+) left out …/.exec(shown) ?? []).map(Number);
    const [before, after] = shown.split(/… .* left out …\n/) as [string, string];
    if (first === undefined) {
      const left = Number(/… (\d+) characters left out …/.exec(shown)![1]);
      expect(before.length - 1 + left + after.length).toBe(text.length);
    } else {
      expect([lineCount(before), lineCount(after)]).toEqual([first - 1, all! - last!]);
      expect(all).toBe(lineCount(text));
    }
  },
);

it("[25.11] if `column` is beyond the end of the line, the answer gives the length of the line", () => {
  expect(clipLine("short", 2_000, 300_000)).toBe("(this line has only 5 characters)");
  expect(clipLine("short", 2_000)).toBe("short");
});
