import { expect, test } from "vitest";
import type { EventBody, JournalEvent } from "../../journal/events.ts";
import { fold } from "../projection.ts";
import { type Answer, activityCounts, conversationProjection } from "./conversation.ts";

type Told = [type: EventBody["type"], payload: object];

const talk = (...told: Told[]) =>
  fold(
    conversationProjection,
    told.map(
      ([type, payload], index) =>
        ({
          type,
          payload,
          runId: "r",
          seq: index + 1,
          position: index + 1,
          ts: index * 1_000,
          key: `${index}`,
        }) as JournalEvent,
    ),
  );

const START: Told = ["RUN_STARTED", { agent: "lead", task: "Mend it", userId: "ann" }];
const ASK: Told = ["MODEL_CALL_STARTED", { callId: "m1", model: "m" }];
const thinks = (text: string, calls: [tool: string, input: object][] = [], callId = "m1"): Told => [
  "AGENT_THOUGHT",
  {
    callId,
    content: [
      { type: "text", text },
      ...calls.map(([toolName, input]) => ({ type: "tool-call", toolCallId: "x", toolName, input })),
    ],
    usage: { input: 1, output: 1 },
    cost: 0,
    ms: 1,
    finish: "stop",
  },
];
const runCompleted = (summary: string): Told => [
  "RUN_COMPLETED",
  { stopReason: "final_answer", summary, result: { status: "completed", summary } },
];
const kinds = ({ activity }: Answer) => activity.map((each) => each.kind);

test("[S4-55] [S4-56] all actions of an agent until it is done form one answer, in order", () => {
  const { messages } = talk(
    START,
    ASK,
    thinks("First I look.", [["Read", { path: "a.ts" }]]),
    ["TOOL_STARTED", { toolCallId: "m1.0" }],
    ["TOOL_RESULT", { toolCallId: "m1.0", output: "text" }],
    ["MODEL_CALL_STARTED", { callId: "m2", model: "m" }],
  );
  expect(messages.map(({ kind }) => kind)).toEqual(["heard", "answer"]);
  const answer = messages[1] as Answer;
  expect(answer).toMatchObject({ to: undefined, text: undefined });
  expect(answer.activity).toMatchObject([
    { kind: "thought", text: "First I look." },
    { kind: "call", words: "Read a.ts", state: "ok", startedAt: 3_000, endedAt: 4_000 },
  ]);
});

test("[S4-58] the end of a run sets the final text of the answer and keeps the earlier activity", () => {
  const { messages } = talk(
    START,
    ASK,
    thinks("I write.", [
      ["Write", { path: "a" }],
      ["final_report", { summary: "Done." }],
    ]),
    ["TOOL_STARTED", { toolCallId: "m1.0" }],
    ["TOOL_RESULT", { toolCallId: "m1.0", output: "", files: [{ path: "a", change: "created" }] }],
    ["TOOL_RESULT", { toolCallId: "m1.1", output: "" }],
    runCompleted("Done."),
  );
  const answer = messages[1] as Answer;
  expect(answer.text).toBe("Done.");
  expect(activityCounts(answer)).toEqual({ tools: 1, files: 1, ms: 5_000 });
});

test("[S4-58] the final text is not shown twice", () => {
  const answer = talk(START, ASK, thinks("Forty-two."), runCompleted("Forty-two.")).messages[1] as Answer;
  expect(answer).toMatchObject({ text: "Forty-two.", activity: [] });
});

test("[S2-78] a child is shown in place of the call that started it", () => {
  const child = { child_run_id: "c", agent_type: "worker", task: "t", trigger: "delegation", key: "m1.0" };
  const answer = talk(START, ASK, thinks("", [["delegate", {}]]), ["CHILD_RUN_STARTED", child])
    .messages[1] as Answer;
  expect(answer.activity).toMatchObject([
    { kind: "call", isReplaced: true },
    { kind: "child", runId: "c", agent: "worker" },
  ]);
});

test("[S4-55] a person's message ends one answer and begins the next; a runtime message becomes part of the answer", () => {
  const { messages } = talk(
    START,
    ASK,
    thinks("Here it is."),
    ["CONTEXT_ADDED", { id: "1", source: "system", text: "One turn left." }],
    ["CONTEXT_ADDED", { id: "2", source: "person", from: "bob", text: "Also the docs" }],
    ["MODEL_CALL_STARTED", { callId: "m2", model: "m" }],
    thinks("The docs.", [], "m2"),
  );
  expect(messages.map((message) => (message.kind === "heard" ? message.from : kinds(message)))).toEqual([
    "ann",
    ["thought", "note"],
    "bob",
    ["thought"],
  ]);
});

test("[29.12] a message that arrives while the agent writes is shown below the answer, which keeps its place", () => {
  const { messages, current } = talk(
    START,
    ASK,
    ["CONTEXT_ADDED", { id: "2", source: "person", from: "bob", text: "Also the docs" }],
    thinks("Here it is.", [["Read", { path: "a.ts" }]]),
    ["MODEL_CALL_STARTED", { callId: "m2", model: "m" }],
    thinks("The docs.", [], "m2"),
  );
  expect(messages.map((message) => (message.kind === "heard" ? message.from : kinds(message)))).toEqual([
    "ann",
    ["thought", "call"],
    "bob",
    ["thought"],
  ]);
  expect(current).toBe(messages[3]);
});

test("[U11] an approved call shows who approved it, and a failed report is shown", () => {
  const answer = talk(
    START,
    ASK,
    thinks("", [
      ["Bash", { command: "ls" }],
      ["final_report", {}],
    ]),
    [
      "TOOL_PROPOSED",
      { toolCallId: "m1.0", name: "Bash", effect: "unsafe", verdict: "ask", rule: "preset", preview: "ls" },
    ],
    ["APPROVAL_DECIDED", { itemId: "m1.0~2", decision: "reject", by: "ann", note: "no" }],
    ["TOOL_RESULT", { toolCallId: "m1.0", output: "", outcome: "denied", isError: true }],
    ["TOOL_RESULT", { toolCallId: "m1.1", output: "wrong", isError: true }],
  ).messages[1] as Answer;
  expect(answer.activity).toMatchObject([
    { state: "denied", preview: "ls", decision: { by: "ann", decision: "reject", note: "no" } },
    { state: "error", isReplaced: false },
  ]);
});
