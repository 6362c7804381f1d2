import { describe, expect, test } from "vitest";
import { hunksOf, inputProducing } from "./hunks.ts";

const lines = (...texts: (string | number)[]) => texts.map((text) => `${text}\n`).join("");
const BEFORE = lines("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten");
const AFTER = lines("ONE", "two", "three", "four", "five", "six", "seven", "eight", "NINE", "ten", "eleven");

const applyChosen = (before: string, after: string, ...chosen: number[]) =>
  hunksOf(before, after)!.textWith(new Set(chosen));

describe("[U22] splitting a change into hunks", () => {
  test("a file built from chosen hunks contains only the changes of these hunks", () => {
    expect(hunksOf(BEFORE, AFTER)!.hunks.map(({ line }) => line)).toEqual([1, 9, 11]);
    expect(applyChosen(BEFORE, AFTER)).toBe(BEFORE);
    expect(applyChosen(BEFORE, AFTER, 0, 1, 2)).toBe(AFTER);
    expect(applyChosen(BEFORE, AFTER, 1)).toBe(BEFORE.replace("nine", "NINE"));
    expect(applyChosen(BEFORE, AFTER, 0, 2)).toBe(`${BEFORE.replace("one", "ONE")}eleven\n`);
  });

  test("each hunk has line numbers and context; no two hunks show the same line", () => {
    const [first, second, third] = hunksOf(BEFORE, AFTER)!.hunks;
    expect(first!.patch).toBe("@@ -1,4 +1,4 @@\n-one\n+ONE\n two\n three\n four");
    expect(second!.patch).toBe("@@ -6,5 +6,5 @@\n six\n seven\n eight\n-nine\n+NINE\n ten");
    expect(third!.patch).toBe("@@ -11,0 +11,1 @@\n+eleven");
  });

  test("hunks preserve CRLF, a missing final newline and an empty file", () => {
    expect(applyChosen("a\nm\nb", "A\nm\nb\nc", 0)).toBe("A\nm\nb");
    expect(hunksOf("a\nm\nb", "A\nm\nb\nc")!.hunks[1]!.patch).toContain(
      "-b\n\\ No newline at end of file\n+b\n+c",
    );
    expect(applyChosen("a\r\nb\r\nc\r\n", "A\r\nb\r\nC\r\n", 1)).toBe("a\r\nb\r\nC\r\n");
    expect(applyChosen("", "new\n", 0)).toBe("new\n");
  });
});

describe("[U22] building the input that produces a given text", () => {
  const leftBy = (before: string, after: string) => {
    const input = inputProducing(
      { path: "a.txt", old_string: "x", new_string: "y", replace_all: true },
      before,
      after,
    );
    const { old_string: from, new_string: to } = input as { old_string: string; new_string: string };
    expect(before.split(from)).toHaveLength(2);
    return before.replace(from, () => to);
  };

  test("the input for Write contains the whole text", () => {
    expect(inputProducing({ path: "a.txt", content: "x" }, BEFORE, "y")).toEqual({
      path: "a.txt",
      content: "y",
    });
  });

  test("the input for Edit replaces a block that occurs only once, even among similar lines", () => {
    const alike = lines("x", "x", "x", "y", "x", "x");
    for (const after of [
      lines("x", "x", "z", "y", "x", "x"),
      lines("x", "x", "x", "x", "y", "x", "x"),
      lines("x", "y", "x", "x"),
      lines("z", "x", "x", "y", "x", "z"),
      "",
    ])
      expect(leftBy(alike, after)).toBe(after);
  });

  test("the input for Edit can produce the file for any selection of hunks", () => {
    for (let mask = 1; mask < 8; mask++) {
      const after = applyChosen(BEFORE, AFTER, ...[0, 1, 2].filter((at) => mask & (1 << at)));
      expect(leftBy(BEFORE, after)).toBe(after);
    }
  });
});
