import { expect, test } from "vitest";
import { type EventBody, type JournalEvent, keyOf } from "../../journal/events.ts";
import {
  agentThought,
  modelCallFailed,
  modelCallStarted,
  runSuspended,
  startPayload,
} from "../../stores/contract/kit.contract.ts";
import { fold } from "../projection.ts";
import { budgetRiver, remainingBudget } from "./budget-river.ts";
import { runBudgetProjection } from "./run-budget.ts";

const LIMITS = { ...startPayload().limits, tree: { maxCost: 4 } };

function river(...bodies: [string, EventBody][]) {
  const journals = new Map<string, JournalEvent[]>();
  for (const [index, [runId, body]] of bodies.entries()) {
    const journal = journals.get(runId) ?? [];
    const place = { runId, seq: journal.length + 1, position: index + 1, ts: index };
    journal.push({ ...place, type: body.type, key: keyOf(body), payload: body.payload } as JournalEvent);
    journals.set(runId, journal);
  }
  const budgets = new Map([...journals].map(([id, events]) => [id, fold(runBudgetProjection, events)]));
  return budgetRiver(budgets, "r1");
}

const starts = (runId: string, parentRunId?: string, more: object = {}): [string, EventBody] => [
  runId,
  {
    type: "RUN_STARTED",
    payload: startPayload({ limits: LIMITS, ...(parentRunId ? { parentRunId } : {}), ...more }),
  },
];

const set = (key: string, limits: object, scope?: "tree"): EventBody => ({
  type: "BUDGET_SET",
  payload: { limits, by: "ann", ...(scope ? { scope } : {}) },
  key,
});

test("[U35] [U36] each run shows the amounts it spent, wasted and reserved, both alone and including its descendants", () => {
  const { nodes, limit, unpriced } = river(
    starts("r1"),
    ["r1", modelCallStarted("m1")],
    ["r1", agentThought("m1", { usage: { input: 90, output: 10 }, cost: 1 })],
    starts("c1", "r1"),
    starts("c2", "r1", { limits: { ...LIMITS, maxTokens: 500 } }),
    starts("c11", "c1"),
    ["c11", modelCallStarted("m1", { estimate: { tokens: 9, cost: 9 } })],
    ["c11", modelCallFailed("m1", { usage: { input: 20, output: 0 }, cost: 0.25 })],
    ["c11", modelCallStarted("m1", { attempt: 2, estimate: { tokens: 50, cost: 0.5 } })],
    ["c2", modelCallStarted("m1")],
    ["c2", agentThought("m1", { usage: { input: 5, output: 5 }, cost: null })],
  );
  expect(nodes.map(({ runId, level }) => [runId, level])).toEqual([
    ["r1", 0],
    ["c1", 1],
    ["c11", 2],
    ["c2", 1],
  ]);
  const by = Object.fromEntries(nodes.map((node) => [node.runId, node]));
  expect(by["c11"]!.own).toEqual({
    spent: { tokens: 20, cost: 0.25 },
    wasted: { tokens: 20, cost: 0.25 },
    reserved: { tokens: 50, cost: 0.5 },
  });
  expect(by["c1"]!.own.spent).toEqual({ tokens: 0, cost: 0 });
  expect(by["c1"]!.branch).toEqual({ ...by["c11"]!.own, runs: 2 });
  expect(by["r1"]!.branch.spent).toEqual({ tokens: 130, cost: 1.25 });
  expect(by["r1"]!.branch.runs).toBe(4);
  expect([limit, unpriced]).toEqual([{ maxCost: 4 }, 1]);
  expect(remainingBudget(by["r1"]!.branch, limit)).toEqual({ tokens: undefined, cost: 2.25 });
  expect(remainingBudget(by["c2"]!.own, by["c2"]!.limit)).toEqual({ tokens: 490, cost: undefined });
});

test("[U36] the latest budget change applies, whichever journal records it", () => {
  const { nodes, limit } = river(
    starts("r1"),
    starts("c1", "r1"),
    ["c1", set("a", { maxTokens: 700 })],
    ["c1", set("b", { maxTokens: 9_000 }, "tree")],
    ["r1", set("c", { maxCost: 7 }, "tree")],
    ["c1", set("c", { maxCost: 7 }, "tree")],
    ["r1", set("d", { maxTokens: 8_000 }, "tree")],
    ["c1", runSuspended("f", { kind: "paused", frozen: ["c1"] })],
  );
  expect(limit).toEqual({ maxCost: 7, maxTokens: 8_000 });
  expect(nodes[1]).toMatchObject({ limit: { maxTokens: 700 }, frozen: ["c1"] });
});
