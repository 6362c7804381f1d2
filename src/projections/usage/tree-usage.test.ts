import { expect, test } from "vitest";
import type { EventBody, JournalEvent } from "../../journal/events.ts";
import {
  agentThought,
  buildJournal,
  modelCallFailed,
  modelCallStarted,
  runEnded,
  runStarted,
} from "../../stores/contract/kit.contract.ts";
import { applyTreeUsage, emptyTreeUsage } from "./tree-usage.ts";
import { createUsageReport } from "./usage-report.ts";

const HOUR = 3_600_000;

/** The journal of one run, with a time for each event. */
const journal = (runId: string, ...events: [ts: number, event: EventBody][]): JournalEvent[] =>
  buildJournal(...events.map(([, event]) => event)).map((event, index) => ({
    ...event,
    runId,
    ts: events[index]![0],
  }));

interface Options {
  since?: number;
  top?: string;
  bucket?: number;
}

const report = (events: readonly JournalEvent[], { since, top = "r1", bucket = 1 }: Options = {}) => {
  const made = createUsageReport({ since, every: HOUR });
  const inOrder = events.toSorted((a, b) => a.ts - b.ts);
  made.add(inOrder.reduce((tree, event) => applyTreeUsage(tree, event, bucket), emptyTreeUsage(top)));
  return made.view();
};
const overTime = (events: readonly JournalEvent[], options?: Options) => report(events, options).overTime!;

const toolResult = (ms: number): EventBody => ({
  type: "TOOL_RESULT",
  payload: { toolCallId: "m1.0", output: "done", ms },
});

const decisionEvent = (decision: "approve" | "expire"): EventBody => ({
  type: "APPROVAL_DECIDED",
  payload: { itemId: "m1.0", decision, by: "maria" },
});

const lead = journal(
  "r1",
  [HOUR, runStarted({ agent: "lead", rootRunId: "r1" })],
  [HOUR, modelCallStarted("m1", { model: "a/big" })],
  [HOUR + 100, modelCallFailed("m1", { usage: { input: 8, output: 0 }, cost: 0.5, ms: 100 })],
  [2 * HOUR, modelCallStarted("m1", { model: "a/big", attempt: 2 })],
  [2 * HOUR + 400, agentThought("m1", { attempt: 2, cost: null, ms: 400 })],
  [2 * HOUR + 900, runEnded()],
);
const coder = journal(
  "c1",
  [2 * HOUR, runStarted({ agent: "coder", rootRunId: "r1", parentRunId: "r1", depth: 1 })],
  [2 * HOUR, modelCallStarted("m1", { model: "b/small" })],
  [2 * HOUR + 300, agentThought("m1", { cost: 2, ms: 300 })],
  [2 * HOUR + 500, toolResult(200)],
  [2 * HOUR + 500, runEnded()],
);

test("[S1-70] each call counts once, in the period in which it ended, so that the sums match the report", () => {
  const { spent } = overTime([...lead, ...coder]);
  expect(spent).toMatchObject([
    { from: HOUR, agent: "lead", model: "a/big", turns: 0, cost: 0.5, wastedCalls: 1, wastedCost: 0.5 },
    { from: 2 * HOUR, agent: "coder", model: "b/small", turns: 1, cost: 2, modelCalls: 1 },
    { from: 2 * HOUR, agent: "lead", model: "a/big", turns: 1, unpriced: 1, modelCalls: 1, cost: 0 },
  ]);
  const { byAgent } = report([...lead, ...coder]);
  for (const key of ["input", "output", "cost", "unpriced", "modelCalls", "wastedCalls"] as const) {
    const sum = (items: readonly Record<typeof key, number>[]) =>
      items.reduce((all, one) => all + one[key], 0);
    expect([key, sum(spent)]).toEqual([key, sum(byAgent)]);
  }
});

