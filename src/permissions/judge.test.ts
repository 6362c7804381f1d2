import { describe, expect, it } from "vitest";
import { bash, expectedVerdict, type Setting, verdict, write } from "../../test/support/judge.ts";
import { ruleProblem } from "./rules.ts";

describe("the built-in default", () => {
  it.each([
    ["Read", { path: "a" }, "allow", "default allow Read"],
    ["Glob", { pattern: "**" }, "allow", "default allow Glob"],
    ["Write", { path: "a" }, "ask", "default ask Write"],
    ["Edit", { path: "a" }, "ask", "default ask Edit"],
    ["restart_service", { service: "web" }, "ask", "default ask restart_service"],
    ["mcp__git__push", {}, "ask", "default ask mcp__git__push"],
    ["mcp__git__diff", {}, "allow", "default allow mcp__git__diff"],
    ["mcp__git__commit", { message: "m", paths: ["a"] }, "ask", "default ask mcp__git__commit"],
    ["mcp__git__branch", { name: "x" }, "ask", "default ask mcp__git__branch"],
    ["delegate", { agent: "coder" }, "allow", "default allow delegate"],
    ["Bash", { command: "npm test" }, "ask", "default ask Bash"],
    ["Bash", { command: "git status" }, "allow", "default allow Bash: only reads"],
    ["Bash", { command: "git status && rm x" }, "ask", "default ask Bash"],
    ["Bash", { command: "echo $(x)" }, "ask", "default ask Bash"],
    ["Bash", {}, "ask", "default ask Bash: cannot judge, no command found"],
    ["Bash", undefined, "ask", "default ask Bash: cannot judge, no command found"],
  ])("by default, %s %j has the verdict %s from %j", (tool, input, expected, rule) => {
    expect(verdict(tool, input)).toEqual(expectedVerdict(expected, rule));
  });
});

