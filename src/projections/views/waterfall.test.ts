import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toolCallId } from "../../ids.ts";
import { type EventBody, type JournalEvent, keyOf } from "../../journal/events.ts";
import { fold } from "../projection.ts";
import { activityShares, criticalPath, type Lifetime } from "./critical-path.ts";
import { waterfallProjection } from "./waterfall.ts";

type Told = [ts: number, type: EventBody["type"], payload: object];

const journal = (told: Told[], runId = "run"): JournalEvent[] =>
  told.map(([ts, type, payload], index) => {
    const body = { type, payload, key: `${index}` } as EventBody;
    return { ...body, runId, seq: index + 1, position: index + 1, ts, key: keyOf(body) } as JournalEvent;
  });

const spans = (told: Told[], now = 1_000) =>
  fold(waterfallProjection, journal(told)).spans.map(({ activity, from, to = now }) => [activity, from, to]);

const START: Told = [0, "RUN_STARTED", { agent: "lead", task: "t" }];
const asks = (ts: number, callId = "m1"): Told => [ts, "MODEL_CALL_STARTED", { callId, model: "m" }];
const thinks = (ts: number, calls: string[] = [], callId = "m1"): Told => [
  ts,
  "AGENT_THOUGHT",
  {
    callId,
    content: calls.map((toolName) => ({ type: "tool-call", toolCallId: "x", toolName, input: {} })),
    usage: { input: 1, output: 1 },
    cost: 0,
    ms: 1,
    finish: "stop",
  },
];
const tool = (index: number) => toolCallId("m1", index);
const waits = (ts: number, kind: string, items?: string[]): Told => [
  ts,
  "RUN_SUSPENDED",
  { waitingOn: { kind, ...(items ? { items } : {}) } },
];
const ends = (ts: number): Told => [ts, "RUN_COMPLETED", { summary: "", stopReason: "final_answer" }];

describe("spans of a run", () => {
  test("[U08] [T3] queueing, model calls, tool calls and waits for people each get a span; the end of the run closes the last span", () => {
    expect(
      spans([
        START,
        asks(10),
        thinks(40, ["Bash"]),
        waits(41, "approval", [tool(0)]),
        [100, "APPROVAL_DECIDED", { itemId: tool(0), decision: "approve", by: "ann" }],
        [105, "TOOL_STARTED", { toolCallId: tool(0) }],
        [125, "TOOL_RESULT", { toolCallId: tool(0), output: "" }],
        asks(126, "m2"),
        thinks(150, [], "m2"),
        ends(150),
      ]),
    ).toEqual([
      ["queued", 0, 10],
      ["model", 10, 40],
      ["queued", 40, 41],
      ["person", 41, 100],
      ["queued", 100, 105],
      ["tool", 105, 125],
      ["queued", 125, 126],
      ["model", 126, 150],
    ]);
  });

  test("[U08] [T4] a model call that the next process found open counts as lost time; a stopped call does not", () => {
    const interruption = (ms?: number): Told => [
      90,
      "MODEL_CALL_FAILED",
      { callId: "m1", cause: "interrupted", message: "", ...(ms === undefined ? {} : { ms }) },
    ];
    expect(spans([START, asks(0), interruption(), asks(90, "m2")], 95)).toEqual([
      ["lost", 0, 90],
      ["model", 90, 95],
    ]);
    expect(spans([START, asks(0), interruption(90), ends(90)])).toEqual([["model", 0, 90]]);
  });

  test("[U08] [T4] a tool call that was repeated, or whose outcome is unknown, counts as lost time", () => {
    const begun: Told = [5, "TOOL_STARTED", { toolCallId: tool(0) }];
    const again: Told = [60, "TOOL_STARTED", { toolCallId: tool(0), attempt: 2 }];
    expect(spans([START, asks(0), thinks(5, ["Read"]), begun, again], 70)).toEqual([
      ["model", 0, 5],
      ["lost", 5, 60],
      ["tool", 60, 70],
    ]);
    expect(
      spans(
        [START, asks(0), thinks(5, ["Bash"]), begun, waits(60, "outcome_unknown", [`outcome/${tool(0)}`])],
        70,
      ),
    ).toEqual([
      ["model", 0, 5],
      ["lost", 5, 60],
      ["person", 60, 70],
    ]);
  });

  test("[U08] a wait for the provider lasts until the next model call", () => {
    const told: Told = [
      10,
      "MODEL_CALL_FAILED",
      { callId: "m1", cause: "rate_limit", message: "429", retryAt: 50, ms: 10 },
    ];
    expect(spans([START, asks(0), told, asks(50)], 60)).toEqual([
      ["model", 0, 10],
      ["provider", 10, 50],
      ["model", 50, 60],
    ]);
  });

  test("[U08] a wait for several children ends with the last child", () => {
    const child = (id: string): Told => [
      5,
      "CHILD_RUN_STARTED",
      { child_run_id: id, agent_type: "w", task: "", trigger: "delegation", key: id },
    ];
    const done = (ts: number, id: string): Told => [
      ts,
      "CHILD_RUN_COMPLETED",
      { child_run_id: id, success: true, summary: "", key: id, result: {} },
    ];
    expect(
      spans([
        START,
        asks(0),
        thinks(5),
        child("a"),
        child("b"),
        waits(6, "child", ["a", "b"]),
        done(50, "a"),
        done(80, "b"),
        ends(81),
      ]),
    ).toEqual([
      ["model", 0, 5],
      ["child", 5, 80],
      ["queued", 80, 81],
    ]);
  });

  test("[T3] for any journal, spans are contiguous and cover the whole run", () => {
    const ids = fc.constantFrom(tool(0), tool(1), "a", "b");
    const any = fc.oneof(
      fc.constant(asks(0)),
      fc.constant(thinks(0, ["Read", "Bash"])),
      fc
        .boolean()
        .map(
          (own): Told => [
            0,
            "MODEL_CALL_FAILED",
            { callId: "m1", cause: "interrupted", message: "", ...(own ? { ms: 1 } : {}) },
          ],
        ),
      ids.map((toolCallId): Told => [0, "TOOL_STARTED", { toolCallId }]),
      ids.map((toolCallId): Told => [0, "TOOL_RESULT", { toolCallId, output: "" }]),
      fc
        .tuple(
          fc.constantFrom("child", "approval", "outcome_unknown", "slot", "timer", "paused", "provider"),
          ids,
        )
        .map(([kind, id]) => waits(0, kind, [id])),
      fc.constant<Told>([0, "RUN_RESUMED", { by: "ann" }]),
      ids.map((itemId): Told => [0, "APPROVAL_DECIDED", { itemId, decision: "approve", by: "ann" }]),
      ids.map(
        (id): Told => [
          0,
          "CHILD_RUN_COMPLETED",
          { child_run_id: id, success: true, summary: "", key: id, result: {} },
        ],
      ),
    );
    const timed = fc.array(fc.tuple(any, fc.integer({ min: -5, max: 50 })), { maxLength: 40 });
    fc.assert(
      fc.property(timed, fc.boolean(), (steps, over) => {
        let now = 0;
        const told = steps.map(([[, type, payload], pause]): Told => {
          now += pause;
          return [now, type, payload];
        });
        const last = Math.max(0, ...told.map(([ts]) => ts));
        const found = spans([START, ...told, ...(over ? [ends(last)] : [])], last);
        expect(found.map(([, from]) => from)).toEqual(
          [0, ...found.slice(0, -1).map(([, , to]) => to)].slice(0, found.length),
        );
        expect(found.reduce((sum, [, from, to]) => sum + (to as number) - (from as number), 0)).toBe(last);
      }),
    );
  });
});

