import { expect, test } from "vitest";
import { RUN_STATUSES } from "../../journal/events.ts";
import {
  agentThought,
  buildJournal,
  contextAdded,
  modelCallStarted,
  runEnded,
  runStarted,
  runSuspended,
  toolProposed,
  toolResult,
} from "../../stores/contract/kit.contract.ts";
import { foldRow } from "../folds/run-row.ts";
import { agentMessages, agentRunRecord } from "./agent-records.ts";

const call = { type: "tool-call" as const, toolCallId: "call_0", toolName: "Bash", input: { command: "ls" } };

const journal = buildJournal(
  runStarted({ input: { n: 1 }, criteria: "it runs", sessionId: "s1", kind: "subagent", parentRunId: "r0" }),
  modelCallStarted("m1"),
  agentThought("m1", { content: [{ type: "text", text: "I look." }, call] }),
  toolProposed("m1.0"),
  { type: "TOOL_STARTED", payload: { toolCallId: "m1.0", host: "h", pid: 77 } },
  toolResult("m1.0", "a.txt"),
  modelCallStarted("m2", { purpose: "summary" }),
  agentThought("m2"),
  contextAdded("x", "Hurry."),
  runEnded("RUN_FAILED", "It did not work."),
);

test("[S1-57] the messages of a run are the messages to and from its agent, in order", () => {
  const messages = agentMessages(journal);
  expect(messages.map(({ id, role, content }) => [id, role, content])).toEqual([
    ["r1/1", "user", [{ type: "text", text: "Mend the service" }]],
    [
      "r1/3",
      "assistant",
      [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "m1.0", name: "Bash", input: { command: "ls" } },
      ],
    ],
    ["r1/6", "user", [{ type: "tool_result", tool_use_id: "m1.0", content: "a.txt", is_error: false }]],
    ["r1/9", "user", [{ type: "text", text: "Hurry." }]],
  ]);
  expect(messages[0]).toMatchObject({ agentSessionId: "r1", createdAt: "2023-11-14T22:13:20.000Z" });
});

test("[S4-27] every status maps to a status of S4", () => {
  const row = foldRow(buildJournal(runStarted()));
  const words = RUN_STATUSES.map((status) => [status, agentRunRecord({ ...row, status }).status]);
  expect(words).toEqual([
    ["pending", "running"],
    ["running", "running"],
    ["waiting", "running"],
    ["suspended", "running"],
    ["completed", "completed"],
    ["failed", "failed"],
    ["cancelled", "cancelled"],
  ]);
});

test("[S4-21] … [S4-30] a run is converted to a record of S4", () => {
  expect(agentRunRecord(foldRow(journal))).toEqual({
    run_id: "r1",
    repo_path: "/w",
    session_id: "s1",
    agent_id: "coder",
    agent_kind: "subagent",
    parent_run_id: "r0",
    status: "failed",
    detail: "It did not work.",
    started_at: 1_700_000_000_001,
    ended_at: 1_700_000_000_009,
  });
  const waiting = foldRow(buildJournal(runStarted(), runSuspended("s1", { kind: "outcome_unknown" })));
  expect(agentRunRecord(waiting)).toEqual({
    run_id: "r1",
    repo_path: "/w",
    session_id: "r1",
    agent_id: "coder",
    agent_kind: "main",
    status: "running",
    detail: "waiting: outcome unknown",
    started_at: 1_700_000_000_000,
  });
  expect(agentRunRecord(foldRow(buildJournal(runStarted())))).not.toHaveProperty("detail");
});
