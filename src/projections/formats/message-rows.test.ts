import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventBody, JournalEvent, Payload } from "../../journal/events.ts";
import {
  agentThought,
  buildJournal,
  contextAdded,
  modelCallFailed,
  modelCallStarted,
  runEnded,
  runStarted,
  toolProposed,
  toolResult,
} from "../../stores/contract/kit.contract.ts";
import { fold } from "../projection.ts";
import { applyMessages, messagesProjection } from "./message-rows.fixture.ts";
import type { MessageRow } from "./message-rows.ts";
import { childrenOf, messageTree } from "./message-tree.fixture.ts";

const rowsOf = (journal: JournalEvent[]): MessageRow[] => [
  ...fold(messagesProjection, journal).rows.values(),
];
const messagesOf = (...events: EventBody[]) =>
  rowsOf(buildJournal(runStarted({ sessionId: "s1" }), ...events));
const metadata = (row: MessageRow | undefined) => JSON.parse(row!.metadata_json);

const call = { type: "tool-call" as const, toolCallId: "call_0", toolName: "Write", input: { path: "a" } };
const turn = (callId: string, more: Partial<Payload<"AGENT_THOUGHT">> = {}) => [
  modelCallStarted(callId),
  agentThought(callId, more),
];

describe("one row for each model call", () => {
  test("[S2-1] a row of a model call has every column that the specification requires", () => {
    const [first, last] = messagesOf(
      ...turn("m1", { content: [{ type: "text", text: "I write." }, call], ms: 12 }),
      toolProposed("m1.0", { name: "Write" }),
      {
        type: "TOOL_RESULT",
        payload: { toolCallId: "m1.0", output: "ok", files: [{ path: "a", change: "created" }] },
      },
      ...turn("m2"),
      runEnded(),
    );
    expect(first).toEqual({
      id: 2,
      session_id: "s1",
      parent_message_id: null,
      started_at: "2023-11-14T22:13:20.001Z",
      completed_at: "2023-11-14T22:13:20.002Z",
      duration_ms: 1,
      agent_role: "coder",
      agent_depth: 0,
      model_id: "fake/one",
      system_prompt_id: "d1",
      request_type: "prompt",
      request_content: "Mend the service",
      context_mode: null,
      context_token_count: null,
      response_content: "I write.",
      response_summary: null,
      tool_calls_json: '[{"id":"m1.0","name":"Write","input":{"path":"a"}}]',
      files_modified_json: '["a"]',
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      iteration_count: 1,
      max_iterations: 100,
      max_duration_ms: 1_800_000,
      bailout_reason: null,
      status: "completed",
      error_message: null,
      metadata_json: '{"run_id":"r1","call_id":"m1","cost":0.25,"finish":"stop"}',
    });
    expect(last).toMatchObject({
      id: 6,
      request_type: "tool_call",
      request_content: "[result of Write] ok",
      response_summary: "It works.",
      tool_calls_json: null,
      files_modified_json: null,
      iteration_count: 2,
    });
    expect(metadata(last)).toMatchObject({ stop_reason: "final_answer" });
  });

  test("[S2-11] a person's later message and a retry of a run are marked as continuations", () => {
    const later = messagesOf(...turn("m1"), contextAdded("x", "And the log?"), modelCallStarted("m2"));
    expect(later.at(-1)).toMatchObject({ request_type: "continuation", request_content: "And the log?" });
    const [retried] = rowsOf(buildJournal(runStarted({ trigger: "retry" }), modelCallStarted("m1")));
    expect(retried).toMatchObject({ request_type: "continuation" });
    const [withInput] = rowsOf(buildJournal(runStarted({ input: { n: 1 } }), modelCallStarted("m1")));
    expect(withInput?.request_content).toContain('"n":1');
  });

  test("[J11] a message that arrives during a call is part of the next call's request", () => {
    const rows = messagesOf(
      modelCallStarted("m1"),
      contextAdded("late", "Wait!"),
      agentThought("m1"),
      modelCallStarted("m2"),
    );
    expect(rows.map(({ request_content }) => request_content)).toEqual(["Mend the service", "Wait!"]);
  });

  test("each attempt of a call has its own row, with the same request", () => {
    const rows = messagesOf(
      modelCallStarted("m1"),
      modelCallFailed("m1", { cause: "timeout", message: "silence", ms: 9, usage: { input: 3, output: 0 } }),
      modelCallStarted("m1", { attempt: 2 }),
      agentThought("m1", { attempt: 2 }),
    );
    expect(rows).toMatchObject([
      { status: "timeout", error_message: "silence", duration_ms: 1, total_tokens: 3, iteration_count: 0 },
      { status: "completed", error_message: null, request_type: "prompt", iteration_count: 1 },
    ]);
    expect(rows[0]!.request_content).toBe(rows[1]!.request_content);
    expect(metadata(rows[1])).toMatchObject({ attempt: 2 });
  });

  test("model calls that the runtime makes for itself have rows, but are not turns", () => {
    const rows = messagesOf(
      ...turn("m1", { content: [call] }),
      modelCallStarted("m2", { purpose: "brief" }),
      toolResult("m1.0"),
      agentThought("m2"),
      modelCallStarted("m3"),
    );
    expect(rows.map(({ iteration_count, request_type }) => [iteration_count, request_type])).toEqual([
      [1, "prompt"],
      [1, "continuation"],
      [2, "tool_call"],
    ]);
    expect(rows.map(({ status }) => status)).toEqual(["completed", "completed", "running"]);
    expect(metadata(rows[1])).toMatchObject({ purpose: "brief" });
  });
});

