import { expect, test } from "vitest";
import { RUN_STATUSES } from "../journal/events.ts";
import {
  callStarted,
  context,
  ended,
  journalOf,
  proposed,
  refold,
  started,
  suspended,
  thought,
  toolResult,
  toolStarted,
} from "../stores/contract/kit.contract.ts";
import { agentMessages, agentRunRecord, agentSession } from "./records.ts";

const call = { type: "tool-call" as const, toolCallId: "call_0", toolName: "Bash", input: { command: "ls" } };

const journal = journalOf(
  started({ input: { n: 1 }, criteria: "it runs", sessionId: "s1", kind: "subagent", parentRunId: "r0" }),
  callStarted("m1"),
  thought("m1", { content: [{ type: "text", text: "I look." }, call] }),
  proposed("m1.0"),
  { type: "TOOL_STARTED", payload: { toolCallId: "m1.0", host: "h", pid: 77 } },
  toolResult("m1.0", "a.txt"),
  callStarted("m2", { purpose: "summary" }),
  thought("m2"),
  context("x", "Hurry."),
  ended("RUN_FAILED", "It did not work."),
);

test("[S1-40] … [S1-54] a run as a session of S1", () => {
  expect(agentSession(refold(journal), journal)).toEqual({
    id: "r1",
    workspaceId: "/w",
    agentType: "coder",
    parentAgentId: "r0",
    childAgents: [],
    task: "Mend the service",
    context: { input: { n: 1 }, criteria: "it runs" },
    status: "FAILED",
    result: expect.objectContaining({ status: "failed", summary: "It did not work." }),
    errorMessage: "It did not work.",
    providerSessionId: "s1",
    processPid: null,
    model: "fake/one",
    promptTokens: 20,
    completionTokens: 10,
    turnCount: 1,
    createdAt: "2023-11-14T22:13:20.000Z",
    startedAt: "2023-11-14T22:13:20.001Z",
    completedAt: "2023-11-14T22:13:20.009Z",
  });
});

test("[S1-42] [S1-49] its children, and the process in which a call is under way", () => {
  const child = {
    child_run_id: "c1",
    agent_type: "x",
    task: "",
    trigger: "delegation" as const,
    key: "m1.1",
  };
  const open = [...journal.slice(0, 5), ...journalOf({ type: "CHILD_RUN_STARTED", payload: child })];
  expect(agentSession(refold(journal.slice(0, 5)), open)).toMatchObject({
    childAgents: ["c1"],
    processPid: 77,
    result: null,
    errorMessage: null,
    completedAt: null,
  });
  const admitted = journalOf(started());
  expect(agentSession(refold(admitted), admitted)).toMatchObject({
    parentAgentId: null,
    context: null,
    providerSessionId: null,
    model: null,
    startedAt: null,
  });
  const [first] = admitted;
  const unnamed = journalOf(started(), toolStarted("m1.0"));
  expect(agentSession(refold([first!]), unnamed).processPid).toBeNull();
});

test("[S1-57] what was said to the agent and by it, in order", () => {
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

test("[S1-56] [S4-27] every status has its word in both", () => {
  const row = refold(journalOf(started()));
  const words = RUN_STATUSES.map((status) => [
    status,
    agentSession({ ...row, status }, []).status,
    agentRunRecord({ ...row, status }).status,
  ]);
  expect(words).toEqual([
    ["pending", "PENDING", "running"],
    ["running", "RUNNING", "running"],
    ["waiting", "WAITING_CHILD", "running"],
    ["suspended", "RUNNING", "running"],
    ["completed", "COMPLETED", "completed"],
    ["failed", "FAILED", "failed"],
    ["cancelled", "CANCELLED", "cancelled"],
  ]);
});

test("[S4-21] … [S4-30] a run as S4's record", () => {
  expect(agentRunRecord(refold(journal))).toEqual({
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
  const waiting = refold(journalOf(started(), suspended("s1", { kind: "outcome_unknown" })));
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
  expect(agentRunRecord(refold(journalOf(started())))).not.toHaveProperty("detail");
});
