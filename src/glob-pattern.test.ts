import { describe, expect, it, test } from "vitest";
import { verdict } from "../test/support/judge.ts";
import { compileGlob } from "./glob-pattern.ts";

const matches = (pattern: string, path: string): boolean => {
  const glob = compileGlob(pattern, { isRule: true });
  return glob.ok && glob.matches(path);
};

describe("patterns of permission rules", () => {
  it.each([
    ["src/**", ["src", "src/a", "src/a/.b"], ["srcs", "a/src"]],
    ["**/.env", [".env", "a/.env", "a/b/.env"], [".env.local", "x.env"]],
    ["**.ts", ["a.ts", "a/b.ts"], ["a.tsx"]],
    ["{src,lib}/*.ts", ["src/a.ts", "lib/a.ts"], ["src/a/b.ts", "{src,lib}/a.ts"]],
    ["app/(group)/page.ts", ["app/(group)/page.ts"], ["app/group/page.ts"]],
    ["a[!b]c", ["axc"], ["abc", "a/c"]],
    ["\\*\\!.ts", ["*!.ts"], ["ab.ts"]],
    ["*", [".env", "a b"], ["a/b"]],
  ])("%s", (pattern, covered, others) => {
    for (const path of covered) expect([path, matches(pattern, path)]).toEqual([path, true]);
    for (const path of others) expect([path, matches(pattern, path)]).toEqual([path, false]);
  });

  test.each([
    "!src/**",
    "@(a|b).ts",
    "+(a)",
    "!(a)",
    "a|b",
    "[0-9]+.ts",
    "{a,b}+",
    "{1..3}",
    "*".repeat(501),
  ])("%s is refused with a reason", (pattern) => {
    expect(compileGlob(pattern, { isRule: true })).toEqual({ ok: false, why: expect.any(String) });
  });
});

describe("[A73] [30.15] no path pattern of a stranger's rule blocks the process", () => {
  const wide = `${"*a".repeat(40)}b`;
  test.each([
    [`Read(${wide})`, { path: "a".repeat(4_000) }],
    [`Read(${"**/a*".repeat(30)}b)`, { path: "a/".repeat(1_500) }],
    [`Read(${"{a,aa}".repeat(60)}b)`, { path: "a".repeat(200) }],
    [`Read(${"?*".repeat(60)}b)`, { path: "a".repeat(4_000) }],
    [`Read(${"[ab]*".repeat(60)}c)`, { path: "ab".repeat(2_000) }],
    [`WebFetch(https://${wide})`, { url: `https://${"a".repeat(4_000)}` }],
  ])("%s", (rule, input) => {
    const tool = rule.split("(")[0]!;
    // A matcher that backtracks would not end before the test's time limit.
    for (const list of ["deny", "ask", "allow"] as const)
      expect(verdict(tool, input, { project: { [list]: [rule] } }).verdict).not.toBe("deny");
  });

  test.each(["Read(+(+(a))b)", "Read((a|aa)+b)", "Read({1..99999999})"])(
    "%s cannot be read, so it denies every Read, and a command that might read asks",
    (rule) => {
      expect(verdict("Read", { path: "x" }, { project: { deny: [rule] } }).verdict).toBe("deny");
      expect(verdict("Bash", { command: "cat x" }, { project: { deny: [rule] } }).verdict).toBe("ask");
      expect(verdict("Grep", { pattern: "x" }, { project: { deny: [rule] } }).verdict).toBe("deny");
      expect(verdict("Write", { path: "x", content: "" }, { project: { allow: [rule] } }).verdict).toBe(
        "ask",
      );
    },
  );
});
