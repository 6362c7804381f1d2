import { expect, test } from "vitest";
import { createMatcher } from "./match-hooks.ts";

test.each([
  [undefined, "Bash", true],
  ["*", "Bash", true],
  ["Edit|Write", "Write", true],
  ["Edit, Write", "Edit", true],
  ["Edit", "MultiEdit", false],
  ["mcp__memory", "mcp__memory__read", false],
  ["mcp__memory__.*", "mcp__memory__read", true],
  ["^Read$", "Read", true],
])("the matcher %s and the tool %s: %s", (matcher, tool, expected) => {
  expect(createMatcher(matcher).matches([tool])).toBe(expected);
});

test("[HK5] an invalid pattern matches every tool, and the reason is reported", () => {
  const matcher = createMatcher("^(?!Read)");
  expect(matcher.matches(["Read"])).toBe(true);
  expect(matcher.problem).toBeDefined();
});

test("a slow pattern cannot block the process", () => {
  expect(createMatcher("^(a+)+$").matches([`${"a".repeat(50_000)}b`])).toBe(false);
});
