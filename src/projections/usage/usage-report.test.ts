import { expect, test } from "vitest";
import type { EventBody, JournalEvent, ResultEnvelope } from "../../journal/events.ts";
import {
  agentThought,
  buildJournal,
  modelCallFailed,
  modelCallStarted,
  runEnded,
  runStarted,
  toolResult,
  toolStarted,
} from "../../stores/contract/kit.contract.ts";
import { emptyUsage } from "./run-usage.ts";
import { applyTreeUsage, emptyTreeUsage } from "./tree-usage.ts";
import { createUsageReport } from "./usage-report.ts";

/** The journal of one run, with events one millisecond apart. */
const journal = (runId: string, from: number, ...events: EventBody[]): JournalEvent[] =>
  buildJournal(...events).map((event) => ({ ...event, runId, ts: from + event.seq - 1 }));

const reportOf = (events: readonly JournalEvent[], since?: number) => {
  const report = createUsageReport({ since });
  report.add(events.reduce((tree, event) => applyTreeUsage(tree, event, 1), emptyTreeUsage("r1")));
  return report.view();
};

const childStarted = (child: string, agent: string): EventBody => ({
  type: "CHILD_RUN_STARTED",
  payload: { child_run_id: child, agent_type: agent, task: "x", trigger: "delegation", key: child },
});

const childEnded = (child: string, status: ResultEnvelope["status"]): EventBody => {
  const { result } = (runEnded() as Extract<EventBody, { type: "RUN_COMPLETED" }>).payload;
  return {
    type: "CHILD_RUN_COMPLETED",
    payload: {
      child_run_id: child,
      success: status === "completed",
      summary: "x",
      key: child,
      result: { ...result, status },
      usage: { input: 10, output: 5 },
      cost: 0.25,
    },
  };
};

const lead = journal(
  "r1",
  100,
  runStarted({ agent: "lead" }),
  modelCallStarted("m1", { model: "a/big" }),
  modelCallFailed("m1", { usage: { input: 8, output: 0 }, cost: 0.5, ms: 1 }),
  modelCallStarted("m1", { model: "b/small", attempt: 2 }),
  agentThought("m1", { attempt: 2, cost: null }),
  childStarted("c1", "coder"),
  childEnded("c1", "completed"),
  runEnded(),
);
const coder = journal(
  "c1",
  200,
  runStarted({ agent: "coder", parentRunId: "r1" }),
  modelCallStarted("m1", { model: "a/big" }),
  agentThought("m1", { cost: 2 }),
  toolStarted("m1.0"),
  toolResult("m1.0"),
  runEnded(),
);

test("[S1-70] [S2-94] each model call counts once for its agent and once for its model", () => {
  expect(reportOf([...lead, ...coder])).toEqual({
    byAgent: [
      {
        ...emptyUsage(),
        agent: "coder",
        runs: 1,
        input: 10,
        output: 5,
        cost: 2,
        modelCalls: 1,
        toolCalls: 1,
        activeMs: 3,
        p50: 3,
        p95: 3,
      },
      {
        ...emptyUsage(),
        agent: "lead",
        runs: 1,
        input: 18,
        output: 5,
        cost: 0.5,
        unpriced: 1,
        modelCalls: 1,
        wastedCalls: 1,
        wastedCost: 0.5,
        toolCalls: 1,
        activeMs: 4,
        p50: 4,
        p95: 4,
      },
    ],
    byModel: [
      expect.objectContaining({ model: "a/big", cost: 2.5, modelCalls: 1, wastedCalls: 1, input: 18 }),
      expect.objectContaining({ model: "b/small", cost: 0, unpriced: 1, modelCalls: 1, input: 10 }),
    ],
    byEdge: [
      { from: "lead", to: "coder", started: 1, succeeded: 1, failed: 0, cancelled: 0, successRate: 1 },
    ],
    byTree: [
      expect.objectContaining({
        runId: "r1",
        agent: "lead",
        end: "completed",
        runs: 2,
        cost: 2.5,
        input: 28,
      }),
    ],
    trees: 1,
    byPerson: [expect.objectContaining({ trees: 1, runs: 2, cost: 2.5, modelCalls: 2 })],
  });
});

