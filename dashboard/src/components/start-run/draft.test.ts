import { expect, test } from "vitest";
import { StartRun } from "../../../../src/api/routes/runs.ts";
import { type Draft, draftProblem, toRequest } from "./draft.ts";

const draft = (over: Partial<Draft> = {}): Draft => ({
  agent: "lead",
  task: "Mend it",
  mode: "auto",
  maxCost: "",
  maxTurns: "",
  ...over,
});

test("the request that is built from a draft is valid", () => {
  expect(StartRun.parse(toRequest(draft()))).toEqual({
    agent: "lead",
    task: "Mend it",
    mode: "auto",
    attended: true,
  });
  expect(StartRun.parse(toRequest(draft({ maxCost: "$0,50", maxTurns: "7" })))).toMatchObject({
    limits: { maxTurns: 7, tree: { maxCost: 0.5 } },
  });
});

test.each([
  [{ task: " " }, /Describe the task/],
  [{ maxCost: "lots" }, /dollars/],
  [{ maxCost: "0" }, /dollars/],
  [{ maxTurns: "1.5" }, /whole number/],
] as const)("the form refuses %o with a message", (over, words) => {
  expect(draftProblem(draft(over))).toMatch(words);
});
