import fc from "fast-check";
import { expect, test } from "vitest";
import { markdownChunks } from "./markdown-chunks.ts";

const WORDS = `${"word ".repeat(100)}\n\n`;

test("[U18] when a text grows, only its last chunk changes", () => {
  const before = markdownChunks(WORDS.repeat(30));
  const after = markdownChunks(`${WORDS.repeat(30)}more`);
  expect(before.length).toBeGreaterThan(2);
  expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
});

test("[U18] a code block is never split", () => {
  const code = `\`\`\`js\n${"line\n\n".repeat(2_000)}\`\`\`\n\n`;
  expect(markdownChunks(WORDS + code + WORDS).filter((chunk) => chunk.includes("```js"))).toEqual([
    expect.stringContaining(code),
  ]);
});

test("[U18] joining the chunks gives the original text", () => {
  const line = fc.constantFrom("a", "", "```", "- x", "~~~", "w".repeat(900));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const text = lines.join("\n");
      expect(markdownChunks(text).join("")).toBe(text);
    }),
  );
});
