import { expect, test } from "vitest";
import type { RunRow } from "../folds/run-row.ts";
import { talliesByAgent, talliesByVersion } from "./agent-tallies.ts";
import { emptyUsage } from "./run-usage.ts";

const row = (over: Partial<RunRow>): RunRow =>
  ({
    agent: "coder",
    definition: "v1",
    status: "completed",
    turns: 2,
    createdAt: 1,
    usage: { ...emptyUsage(), input: 10, output: 5, cost: 1 },
    ...over,
  }) as RunRow;

test("[U53] runs are grouped by their pinned definition, and the most recently used definition comes first", () => {
  const rows = [
    row({ definition: "v2", createdAt: 30, status: "failed" }),
    row({ definition: "v2", createdAt: 20 }),
    row({ createdAt: 10, status: "cancelled" }),
  ];
  expect(talliesByVersion(rows)).toMatchObject([
    {
      definition: "v2",
      runs: 2,
      completed: 1,
      failed: 1,
      successRate: 0.5,
      tokens: 30,
      cost: 2,
      firstAt: 20,
      lastAt: 30,
    },
    { definition: "v1", runs: 1, cancelled: 1, successRate: null, turns: 2 },
  ]);
});

test("[S4-59] a run that has not ended counts neither as a success nor as a failure of its agent", () => {
  const rows = [row({}), row({ agent: "lead", status: "suspended" })];
  expect(talliesByAgent(rows)).toMatchObject([
    { agent: "coder", runs: 1, successRate: 1 },
    { agent: "lead", runs: 1, completed: 0, failed: 0, successRate: null },
  ]);
  expect(talliesByAgent([])).toEqual([]);
});