test("[S1-75] working time and busy time of a tree do not include waiting", () => {
  const { trees, runs } = overTime([...lead, ...coder]);
  // lead works 100 + 400 and coder works 300 + 200. They work in parallel from 0 to 400, and coder works alone until 500.
  expect(trees).toMatchObject({ workMs: 1_000, busyMs: 600, completed: 1, withoutPeople: 1, depths: [1, 1] });
  expect(runs).toEqual([
    { from: HOUR, started: 1, completed: 0, failed: 0, cancelled: 0, depth: 0 },
    { from: 2 * HOUR, started: 1, completed: 2, failed: 0, cancelled: 0, depth: 1 },
  ]);
});

test("[S1-75] a tree counts as needing people if a person made a decision in it; an expired question does not count", () => {
  const treesAfter = (decision: "approve" | "expire") =>
    overTime([...lead, ...coder, ...journal("c1", [2 * HOUR, decisionEvent(decision)])]).trees;
  expect(treesAfter("approve")).toMatchObject({ completed: 1, withoutPeople: 0 });
  expect(treesAfter("expire")).toMatchObject({ completed: 1, withoutPeople: 1 });
});

test("events before the start of a report supply the names of agents and models, but are not counted", () => {
  const { spent, runs, trees } = overTime([...lead, ...coder], { since: 2 * HOUR + 350 });
  expect(spent).toMatchObject([{ from: 2 * HOUR + 350, agent: "lead", model: "a/big", turns: 1 }]);
  expect(runs).toMatchObject([{ started: 0, completed: 2 }]);
  expect(trees.depths).toEqual([]);
});

test("a report can begin at a run that has a parent", () => {
  expect(overTime(coder).trees).toMatchObject({ completed: 0 });
  expect(overTime(coder, { top: "c1" }).trees).toMatchObject({ completed: 1, withoutPeople: 1 });
});

test("[S1-75] the estimate for a single agent assumes that the agent reads the whole conversation in each turn", () => {
  const turn = (run: string, at: number, call: string, input: number, output: number, cost: number) =>
    journal(
      run,
      [at, modelCallStarted(call, { model: "a/big" })],
      [at + 1, agentThought(call, { usage: { input, output }, cost, ms: 1 })],
    );
  const events = [
    ...journal("r1", [0, runStarted({ agent: "lead", rootRunId: "r1" })]),
    ...turn("r1", 1, "m1", 100, 10, 11),
    ...journal("c1", [3, runStarted({ agent: "reviewer", rootRunId: "r1", parentRunId: "r1", depth: 1 })]),
    ...turn("c1", 4, "m1", 80, 20, 1),
    ...turn("c1", 6, "m2", 130, 5, 1),
    ...turn("r1", 8, "m2", 120, 10, 13),
    ...journal("c1", [9, runEnded()]),
    ...journal("r1", [10, runEnded()]),
  ];
  // A single agent would read 100 tokens, then 110, then 130 plus 30 new tokens, then 165 plus 10 new tokens.
  const singleTokens = 100 + 10 + (110 + 20) + (160 + 5) + (175 + 10);
  expect(overTime(events).trees).toMatchObject({
    reviewed: 1,
    reviews: 1,
    together: { trees: 1, tokens: 475, cost: 26, singleTokens, singleCost: (singleTokens * 24) / 240 },
  });
  expect(overTime(lead).trees.together, "one run is no comparison").toMatchObject({ trees: 0, tokens: 0 });
});

test("folding a tree in stored parts gives the same result as one fold; once the tree has ended, no open state is stored", () => {
  const events = [...lead, ...coder].toSorted((a, b) => a.ts - b.ts);
  const whole = events.reduce((tree, event) => applyTreeUsage(tree, event), emptyTreeUsage("r1"));
  const kept = events.reduce(
    (tree, event) => applyTreeUsage(JSON.parse(JSON.stringify(tree)), event),
    emptyTreeUsage("r1"),
  );
  expect(kept).toEqual(whole);
  expect(whole.open).toBeUndefined();
  expect(whole.baseline.last).toEqual({});
});
