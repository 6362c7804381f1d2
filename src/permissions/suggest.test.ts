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

const ran = (...commands: string[]) => commands.map((command) => past("allowed", "Bash", { command }));
const not = (...commands: string[]) => commands.map((command) => past("refused", "Bash", { command }));
const wrote = (...paths: string[]) => paths.map((path) => past("allowed", "Write", { path, content: "x" }));
const rules = (calls: readonly PastCall[]) => suggestRules(calls, judge, toolFacts).map(({ rule }) => rule);

describe("[SG1] held against what was decided", () => {
  test("how many it would have spared, how many were refused, and what it would still ask", () => {
    const calls = [
      ...ran("npm run lint a", "npm run lint b", "npm run lint c", "npm run lint d", "make"),
      ...not("npm run start", "touch x"),
    ];
    expect(suggestRules(calls, judge, toolFacts)).toEqual([
      { rule: "Bash(npm run lint *)", spared: 4, of: 5, refused: 2, stillAsked: ['{"command":"make"}'] },
    ]);
  });

  test("what would have let a refused call pass is not suggested; the next narrower is", () => {
    const lints = ["npm run lint a", "npm run lint b", "npm run lint c"];
    expect(rules([...ran(...lints, "npm run test"), ...not("npm run eject")])).toEqual([
      "Bash(npm run lint *)",
    ]);
    expect(rules([...ran(...lints), ...not("npm run lint --fix")])).toEqual([]);
  });

  test("a file that a refused command would have written counts", () => {
    const files = wrote("src/a.ts", "src/b.ts", "src/c.ts");
    expect(rules(files)).toEqual(["Edit(src/**/*.ts)"]);
    expect(rules([...files, ...not("echo x > src/d.ts")])).toEqual([]);
  });

  test("what passes by now, or is forbidden by now, needs no rule", () => {
    const by = (rule: object) => ({
      authority: [{ source: "project", rules: { allow: [], ask: [], deny: [], ...rule } }],
    });
    const three = (more: object) => ["a", "b", "c"].map((path) => past("allowed", "Write", { path }, more));
    expect(rules(three(by({ allow: ["Edit"] })))).toEqual([]);
    expect(rules(three(by({ deny: ["Edit"] })))).toEqual([]);
  });

  test("no suggestion lets a refused call pass, whatever people have decided", () => {
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
    expect(suggested, "it was tried on some").toBeGreaterThan(100);
  });
});

describe("[SG2] never wider than what was seen, and nothing dangerous", () => {
  test("twice is no habit; the same call again is that call, and a wildcard stands where the calls differed", () => {
    expect(rules(ran("npm test", "npm test"))).toEqual([]);
    expect(rules(ran("npm test", "npm test", "npm test"))).toEqual(["Bash(npm test)"]);
    expect(rules(wrote("src/a/x.ts", "src/a/y.ts", "src/a/z.ts"))).toEqual(["Edit(src/a/**/*.ts)"]);
    expect(rules(wrote("src/a/x.ts", "src/b/y.md", "src/c/z"))).toEqual(["Edit(src/**)"]);
  });

  test("neither all commands nor all files, nor one program with anything", () => {
    expect(rules(ran("npm a", "npm b", "npm c", "make d", "make e"))).toEqual([]);
    expect(rules(wrote("a.txt", "b.txt", "c.txt"))).toEqual([]);
    expect(rules(wrote("/etc/a", "/etc/b", "/etc/c"))).toEqual([]);
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
  ])("nothing for %s", (command) => {
    expect(candidateRules("Bash", { command }, toolFacts("Bash"))).toEqual([]);
  });

  test("nothing for work that is given to others, for other tools, and for the runtime's own", () => {
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
    expect(candidateRules("mcp__git__status", {}, toolFacts("mcp__git__status"))).toHaveLength(1);
  });

  test("what was allowed once strangers' words had come in, or in a fork, speaks for nothing", () => {
    const tainted = { taint: { sources: ["example.com"], hosts: [] } };
    const three = (more: object) =>
      ["a", "b", "c"].map((to) => past("allowed", "Bash", { command: `npm run ${to}` }, more));
    expect(rules(three({}))).toEqual(["Bash(npm run *)"]);
    expect(rules(three(tainted))).toEqual([]);
    expect(rules(three({ forked: true }))).toEqual([]);
  });
});
