import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../journal/definition.ts";
import type { EventBody, JournalEvent } from "../../../journal/events.ts";
import { cellWidth } from "../screen.ts";
import { runStarted } from "../tree.fixture.ts";
import { createLiveTree } from "./live-tree.ts";
import { statusLine } from "./status-line.ts";

const limits = { ...DEFAULT_LIMITS, tree: { maxTokens: 200_000, maxCost: 5 } };
const thinking: EventBody = { type: "MODEL_CALL_STARTED", payload: { callId: "m1", model: "x/y" } };
const thought: EventBody = {
  type: "AGENT_THOUGHT",
  payload: {
    callId: "m1",
    content: [],
    usage: { input: 12_000, output: 0 },
    cost: 0.02,
    finish: "stop",
    ms: 1,
  },
};
const held: EventBody = {
  type: "RUN_SUSPENDED",
  payload: { waitingOn: { kind: "budget", items: ["budget/1"], detail: "The budget is used up." } },
};
const raised: EventBody = {
  type: "APPROVAL_DECIDED",
  payload: { itemId: "budget/1", decision: "approve", by: "ann", scope: "tree", limits: { maxCost: 8 } },
};

function status(happened: Record<string, EventBody[]>, cells = 200, hidden = 0): string {
  const tree = createLiveTree();
  for (const [runId, bodies] of Object.entries(happened))
    bodies.forEach((body, at) => {
      tree.apply({ runId, seq: at + 1, position: at, ts: 1_000, key: `k${at}`, ...body } as JournalEvent);
    });
  return statusLine([...tree.runs.values()], { now: 43_000, preset: "ask", hidden }, cells);
}

const lead = runStarted("lead", { limits });
const pen = runStarted("pen", { parentRunId: "r1", rootRunId: "r1" });

describe("[U51] the status line", () => {
  test("for one run, the status line shows the name, activity, time, preset, budget and turn", () => {
    expect(status({ r1: [lead, thinking] })).toBe(
      "lead · thinking · 42 s · preset ask · 0 of 200k tokens · $0.00 of $5.00 · turn 1/100",
    );
    const edits = runStarted("lead", { permissions: { preset: "edits", allow: [], ask: [], deny: [] } });
    expect(status({ r1: [edits, thinking] })).toContain(" · preset edits · 0 tokens · $0.00 · ");
    expect(status({ r1: [lead, held] })).toMatch(/^lead · needs you · preset ask/);
  });

  test("for a tree, the status line shows the number of hidden runs, how many runs need a person, the busiest run and the budget", () => {
    expect(status({ r1: [lead, thinking, thought], c1: [pen, held] }, 200, 3)).toBe(
      "… 3 more · 1 needs you · lead › pen · preset ask · 12k of 200k tokens · $0.02 of $5.00 · 2 runs: 1 at work · 42 s",
    );
  });

  test("after a person has raised the budget, the status line shows the new budget", () => {
    expect(status({ r1: [lead, thinking], c1: [pen, held, raised] })).toContain("$0.00 of $8.00");
  });

  test.each([20, 40, 60, 80])(
    "at a width of %d cells, the status line leaves out its least important parts",
    (cells) => {
      const line = status({ r1: [lead, thinking, thought], c1: [pen, held] }, cells, 3);
      expect(cellWidth(line)).toBeLessThanOrEqual(cells);
      expect(line).toContain("1 needs you".slice(0, cells - 13));
    },
  );
});