describe("the critical path", () => {
  const life = (
    from: number,
    to: number,
    children: string[],
    ...cuts: [number, "model" | "person" | "child"][]
  ): Lifetime => ({
    from,
    to,
    children,
    spans: cuts.map(([at, activity], index) => ({
      activity,
      from: at,
      to: cuts[index + 1]?.[0] ?? to,
      seq: index,
      label: "",
      ...(activity === "child" ? { below: true as const } : {}),
    })),
  });

  test("[U09] [T5] the critical path follows the child that ended last; before that child's start, it follows the child that worked until then", () => {
    const lives = new Map([
      ["root", life(0, 100, ["a", "b", "c"], [0, "model"], [10, "child"], [90, "model"])],
      ["a", life(10, 40, [], [10, "model"])],
      ["b", life(12, 30, [], [12, "model"])],
      ["c", life(40, 85, [], [40, "person"])],
    ]);
    const path = criticalPath(lives, "root");
    expect(path.map(({ runId, activity, from, to }) => `${runId} ${activity} ${from}-${to}`)).toEqual([
      "root model 0-10",
      "a model 10-40",
      "c person 40-85",
      "root child 85-90",
      "root model 90-100",
    ]);
    expect(activityShares(path).map(({ activity, share }) => [activity, share])).toEqual([
      ["model", 0.5],
      ["person", 0.45],
      ["child", 0.05],
    ]);
  });

  test("[U09] [T5] the critical path stays with the child that ends last, even if the parent gets a message in the meantime", () => {
    const lives = new Map([
      ["root", life(0, 90, ["a", "b"], [0, "child"], [30, "person"], [40, "child"])],
      ["a", life(0, 50, [], [0, "model"])],
      ["b", life(0, 90, [], [0, "model"])],
    ]);
    lives.get("root")!.spans.forEach((span) => {
      span.below = true;
    });
    expect(new Set(criticalPath(lives, "root").map(({ runId }) => runId))).toEqual(new Set(["b"]));
  });

  test("[U09] [T5] for any tree, the critical path is contiguous and as long as the run", () => {
    const tree = fc.array(fc.tuple(fc.nat(60), fc.nat(60), fc.nat(4)), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(tree, (runs) => {
        const lives = new Map<string, Lifetime>();
        runs.forEach(([from, long, waitAfter], index) => {
          const children = runs.flatMap((_, other) =>
            other > index && (other - 1) >> 1 === index ? [`r${other}`] : [],
          );
          const wait = from + Math.min(long, waitAfter);
          lives.set(`r${index}`, life(from, from + long, children, [from, "model"], [wait, "child"]));
        });
        const path = criticalPath(lives, "r0");
        const { from, to } = lives.get("r0")!;
        let at = from;
        for (const piece of path) {
          expect(piece.from).toBe(at);
          expect(piece.to).toBeGreaterThan(piece.from);
          at = piece.to;
        }
        expect(at).toBe(to);
      }),
    );
  });
});
