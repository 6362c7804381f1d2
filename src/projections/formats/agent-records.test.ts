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
import { agentMessages, agentRunRecord, agentSession } from "./agent-records.ts";

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

test("[28.8] [S1-40] … [S1-56] a run is converted to an AgentSession", () => {
  const parts = { first: journal[0], last: journal.at(-1), model: "sonnet", program: undefined };
  const row = { ...foldRow(journal), agent: "factory/log-analyzer" };
  expect(agentSession(row, parts)).toEqual({
    id: "r1",
    workspaceId: "/w",
    agentType: "LOG_ANALYZER",
    parentAgentId: "r0",
    task: "Mend the service",
    context: { n: 1 },
    status: "FAILED",
    result: expect.objectContaining({ status: "failed", summary: "It did not work." }),
    errorMessage: "It did not work.",
    claudeSessionId: null,
    claudeProcessPid: null,
    model: "sonnet",
    promptTokens: expect.any(Number),
    completionTokens: expect.any(Number),
    turnCount: 1,
    createdAt: "2023-11-14T22:13:20.000Z",
    startedAt: "2023-11-14T22:13:20.001Z",
    completedAt: "2023-11-14T22:13:20.009Z",
  });
  const program = {
    callId: "m1",
    command: "claude",
    sandbox: "none",
    host: "h",
    pid: 77,
    session: "abc",
  };
  expect(agentSession(row, { ...parts, last: undefined, program })).toMatchObject({
    claudeSessionId: "abc",
    claudeProcessPid: 77,
    result: null,
  });
});

test("[28.8] [S1-56] a session waits for a child only if its run does", () => {
  const row = foldRow(buildJournal(runStarted()));
  const parts = { first: undefined, last: undefined, model: "sonnet", program: undefined };
  const statusOf = (status: typeof row.status, kind?: "child" | "child_hitl" | "approval") =>
    agentSession({ ...row, status, waitingOn: kind && { kind } }, parts).status;
  expect(RUN_STATUSES.map((status) => statusOf(status))).toEqual([
    "PENDING",
    "RUNNING",
    "RUNNING",
    "RUNNING",
    "COMPLETED",
    "FAILED",
    "CANCELLED",
  ]);
  expect([statusOf("waiting", "child"), statusOf("suspended", "child_hitl")]).toEqual([
    "WAITING_CHILD",
    "WAITING_CHILD",
  ]);
  expect(statusOf("suspended", "approval")).toBe("RUNNING");
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
    started_at: 1_700_000_000_000,
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
    detail: "Outcome unknown: a person must say what happened",
    started_at: 1_700_000_000_000,
  });
  expect(agentRunRecord(foldRow(buildJournal(runStarted())))).not.toHaveProperty("detail");
});
