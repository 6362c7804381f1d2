import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type EventBody, type JournalEvent, keyOf } from "../../journal/events.ts";
import { readTree } from "../../stores/tree-file.ts";
import { type SpanRef, type TraceSpan, traceProjection } from "./trace-spans.ts";

type Told = [ts: number, type: EventBody["type"], payload: object];

const journal = (told: Told[]): JournalEvent[] =>
  told.map(([ts, type, payload], index) => {
    const key = type === "RUN_SUSPENDED" || type === "RUN_RESUMED" ? { key: `${index}` } : {};
    const body = { type, payload, ...key } as EventBody;
    return { ...body, runId: "r", seq: index + 1, position: index + 1, ts, key: keyOf(body) } as JournalEvent;
  });

/** The spans of all runs of a tree, in the order in which the spans ended. */
function spansOf(events: readonly JournalEvent[]): TraceSpan[] {
  const states = new Map<string, ReturnType<typeof traceProjection.initial>>();
  return events.flatMap((event) => {
    const state = traceProjection.apply(states.get(event.runId) ?? traceProjection.initial(), event);
    states.set(event.runId, state);
    return state.ended;
  });
}

const refOf = ({ runId, name }: SpanRef): string => `${runId} ${name}`;
const lines = (told: Told[]) =>
  spansOf(journal(told)).map(
    ({ name, parent, began, ended, lost }) =>
      `${name} in ${parent?.name} ${began.ts}-${ended.ts}${lost ? " lost" : ""}`,
  );

const START: Told = [0, "RUN_STARTED", { agent: "lead", task: "t", rootRunId: "r" }];
const asks = (ts: number, callId: string, over: object = {}): Told => [
  ts,
  "MODEL_CALL_STARTED",
  { callId, model: "m", ...over },
];
const thinks = (ts: number, callId: string): Told => [ts, "AGENT_THOUGHT", { callId, content: [] }];
const starts = (ts: number, attempt?: number): Told => [
  ts,
  "TOOL_STARTED",
  { toolCallId: "m1.0", ...(attempt ? { attempt } : {}) },
];
const ends: Told = [90, "RUN_COMPLETED", { summary: "", stopReason: "final_answer", result: {} }];

describe("the spans of a run", () => {
  test("[TR1] a step contains its model call with all attempts, its tool calls and waits, and lasts until the next step", () => {
    expect(
      lines([
        START,
        asks(10, "m1"),
        [20, "MODEL_CALL_FAILED", { callId: "m1", cause: "overloaded", message: "" }],
        asks(25, "m1", { attempt: 2 }),
        thinks(30, "m1"),
        [30, "RUN_SUSPENDED", { waitingOn: { kind: "approval", items: ["m1.0", "m1.1"] } }],
        [40, "APPROVAL_DECIDED", { itemId: "m1.0", decision: "approve", by: "ann" }],
        [45, "APPROVAL_DECIDED", { itemId: "m1.1", decision: "reject", by: "ann" }],
        starts(50),
        [60, "TOOL_RESULT", { toolCallId: "m1.0", output: "" }],
        asks(70, "m2"),
        thinks(80, "m2"),
        asks(81, "m3", { purpose: "summary" }),
        thinks(82, "m3"),
        ends,
      ]),
    ).toEqual([
      "model/m1/s in step/m1 10-20",
      "model/m1~2/s in step/m1 25-30",
      "wait/5 in step/m1 30-45",
      "tool/m1.0/s in step/m1 50-60",
      "step/m1 in run 10-70",
      "model/m2/s in step/m2 70-80",
      "model/m3/s in step/m2 81-82",
      "step/m2 in run 70-90",
      "run in undefined 0-90",
    ]);
  });

  test("[TR3] a span that a dead process left open ends when the next process finds it; a late result adds no span", () => {
    const before: Told[] = [START, asks(10, "m1"), thinks(20, "m1"), starts(21)];
    expect(
      lines([...before, starts(50, 2), [60, "TOOL_RESULT", { toolCallId: "m1.0", output: "" }]]),
    ).toEqual([
      "model/m1/s in step/m1 10-20",
      "tool/m1.0/s in step/m1 21-50 lost",
      "tool/m1.0~2/s in step/m1 50-60",
    ]);
    expect(
      lines([
        ...before,
        [50, "RUN_SUSPENDED", { waitingOn: { kind: "outcome_unknown", items: ["outcome/m1.0"] } }],
        [60, "OUTCOME_DECIDED", { toolCallId: "m1.0", verdict: "happened", by: "ann" }],
        [61, "TOOL_RESULT", { toolCallId: "m1.0", output: "" }],
      ]),
    ).toEqual([
      "model/m1/s in step/m1 10-20",
      "tool/m1.0/s in step/m1 21-50 lost",
      "wait/4 in step/m1 50-60",
    ]);
  });

  const golden = fileURLToPath(new URL("../../../test/golden", import.meta.url));
  test.each(globSync("**/*.cadre", { cwd: golden }))(
    "[TR1] [TR2] the spans of %s form one tree and have unique names",
    (file) => {
      const { events } = readTree(readFileSync(`${golden}/${file}`, "utf8"));
      const spans = spansOf(events.map(({ event }) => event));
      const refs = spans.map(refOf);
      expect(new Set(refs).size).toBe(refs.length);
      const isOver = spans.some(({ kind, parent }) => kind === "run" && !parent);
      const missing = spans.filter(({ parent }) => parent && !refs.includes(refOf(parent)));
      if (isOver) expect(missing).toEqual([]);
    },
  );
});
