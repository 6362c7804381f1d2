import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judge, toolFacts } from "../../test/support/judge.ts";
import type { PastCall, PermissionRequest } from "./permission.ts";
import { candidateRules, suggestRules } from "./suggest.ts";

const request = (tool: string, input: unknown, more: Partial<PermissionRequest> = {}): PermissionRequest => ({
  ...{
    tool,
    input,
    effect: tool === "Read" ? "read" : "unsafe",
    grants: [],
    now: 1_000,
    workspace: "/w/proj",
  },
  ...{ gate: { ask: [], deny: [] }, ancestors: [], authority: [] },
  ...more,
});

const past = (decided: PastCall["decided"], tool: string, input: unknown, more = {}): PastCall => ({
  request: request(tool, input, more),
  decided,
  title: JSON.stringify(input),
});

const allowedCommands = (...commands: string[]) =>
  commands.map((command) => past("allowed", "Bash", { command }));
const refusedCommands = (...commands: string[]) =>
  commands.map((command) => past("refused", "Bash", { command }));
const allowedWrites = (...paths: string[]) =>
  paths.map((path) => past("allowed", "Write", { path, content: "x" }));
const rules = (calls: readonly PastCall[]) => suggestRules(calls, judge, toolFacts).map(({ rule }) => rule);

describe("[SG1] a suggestion is checked against past decisions", () => {
  test("a suggestion says how many approval requests it saves, how many calls were refused, and which calls would still need approval", () => {
    const calls = [
      ...allowedCommands("npm run lint a", "npm run lint b", "npm run lint c", "npm run lint d", "make"),
      ...refusedCommands("npm run start", "touch x"),
    ];
    expect(suggestRules(calls, judge, toolFacts)).toEqual([
      { rule: "Bash(npm run lint *)", spared: 4, of: 5, refused: 2, stillAsked: ['{"command":"make"}'] },
    ]);
  });

  test("a rule that would have allowed a refused call is not suggested, but a narrower rule can be", () => {
    const lints = ["npm run lint a", "npm run lint b", "npm run lint c"];
    expect(
      rules([...allowedCommands(...lints, "npm run test"), ...refusedCommands("npm run eject")]),
    ).toEqual(["Bash(npm run lint *)"]);
    expect(rules([...allowedCommands(...lints), ...refusedCommands("npm run lint --fix")])).toEqual([]);
  });

  test("after a person refused a command that writes a file, no suggested rule would allow that write", () => {
    const files = allowedWrites("src/a.ts", "src/b.ts", "src/c.ts");
    expect(rules(files)).toEqual(["Edit(src/**/*.ts)"]);
    expect(rules([...files, ...refusedCommands("echo x > src/d.ts")])).toEqual([]);
  });

  test("no rule is suggested for calls that current rules already allow or deny", () => {
    const withProjectRule = (rule: object) => ({
      authority: [{ source: "project", rules: { allow: [], ask: [], deny: [], ...rule } }],
    });
    const three = (more: object) => ["a", "b", "c"].map((path) => past("allowed", "Write", { path }, more));
    expect(rules(three(withProjectRule({ allow: ["Edit"] })))).toEqual([]);
    expect(rules(three(withProjectRule({ deny: ["Edit"] })))).toEqual([]);
  });

  test("for random decisions, no suggestion would have allowed a refused call", () => {
    const few = (words: string) => fc.constantFrom(...words.split("|"));
    const bash = few(
      "npm run a|npm run b|npm run c -x|npm test|git add a|git add b|echo > src/x.ts|make",
    ).map((command) => ["Bash", { command }] as const);
    const file = few("src/a.ts|src/b.ts|src/c/d.ts|src/c/e.md|docs/f.md|../g.ts").map(
      (path) => ["Write", { path, content: "" }] as const,
    );
    const server = few("mcp__x__a|mcp__x__b").map((name) => [name, {}] as const);
    const rarely = fc.nat(9).map((one) => one === 0);
    const decisions = fc.array(fc.tuple(fc.oneof(bash, file, server), rarely, rarely), {
      minLength: 10,
      maxLength: 40,
    });
    let suggested = 0;
    fc.assert(
      fc.property(decisions, (made) => {
        const calls = made.map(([[tool, input], no, stranger]) =>
          past(no ? "refused" : "allowed", tool, input, {
            taint: { sources: stranger ? ["example.com"] : [], hosts: [] },
          }),
        );
        for (const { rule } of suggestRules(calls, judge, toolFacts)) {
          suggested++;
          const authority = [{ source: "project", rules: { allow: [rule], ask: [], deny: [] } }];
          for (const { decided, request: asked } of calls)
            if (decided === "refused") expect(judge({ ...asked, authority }).verdict).not.toBe("allow");
        }
      }),
      { numRuns: 150 },
    );
    expect(suggested, "there were suggestions to check").toBeGreaterThan(100);
  });
});

describe("[SG2] a suggestion is never wider than the past calls, and never dangerous", () => {
  test("three calls are needed for a suggestion; a wildcard appears only where the calls differ", () => {
    expect(rules(allowedCommands("npm test", "npm test"))).toEqual([]);
    expect(rules(allowedCommands("npm test", "npm test", "npm test"))).toEqual(["Bash(npm test)"]);
    expect(rules(allowedWrites("src/a/x.ts", "src/a/y.ts", "src/a/z.ts"))).toEqual(["Edit(src/a/**/*.ts)"]);
    expect(rules(allowedWrites("src/a/x.ts", "src/b/y.md", "src/c/z"))).toEqual(["Edit(src/**)"]);
  });

  test("no suggestion allows all commands, all files, or one program with any arguments", () => {
    expect(rules(allowedCommands("npm a", "npm b", "npm c", "make d", "make e"))).toEqual([]);
    expect(rules(allowedWrites("a.txt", "b.txt", "c.txt"))).toEqual([]);
    expect(rules(allowedWrites("/etc/a", "/etc/b", "/etc/c"))).toEqual([]);
  });

  test.each([
    "npm test && touch x",
    "npm test | tail",
    "npm test > out",
    "CI=1 npm test",
    "echo $HOME",
    "sudo npm test",
    "rm -r build",
    "git push origin main",
    "npm publish",
    "sh -c 'npm test'",
    "node -e 'x()'",
    "curl https://example.com",
    "npm test *",
  ])("no rule is suggested for %s", (command) => {
    expect(candidateRules("Bash", { command }, toolFacts("Bash"))).toEqual([]);
  });

  test("no rule is suggested for delegation, messages, unknown tools or tools that control the runtime", () => {
    for (const tool of [
      "delegate",
      "send_message",
      "Pay",
      "WebFetch",
      "mcp__admin__cancel_run",
      "mcp__agent__spawn",
    ])
      expect(
        candidateRules(tool, { agent: "x", path: "a/b", url: "https://a.com" }, toolFacts(tool)),
      ).toEqual([]);
    expect(candidateRules("mcp__hub__status", {}, toolFacts("mcp__hub__status"))).toHaveLength(1);
  });

  test("no rule is suggested for calls that were allowed in a tainted run or in a fork", () => {
    const tainted = { taint: { sources: ["example.com"], hosts: [] } };
    const three = (more: object) =>
      ["a", "b", "c"].map((to) => past("allowed", "Bash", { command: `npm run ${to}` }, more));
    expect(rules(three({}))).toEqual(["Bash(npm run *)"]);
    expect(rules(three(tainted))).toEqual([]);
    expect(rules(three({ forked: true }))).toEqual([]);
  });
});