describe("the order of rules", () => {
  const cases: [string, Setting, string, string][] = [
    [
      "a deny rule wins over an allow rule",
      { project: { allow: ["Bash(npm test)"], deny: ["Bash"] } },
      "deny",
      "project deny Bash",
    ],
    [
      "a deny rule wins over a grant",
      { project: { deny: ["Bash(npm *)"] }, grants: [{ rule: "Bash(npm test)" }] },
      "deny",
      "project deny Bash(npm *)",
    ],
    [
      "an ancestor's deny rule applies to its descendants",
      { project: { allow: ["Bash"] }, parent: { deny: ["Bash"] } },
      "deny",
      "ancestor lead deny Bash",
    ],
    ["an ancestor's allow rule has no effect", { parent: { allow: ["Bash"] } }, "ask", "default ask Bash"],
    [
      "a grant wins over an ancestor's ask rule",
      { parent: { ask: ["Bash"] }, grants: [{ rule: "Bash(npm test)" }] },
      "allow",
      "person grant Bash(npm test)",
    ],
    [
      "an ancestor's ask rule wins over an allow rule",
      { project: { allow: ["Bash(npm test)"] }, parent: { ask: ["Bash"] } },
      "ask",
      "ancestor lead ask Bash",
    ],
    [
      "the agent's ask rule wins over an allow rule",
      { project: { allow: ["Bash(npm test)"] }, gate: { ask: ["Bash"] } },
      "ask",
      "agent tools ask Bash",
    ],
    [
      "an allow rule wins over a less specific ask rule",
      { project: { allow: ["Bash(npm test)"], ask: ["Bash"] } },
      "allow",
      "project allow Bash(npm test)",
    ],
    [
      "an ask rule wins over a less specific allow rule",
      { project: { allow: ["Bash"], ask: ["Bash(npm *)"] } },
      "ask",
      "project ask Bash(npm *)",
    ],
    [
      "an exact rule wins over a rule with a wildcard",
      { project: { allow: ["Bash(npm test)"], ask: ["Bash(npm test *)"] } },
      "allow",
      "project allow Bash(npm test)",
    ],
    [
      "of equally specific allow and ask rules, the ask rule wins",
      { project: { allow: ["Bash(npm test)"] }, person: { ask: ["Bash(npm test)"] } },
      "ask",
      "person ask Bash(npm test)",
    ],
    [
      "of equally specific allow and ask rules, the ask rule wins in either order",
      { person: { allow: ["Bash"] }, project: { ask: ["Bash"] } },
      "ask",
      "project ask Bash",
    ],
    [
      "an agent's tool list denies tools that it does not list",
      { project: { allow: ["Bash"] }, gate: { allow: ["Read"] } },
      "deny",
      "agent tools: not listed",
    ],
    ["an empty tool list denies everything", { gate: { allow: [] } }, "deny", "agent tools: not listed"],
    [
      "an agent's tool list alone does not allow a call",
      { gate: { allow: ["Bash"] } },
      "ask",
      "default ask Bash",
    ],
    [
      "an agent's deny rule wins over an allow rule",
      { project: { allow: ["Bash"] }, gate: { deny: ["Bash(npm *)"] } },
      "deny",
      "agent tools deny Bash(npm *)",
    ],
    [
      "an agent's tool list can contain globs",
      { project: { allow: ["Bash"] }, gate: { allow: ["*"] } },
      "allow",
      "project allow Bash",
    ],
    ["a bare Bash rule allows any command", { project: { allow: ["Bash"] } }, "allow", "project allow Bash"],
    ["the rule `*` allows any tool", { project: { allow: ["*"] } }, "allow", "project allow *"],
    [
      "an expired grant has no effect",
      { grants: [{ rule: "Bash(npm test)", until: 1_000 }] },
      "ask",
      "default ask Bash",
    ],
    [
      "a grant applies until it expires",
      { grants: [{ rule: "Bash(npm test)", until: 1_001 }] },
      "allow",
      "person grant Bash(npm test)",
    ],
    [
      "an unreadable allow rule allows nothing",
      { project: { allow: ["Bash(npm 'test)"] } },
      "ask",
      "default ask Bash",
    ],
    [
      "an unreadable deny rule denies the whole tool",
      { project: { deny: ["Bash(npm 'x)"] } },
      "deny",
      "project deny Bash(npm 'x)",
    ],
    ["a deny rule ignores letter case", { project: { deny: ["bash"] } }, "deny", "project deny bash"],
    ["an allow rule is case-sensitive", { project: { allow: ["bash"] } }, "ask", "default ask Bash"],
  ];
  it.each(cases)("the rules apply in order: %s", (_, setting, expected, rule) => {
    expect(bash("npm test", setting)).toEqual(expectedVerdict(expected, rule));
  });

  it("a tool list with a command pattern denies all other commands", () => {
    const setting = { gate: { allow: ["Bash(git diff *)"] } };
    expect(bash("git diff --stat", setting).verdict).toBe("allow");
    expect(bash("ls", setting).verdict).toBe("deny");
  });

  it("an agent's tool list matches tools only by their main names, not by aliases", () => {
    expect(
      verdict("Grep", { pattern: "x", path: "src/a" }, { gate: { allow: ["Read(src/**)"] } }).verdict,
    ).toBe("deny");
    expect(write("src/a", { gate: { allow: ["Edit(src/**)"] } }).verdict).toBe("deny");
    expect(verdict("Read", { path: "src/a" }, { gate: { allow: ["Read(src/**)"] } }).verdict).toBe("allow");
  });

  it("ruleProblem explains why a rule is invalid; an invalid deny rule denies the whole tool", () => {
    expect(ruleProblem("Bash(npm test)")).toBeUndefined();
    expect(ruleProblem("mcp__git__*")).toBeUndefined();
    expect(ruleProblem("Bash(npm 'test)")).toContain("quote");
    expect(ruleProblem("bash(npm 'test)")).toContain("quote");
    expect(ruleProblem("Bash(")).toContain("is not a rule");
    expect(ruleProblem("mcp__*(x)")).toContain("must name one tool");
    for (const rule of ["bash(npm 'test)", "Bash(", "*(x)"])
      expect(bash("ls", { project: { deny: [rule] } }).verdict).toBe("deny");
  });

  it("a rule can match the names of MCP tools by glob", () => {
    const setting = { project: { allow: ["mcp__git__*"], deny: ["mcp__git__push"] } };
    expect(verdict("mcp__git__status", {}, setting).verdict).toBe("allow");
    expect(verdict("mcp__git__push", {}, setting).verdict).toBe("deny");
    expect(verdict("mcp__github__status", {}, setting).verdict).toBe("ask");
  });

  it("[28.7] [30.7] a rule that denies a git command or a file also covers the git tools", () => {
    const commit = { message: "m", paths: ["a"] };
    const judged = (tool: string, input: object, ...deny: string[]) =>
      verdict(`mcp__git__${tool}`, input, { project: { deny, preset: "trusted" } }).verdict;
    expect(judged("commit", commit)).toBe("allow");
    for (const rule of ["Bash(git commit *)", "Bash(git *)", "bash(git commit *)"])
      expect(judged("commit", commit, rule)).toBe("deny");
    expect(judged("branch", { name: "x" }, "Bash(git switch *)")).toBe("deny");
    expect(judged("log", {}, "Bash(git commit *)", "Bash")).toBe("allow");
    expect(judged("diff", { path: ".env" }, "Read(.env)")).toBe("deny");
  });

  it("a rule with a pattern can deny a call of a tool whose input is unknown, but cannot allow the call", () => {
    expect(
      verdict(
        "WebFetch",
        { url: "https://evil.example/x" },
        { project: { deny: ["WebFetch(https://evil.example/**)"] } },
      ).verdict,
    ).toBe("deny");
    expect(verdict("mcp__x__y", { a: "b" }, { project: { allow: ["mcp__x__y(b)"] } }).verdict).toBe("ask");
  });
});