describe("[S2-25] [S2-26] the last row of a run shows how the run ended", () => {
  const end = (type: "RUN_COMPLETED" | "RUN_FAILED" | "RUN_CANCELLED", stopReason: string): EventBody => {
    const event = runEnded(type, "So be it.");
    return { ...event, payload: { ...event.payload, stopReason } } as EventBody;
  };
  test.each([
    ["RUN_COMPLETED", "final_answer", "completed", null, null],
    ["RUN_COMPLETED", "max_turns", "completed", "max_iterations", null],
    ["RUN_COMPLETED", "max_duration", "timeout", "timeout", null],
    ["RUN_FAILED", "max_duration", "timeout", "timeout", "So be it."],
    ["RUN_FAILED", "provider", "failed", "error", "So be it."],
    ["RUN_CANCELLED", "user", "completed", null, null],
  ] as const)(
    "[28.10] a run that ends with %s because of %s has the status %s and its reason in the last row",
    (type, stopReason, status, bailout_reason, error_message) => {
      const [row] = messagesOf(...turn("m1"), end(type, stopReason));
      expect(row).toMatchObject({
        status,
        bailout_reason,
        error_message,
        response_summary: "So be it.",
      });
    },
  );

  test.each([
    ["RUN_FAILED", "error", "failed"],
    ["RUN_FAILED", "max_duration", "timeout"],
    ["RUN_CANCELLED", "user", "cancelled"],
  ] as const)(
    "a call that is open when its run ends with %s (%s) gets the status %s",
    (type, stopReason, status) => {
      const events = [modelCallStarted("m1", { purpose: "summary" }), end(type, stopReason)];
      expect(messagesOf(...turn("m0"), ...events).at(-1)).toMatchObject({ status });
      expect(messagesOf(modelCallStarted("m1"), end(type, stopReason))[0]).toMatchObject({ status });
    },
  );

  test("a call that a cancel interrupts counts as cancelled; a call that a crash interrupts counts as failed", () => {
    const cancel: EventBody = { type: "CANCEL_REQUESTED", payload: { by: "maria" } };
    expect(messagesOf(modelCallStarted("m1"), cancel, modelCallFailed("m1"))[0]).toMatchObject({
      status: "cancelled",
    });
    const [crashed] = messagesOf(modelCallStarted("m1"), modelCallFailed("m1"));
    expect(crashed).toMatchObject({ status: "failed", duration_ms: 1, iteration_count: 0 });
  });
});

describe("[S2-3] [S2-13] [S2-75] [S2-76] rows of a tree", () => {
  test("a child's rows refer to the delegating call, and show the context that the child got", () => {
    const rows = rowsOf(tree());
    expect(rows.map(({ id, parent_message_id }) => [id, parent_message_id])).toEqual([
      [2, null],
      [8, 2],
      [11, null],
    ]);
    expect(rows[1]).toMatchObject({
      session_id: "r1",
      agent_depth: 1,
      request_type: "delegation",
      request_content: "Test it\n\nWhat was said before.",
      context_mode: "summary",
      context_token_count: 6,
    });
    expect(rows[2]).toMatchObject({ request_type: "tool_call" });
    expect(rows[2]!.request_content).toContain("It works.");
    expect(messageTree(rows.toReversed())).toEqual([
      { message: rows[0], children: [{ message: rows[1], children: [] }] },
      { message: rows[2], children: [] },
    ]);
    expect(childrenOf(rows, 2)).toEqual([rows[1]]);
    expect(
      messageTree(rows.slice(1)).map(({ message }) => message.id),
      "without its parent",
    ).toEqual([8, 11]);
  });

  test("a fold that stops at any event and continues from its stored state gives the same rows", () => {
    const journal = tree();
    fc.assert(
      fc.property(fc.nat({ max: journal.length }), (at) => {
        const first = fold(messagesProjection, journal.slice(0, at));
        const runs = new Map(JSON.parse(JSON.stringify([...first.runs])));
        const rest = journal.slice(at).reduce(applyMessages, { rows: new Map(), runs } as typeof first);
        expect([...new Map([...first.rows, ...rest.rows]).values()]).toEqual(rowsOf(journal));
      }),
    );
  });
});

/** The events of r1 and its child c1 in commit order: r1 delegates to c1, and c1 answers. */
function tree(): JournalEvent[] {
  const child = runStarted({
    parentRunId: "r1",
    parentKey: "m1.0",
    depth: 1,
    agent: "tester",
    task: "Test it",
  });
  const result = (runEnded().payload as Payload<"RUN_COMPLETED">).result;
  const bodies: [runId: string, event: EventBody][] = [
    ["r1", runStarted()],
    ["r1", modelCallStarted("m1")],
    ["r1", agentThought("m1", { content: [{ ...call, toolName: "delegate" }] })],
    ["r1", toolProposed("m1.0", { name: "delegate", context: "summary" })],
    [
      "r1",
      {
        type: "CHILD_RUN_STARTED",
        payload: { child_run_id: "c1", agent_type: "tester", task: "", trigger: "delegation", key: "m1.0" },
      },
    ],
    ["c1", child],
    [
      "c1",
      { type: "CONTEXT_ADDED", payload: { id: "parent", source: "parent", text: "What was said before." } },
    ],
    ["c1", modelCallStarted("m1")],
    ["c1", runEnded()],
    [
      "r1",
      {
        type: "CHILD_RUN_COMPLETED",
        payload: { child_run_id: "c1", success: true, summary: "It works.", key: "m1.0", result },
      },
    ],
    ["r1", modelCallStarted("m2")],
  ];
  const seqs = new Map<string, number>();
  return buildJournal(...bodies.map(([, event]) => event)).map((event, index) => {
    const runId = bodies[index]![0];
    const seq = (seqs.get(runId) ?? 0) + 1;
    seqs.set(runId, seq);
    return { ...event, runId, seq };
  });
}
