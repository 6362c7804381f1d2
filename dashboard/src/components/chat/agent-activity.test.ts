import { expect, test } from "vitest";
import type { JournalEvent } from "../../../../src/journal/events.ts";
import { initialRow } from "../../../../src/projections/folds/run-row.ts";
import { timelineProjection } from "../../../../src/projections/views/timeline.ts";
import type { RunJournal } from "../../live/tree-journal.ts";
import { agentActivity } from "./agent-activity.ts";

const START = { agent: "lead", task: "help", kind: "main", trigger: "api", workspace: "/w" };

function journal(): { run: RunJournal; add(type: string, payload: object): void } {
  const row = initialRow("r1", START as never, 0);
  const run: RunJournal = {
    open: new Set(),
    refused: 0,
    ...{ row, events: [], children: [], streaming: new Map(), gaps: false },
    timeline: timelineProjection.initial(),
  };
  let seq = 0;
  return {
    run,
    add(type, payload) {
      seq++;
      run.events.push({
        runId: "r1",
        seq,
        position: seq,
        ts: seq,
        key: "",
        type,
        payload,
      } as never as JournalEvent);
    },
  };
}

test("[S4-31] [S4-35] [S4-36] an agent's state and detail text are computed from its journal", () => {
  const { run, add } = journal();
  add("RUN_STARTED", START);
  add("MODEL_CALL_STARTED", { callId: "c", model: "m" });
  expect(agentActivity(run)).toMatchObject({ state: "model_loading", detail: "Waiting for m" });
  add("TOOL_PROPOSED", { toolCallId: "t", name: "Read", verdict: "allow" });
  add("TOOL_STARTED", { toolCallId: "t" });
  expect(agentActivity(run)).toMatchObject({ state: "calling_tool", detail: "Calling Read" });
  add("RUN_COMPLETED", { stopReason: "final_answer", summary: "Done." });
  expect(agentActivity(run)).toMatchObject({ state: "idle", detail: "Done" });
});

test("[S4-43] a message stays in the queue until the agent's next turn", () => {
  const { run, add } = journal();
  add("RUN_STARTED", START);
  add("MODEL_CALL_STARTED", { callId: "c", model: "m", purpose: "turn" });
  add("CONTEXT_ADDED", { id: "x", source: "person", from: "maria", text: "and the tests" });
  expect(agentActivity(run).queue).toMatchObject([{ from: "maria", text: "and the tests" }]);
  add("MODEL_CALL_STARTED", { callId: "d", model: "m", purpose: "turn" });
  expect(agentActivity(run).queue).toEqual([]);
});
