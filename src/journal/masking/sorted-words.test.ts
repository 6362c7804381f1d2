import { describe, expect, it, test } from "vitest";
import { createMask, secretMark } from "./mask.ts";
import { sortWords } from "./sorted-words.ts";

describe("words in alphabetical order", () => {
  it("finds the same words as a plain search over all words", () => {
    const words = ["a", "ab", "abab", "abc", "b", "ba", "bb", "cab", "ca", "caba", "aab", "aabb"];
    const sorted = sortWords(words);
    const texts = ["a", "ab", "aba", "abab", "c", "cabab", "bbb", "aabbc", "x", "", "acb", "caa"];
    for (const text of texts) {
      const longest = words.filter((word) => text.startsWith(word)).sort((x, y) => y.length - x.length)[0];
      expect([text, sorted.longestAt(text, 0)]).toEqual([text, longest]);
      expect([text, sorted.longestAt(`x${text}`, 1)]).toEqual([text, longest]);
      const isStart = words.some((word) => word.length > text.length && word.startsWith(text));
      expect([text, sorted.longerThan(text) !== undefined]).toEqual([text, isStart]);
    }
  });
});

describe("[A76] [30.15] a crafted .env does not block the process", () => {
  const numbers = Array.from({ length: 1_000 }, (_, index) => index);
  const as = "a".repeat(20_000);
  test.each([
    ["values that begin alike and end in another way", numbers.map((n) => `${"a".repeat(8 + n)}z`), as],
    [
      "values that continue each other",
      numbers.map((n) => "a".repeat(8 + n)),
      `${"a".repeat(7)}b`.repeat(3_000),
    ],
    ["values with the same start", numbers.map((n) => `aaaaaaaa${n}x`), as],
    ["values with the same end", numbers.map((n) => `${n}zaaaaaaaa`), as],
    ["a value of one repeated pattern", ["ab".repeat(100_000)], "ab".repeat(50_000)],
    [
      "parts next to many cuts",
      numbers.slice(0, 200).map((n) => `${"a".repeat(8 + n)}z`),
      `${"a".repeat(30)}…`.repeat(300),
    ],
  ])("%s", (_, values, text) => {
    const list = values.map((value, index) => ({ name: `K${index}`, value }));
    const mask = createMask({ list: () => list, hasChanged: () => false });
    const shown: string[] = [];
    const stream = mask.stream((piece) => shown.push(piece));
    for (let at = 0; at < 600; at += 3) stream.add(text.slice(at, at + 3));
    stream.end();
    expect(mask.text(`${text} `).length).toBeGreaterThan(0);
    expect(mask.text(`x ${values[0]}!`)).toBe(`x ${secretMark("K0")}!`);
  });
});
