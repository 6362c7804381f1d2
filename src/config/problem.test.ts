import { expect, test } from "vitest";
import { nearestWord, problemText } from "./problem.ts";

test.each([
  ["handof", "handoff"],
  ["max_turns", "maxTurns"],
  ["MODEL", "model"],
  ["tool", "tools"],
  ["modle", "model"],
  ["zebra", undefined],
  ["", undefined],
  ["x".repeat(100_000), undefined],
])("the known word nearest to `%s` is found", (word, meant) => {
  expect(nearestWord(word, ["handoff", "maxTurns", "model", "tools"])).toBe(meant);
});

test("a problem is printed as one line, with a file position that an editor can open", () => {
  const problem = {
    file: "a.md",
    line: 3,
    column: 1,
    code: "X",
    severity: "warning",
    message: "unknown key",
  } as const;
  expect(problemText(problem)).toBe("a.md:3:1 unknown key");
  expect(problemText({ ...problem, suggestion: "did you mean `b`?" })).toBe(
    "a.md:3:1 unknown key: did you mean `b`?",
  );
});
