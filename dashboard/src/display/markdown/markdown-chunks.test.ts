import fc from "fast-check";
import { expect, test } from "vitest";
import { markdownChunks } from "./markdown-chunks.ts";

const WORDS = `${"word ".repeat(100)}\n\n`;

test("[U18] the parts of a text that grows stay as they are, but for the last", () => {
  const before = markdownChunks(WORDS.repeat(30));
  const after = markdownChunks(`${WORDS.repeat(30)}more`);
  expect(before.length).toBeGreaterThan(2);
  expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
});

test("[U18] code is never cut in two", () => {
  const code = `\`\`\`js\n${"line\n\n".repeat(2_000)}\`\`\`\n\n`;
  expect(markdownChunks(WORDS + code + WORDS).filter((chunk) => chunk.includes("```js"))).toEqual([
    expect.stringContaining(code),
  ]);
});

test("[U18] joined they are the text", () => {
  const line = fc.constantFrom("a", "", "```", "- x", "~~~", "w".repeat(900));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const text = lines.join("\n");
      expect(markdownChunks(text).join("")).toBe(text);
    }),
  );
});
