import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../config/config.ts";
import { problemText } from "../config/problem.ts";
import { configRuleProblems, ruleProblems } from "./rule-problems.ts";

const TOOLS = ["Read", "read_file", "Write", "Edit", "Bash", "shell", "Grep", "search"];

describe("valid rules", () => {
  test.each([
    "Read",
    "read",
    "READ(.env)",
    "Read_File(.env)",
    "shell(npm test)",
    " Bash(npm test) ",
    "*",
    "Raed*",
    "mcp__git__push",
    "mcp__git__*",
    "final_report",
  ])("the rule %s has no problem", (rule) => {
    expect(ruleProblems([rule], TOOLS, "allow")).toEqual([]);
    expect(ruleProblems([rule], TOOLS, "deny")).toEqual([]);
  });
});

describe("rules that have no effect", () => {
  test("a mistyped tool name in a rule is reported with the rule's index and a suggested name", () => {
    expect(ruleProblems(["Read", "Raed(.env)"], TOOLS)).toEqual([
      {
        rule: "Raed(.env)",
        index: 1,
        code: "UNKNOWN_TOOL",
        message: 'no tool is called `Raed`, so "Raed(.env)" forbids nothing',
        suggestion: "did you mean `Read`?",
      },
    ]);
  });

  test("the message about a mistyped rule says that the rule allows nothing, asks about nothing or forbids nothing", () => {
    const messageFor = (effect: "allow" | "ask" | "deny") =>
      ruleProblems(["Bsah(x)"], TOOLS, effect)[0]?.message;
    expect(messageFor("allow")).toMatch(/allows nothing$/);
    expect(messageFor("ask")).toMatch(/asks about nothing$/);
    expect(messageFor("deny")).toMatch(/forbids nothing$/);
  });

  test("no name is suggested if no known name is similar", () => {
    expect(ruleProblems(["Fly"], TOOLS)[0]).not.toHaveProperty("suggestion");
  });

  test("a tool that this version lacks is reported as a problem of an allow rule, but not of a deny or ask rule", () => {
    expect(ruleProblems(["WebSearch"], TOOLS, "deny")).toEqual([]);
    expect(ruleProblems(["WebSearch"], TOOLS, "ask")).toEqual([]);
    expect(ruleProblems(["WebSearch"], TOOLS, "allow")).toEqual([
      expect.objectContaining({
        code: "UNKNOWN_TOOL",
        message: 'this version has no tool `WebSearch`: "WebSearch" allows nothing',
      }),
    ]);
    expect(ruleProblems(["WebSearch"], [...TOOLS, "WebSearch"], "allow")).toEqual([]);
  });
});

test("the message about an unreadable rule says what the rule does until it is fixed", () => {
  const message = (rule: string, effect: "allow" | "ask" | "deny") => {
    const [problem] = ruleProblems([rule], TOOLS, effect);
    expect(problem?.code).toBe("BAD_RULE");
    return problem?.message;
  };
  expect(message("Bash(unclosed", "allow")).toMatch(/is not a rule: .*; until then it allows nothing$/);
  expect(message("Bash(unclosed", "deny")).toMatch(/until then it forbids every call$/);
  expect(message("Bash(npm 'x)", "ask")).toMatch(/quote left open\?; until then it asks about every call$/);
  expect(message("Raed(.env", "deny")).toMatch(/until then it forbids nothing$/);
  expect(message("", "deny")).toMatch(/until then it forbids nothing$/);
});

describe("rules of cadre.yaml", () => {
  const problems = (yaml: string | undefined, trust = "1") => {
    const folder = mkdtempSync(join(tmpdir(), "cadre-rules-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    if (yaml !== undefined) writeFileSync(join(folder, "cadre.yaml"), yaml);
    const config = loadConfig({ folder, env: { CADRE_TRUST: trust, XDG_CONFIG_HOME: folder } });
    return configRuleProblems(config, TOOLS);
  };

  test("problems in cadre.yaml have line numbers; a broken ask or deny rule is an error, and a broken allow rule is a warning", () => {
    const found = problems(
      'permissions:\n  allow: ["Bsah(x)", "Bash(unclosed"]\n  ask:\n    - Bash\n    - Wriet\n  deny: [ "Raed(.env)" ]\n',
    );
    expect(found.map((problem) => `${problem.severity} ${problemText(problem)}`)).toEqual([
      'warning cadre.yaml:2:11 no tool is called `Bsah`, so "Bsah(x)" allows nothing: did you mean `Bash`?',
      expect.stringMatching(/^warning cadre\.yaml:2:22 "Bash\(unclosed" is not a rule/),
      'error cadre.yaml:5:7 no tool is called `Wriet`, so "Wriet" asks about nothing: did you mean `Write`?',
      'error cadre.yaml:6:11 no tool is called `Raed`, so "Raed(.env)" forbids nothing: did you mean `Read`?',
    ]);
  });

  test("in an untrusted folder only ask and deny rules are checked, because allow rules are ignored there", () => {
    const found = problems('permissions: { allow: [Bsah], deny: ["Raed(.env)"] }', "");
    expect(found.map(({ message }) => message)).toEqual([expect.stringContaining("Raed")]);
  });

  test("without a cadre.yaml there are no problems", () => {
    expect(problems(undefined)).toEqual([]);
  });
});
