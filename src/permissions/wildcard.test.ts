import { describe, expect, it, test } from "vitest";
import { bash, verdict } from "../../test/support/judge.ts";
import { wildcard } from "./wildcard.ts";

describe("[A73] [30.15] matching wildcards of rules takes linear time", () => {
  it.each([
    ["", ["", "a"]],
    ["a", ["a", "b", "aa"]],
    ["a*", ["a", "ab", "ba"]],
    ["*a", ["a", "ba", "ab"]],
    ["a*a", ["a", "aa", "aba", "ab"]],
    ["a*b*c", ["abc", "axbxc", "acb", "abxcx"]],
    ["**", ["", "x"]],
    ["*ab*ab*", ["abab", "aab", "xabyabz"]],
  ])("%j matches exactly what a regular expression would match", (pattern, texts) => {
    const pieces = pattern.split("*");
    const same = new RegExp(`^${pieces.map((piece) => RegExp.escape(piece)).join(".*")}$`, "s");
    for (const text of texts) expect([text, wildcard(pieces).test(text)]).toEqual([text, same.test(text)]);
  });

  const many = "a*".repeat(60);
  test.each([
    [`Bash(x ${many}b)`, `x ${"a".repeat(8_000)}`],
    [`Bash(${"* ".repeat(60)}b)`, `x ${"y ".repeat(3_000)}`],
    [`Bash(x ${many}b *)`, `x ${"a".repeat(8_000)}`],
    [`Bash(x *${"a *".repeat(40)}b)`, `x ${"a ".repeat(3_500)}`],
    [`Bash(${many} b)`, `${"a".repeat(8_000)} c`],
    [`Bash("x y"*${many}b)`, `'x y'${"a".repeat(8_000)}`],
  ])("a deny rule with many wildcards is decided at once", (rule, command) => {
    expect(bash(command, { project: { deny: [rule] } }).verdict).toBe("ask");
  });

  it("a tool name with many wildcards is decided at once", () => {
    const tool = `mcp__${"a".repeat(5_000)}`;
    expect(verdict(tool, {}, { project: { deny: [`mcp__${many}b`] } }).verdict).toBe("ask");
    expect(verdict(tool, {}, { project: { deny: [`MCP__${many}`] } }).verdict).toBe("deny");
  });
});
