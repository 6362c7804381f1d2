import { describe, expect, test } from "vitest";
import type { JournalEvent } from "../../../../src/journal/events.ts";
import { applyEvent, type RunJournal } from "../../live/run-journal.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { pastJournal } from "./use-moment.ts";

const START = {
  agent: "x",
  definition: "",
  kind: "main",
  depth: 0,
  trigger: "user",
  task: "t",
  mode: "auto",
};
const event = (position: number, runId: string, seq: number, type: string, payload: object): JournalEvent =>
  ({ runId, seq, position, ts: position * 1_000, type, key: `${seq}`, payload }) as unknown as JournalEvent;

const EVENTS = [
  event(1, "r1", 1, "RUN_STARTED", { ...START, rootRunId: "r1" }),
  event(2, "r1", 2, "MODEL_CALL_STARTED", { callId: "m1", model: "a/b" }),
  event(4, "r1", 3, "CHILD_RUN_STARTED", {
    child_run_id: "c1",
    agent_type: "y",
    task: "u",
    trigger: "delegation",
    key: "m1.0",
  }),
  event(5, "c1", 1, "RUN_STARTED", { ...START, rootRunId: "r1", parentRunId: "r1" }),
  event(7, "r1", 4, "RUN_COMPLETED", { stopReason: "final_answer", summary: "s", result: {} }),
];

function journalOf(): TreeJournal {
  const runs = new Map<string, RunJournal>();
  for (const each of EVENTS) applyEvent(runs, new Set(), each);
  return { runs, loaded: true, failure: undefined, version: 1, subscribe: () => () => {}, close: () => {} };
}

describe("[FK8] [U38] the tree at a past moment", () => {
  test.each([
    [1, { r1: "pending" }],
    [3, { r1: "running" }],
    [5, { r1: "running", c1: "pending" }],
    [9, { r1: "completed", c1: "pending" }],
  ])("at journal position %i the runs have the statuses %o", (position, expected) => {
    const { runs } = pastJournal(journalOf(), position);
    expect(Object.fromEntries([...runs].map(([id, { row }]) => [id, row.status]))).toEqual(expected);
  });

  test("computing a past moment does not change the current journal", () => {
    const journal = journalOf();
    pastJournal(journal, 2);
    expect(journal.runs.get("r1")!.row.status).toBe("completed");
    expect(journal.runs.size).toBe(2);
  });
});