test("[29.17] trees and people are listed with their own usage, the most expensive first", () => {
  const report = createUsageReport({});
  const costs = [1, 30, 2];
  for (const [index, cost] of costs.entries()) {
    const run = `r${index}`;
    const events = journal(
      run,
      1,
      runStarted({
        agent: "lead",
        task: `Task ${index}\nwith details`,
        ...(index < 2 ? { userId: "ann" } : {}),
      }),
      modelCallStarted("m1", { model: "a/big" }),
      agentThought("m1", { cost, ms: 1_000 * (index + 1) }),
      runEnded(),
    );
    report.add(events.reduce((tree, event) => applyTreeUsage(tree, event), emptyTreeUsage(run)));
  }
  const { byTree, byPerson, byModel, byAgent } = report.view();
  expect(byTree.map(({ runId, task, user, cost }) => [runId, task, user, cost])).toEqual([
    ["r1", "Task 1", "ann", 30],
    ["r2", "Task 2", undefined, 2],
    ["r0", "Task 0", "ann", 1],
  ]);
  expect(byPerson.map(({ user, trees, cost }) => [user, trees, cost])).toEqual([
    ["ann", 2, 31],
    [undefined, 1, 2],
  ]);
  for (const { p50, p95 } of [byModel[0]!, byAgent[0]!]) {
    expect(p50).toBeGreaterThan(1_880);
    expect(p50).toBeLessThan(2_120);
    expect(p95).toBeGreaterThan(2_830);
    expect(p95).toBeLessThan(3_170);
  }
});

test("whether journals are folded one after another or interleaved, calls of different runs are never confused", () => {
  const mixed = [...lead, ...coder].toSorted((a, b) => a.seq - b.seq);
  expect(reportOf(mixed)).toEqual(reportOf([...lead, ...coder]));
});

test("[S2-93] the success rate ignores cancelled and unfinished runs", () => {
  const events = journal(
    "r1",
    0,
    runStarted({ agent: "lead" }),
    ...["c1", "c2", "c3", "c4", "c5"].map((child) => childStarted(child, "coder")),
    childStarted("c6", "tester"),
    childEnded("c1", "completed"),
    childEnded("c2", "failed"),
    childEnded("c3", "completed"),
    childEnded("c4", "cancelled"),
  );
  expect(reportOf(events).byEdge).toEqual([
    { from: "lead", to: "coder", started: 5, succeeded: 2, failed: 1, cancelled: 1, successRate: 2 / 3 },
    { from: "lead", to: "tester", started: 1, succeeded: 0, failed: 0, cancelled: 0, successRate: null },
  ]);
});

test("a report that begins at a given time takes the names of agents and models from earlier events", () => {
  const thoughtOfLead = lead[4]!.ts;
  expect(reportOf(lead, thoughtOfLead)).toMatchObject({
    byAgent: [{ agent: "lead", runs: 0, modelCalls: 1, wastedCalls: 0 }],
    byModel: [{ model: "b/small", modelCalls: 1 }],
    byEdge: [{ to: "coder", started: 1, succeeded: 1 }],
  });
  expect(reportOf(lead, lead[6]!.ts), "of a delegation the start decides").toEqual({
    byAgent: [],
    byModel: [],
    byEdge: [],
    byTree: [],
    trees: 0,
    byPerson: [],
  });
});

test("if a damaged journal does not name the agent, the spending is still counted", () => {
  const [, , , , answer] = lead;
  expect(reportOf([answer!])).toMatchObject({
    byAgent: [{ agent: "unknown", modelCalls: 1 }],
    byModel: [{ model: "unknown", modelCalls: 1 }],
  });
});
