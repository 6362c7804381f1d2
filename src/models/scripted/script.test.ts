import { expect, test } from "vitest";
import { CadreError } from "../../errors.ts";
import { parseScript } from "./script.ts";

const FULL = `
name: demo
turns:
  - when: { agent: main, turn: 1, purpose: turn, attempt: 1, task: fix }
    reasoning: hm
    text: I look.
    calls: [{ tool: Read, input: { path: a.txt } }, { tool: Now }]
    delay: 5
    usage: { input: 10, output: 2 }
    chunk: 3
  - when: { lastTool: Read, lastResult: /err(or)?/i, isError: true, lastUser: go }
    error: { status: 429, message: slow, retryAfter: 2 }
  - { when: { turn: 4 }, error: network }
  - { when: { turn: 5 }, error: timeout }
  - { when: { turn: 6 }, text: half, cut: stream }
  - report: { summary: done, details: d, warnings: [w], suggestions: [s], output: { ok: true } }
`;

test("a script with every field is parsed", () => {
  const script = parseScript(FULL, "demo.yaml");
  expect(script.name).toBe("demo");
  expect(script.turns).toHaveLength(6);
  expect(script.turns[0]?.calls).toEqual([{ tool: "Read", input: { path: "a.txt" } }, { tool: "Now" }]);
  expect(script.turns[1]?.when?.lastResult).toBe("/err(or)?/i");
});

test.each([
  ["broken YAML", "turns:\n  - text: [a\n", /^s\.yaml:\d+:\d+: /],
  ["a tab", "turns:\n\t- text: a\n", /^s\.yaml:2:1: /],
  ["an empty file", "", /^s\.yaml:1:1: /],
  ["no turns", "name: x\n", /^s\.yaml:1:1: turns: /],
  ["an empty list", "turns: []\n", /^s\.yaml:1:8: turns: /],
  ["an unknown key", "turns:\n  - text: a\n    texxt: b\n", /^s\.yaml:3:5: turns\[0\]: .*texxt/],
  [
    "an unknown condition",
    "turns:\n  - text: a\n    when: { turm: 1 }\n",
    /^s\.yaml:3:13: turns\[0\]\.when: .*turm/,
  ],
  [
    "a wrong type",
    "turns:\n  - text: a\n  - text: a\n    delay: soon\n",
    /^s\.yaml:4:12: turns\[1\]\.delay: /,
  ],
  [
    "a call without a tool",
    "turns:\n  - calls:\n      - input: {}\n",
    /^s\.yaml:3:9: turns\[0\]\.calls\[0\]\.tool: /,
  ],
  ["an unknown error", "turns:\n  - error: fire\n", /^s\.yaml:2:12: turns\[0\]\.error: must be "network"/],
  ["an unknown cut", "turns:\n  - cut: off\n", /^s\.yaml:2:10: turns\[0\]\.cut: /],
  [
    "an invalid regular expression",
    "turns:\n  - text: a\n    when: { lastResult: /(/ }\n",
    /^s\.yaml:3:25: turns\[0\]\.when\.lastResult/,
  ],
  ["a turn without any content", "turns:\n  - when: { turn: 1 }\n", /^s\.yaml:2:5: turns\[0\]: says nothing/],
])("a script with %s is reported with line and column", (_, text, message) => {
  let thrown: unknown;
  try {
    parseScript(text, "s.yaml");
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(CadreError);
  expect(thrown).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(message) });
});

test("the error's details list all problems of a script, and its message describes the first problem", () => {
  let details: Record<string, unknown> | undefined;
  try {
    parseScript("turns:\n  - delay: x\n    text: a\n  - cut: b\n", "s.yaml");
  } catch (error) {
    details = (error as CadreError).details;
    expect((error as CadreError).message).toContain("(and 1 more)");
  }
  expect(details?.["problems"]).toEqual([
    { line: 2, column: 12, message: expect.stringContaining("turns[0].delay") },
    { line: 4, column: 10, message: expect.stringContaining("turns[1].cut") },
  ]);
});

test("a scripted turn with an empty text is valid", () => {
  expect(parseScript('turns: [{ text: "" }]', "s.yaml").turns[0]?.text).toBe("");
});
