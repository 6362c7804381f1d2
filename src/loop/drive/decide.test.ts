import { describe, expect, test } from "vitest";
import { modelCallId, toolCallId } from "../../ids.ts";
import { DEFAULT_LIMITS, type Definition } from "../../journal/definition.ts";
import { type EventBody, type JournalEvent, keyOf, type Payload } from "../../journal/events.ts";
import type { Action } from "../../patterns/action.ts";
import { runStateProjection } from "../../projections/folds/run-state.ts";
import { transcriptProjection } from "../../projections/folds/transcript.ts";
import { fold } from "../../projections/projection.ts";
import { decide } from "./decide.ts";
import type { DecisionFacts } from "./decide-turn.ts";

const NOW = 1_700_000_000_000;
const FACTS: DecisionFacts = { now: NOW, contextWindow: 100_000, readsResults: true };

const definition: Definition = {
  name: "tester",
  description: "tests",
  kind: "main",
  models: ["a/one", "b/two"],
  prompt: "You test.",
  tools: { ask: [], deny: [] },
  permissions: { ask: [], deny: [] },
  agents: [],
  limits: {},
  source: { file: "tester.md", hash: "h" },
};

const start = (more: Partial<Payload<"RUN_STARTED">> = {}): EventBody => ({
  type: "RUN_STARTED",
  payload: {
    agent: "tester",
    definition: "h",
    kind: "main",
    depth: 0,
    trigger: "user",
    task: "test",
    mode: "auto",
    attended: true,
    rootRunId: "r",
    workspace: "/w",
    limits: DEFAULT_LIMITS,
    approvals: { onTimeout: "reject", unattended: "park" },
    ...more,
  },
});

const asks = (n = 1, more: Partial<Payload<"MODEL_CALL_STARTED">> = {}): EventBody => ({
  type: "MODEL_CALL_STARTED",
  payload: { callId: modelCallId(n), model: "a/one", ...more },
});

const says = (n: number, text: string, ...calls: [string, unknown][]): EventBody => ({
  type: "AGENT_THOUGHT",
  payload: {
    callId: modelCallId(n),
    content: [
      { type: "text", text },
      ...calls.map(([toolName, input], index) => ({
        type: "tool-call" as const,
        toolCallId: `p${index}`,
        toolName,
        input,
      })),
    ],
    usage: { input: 10, output: 10 },
    cost: 0,
    finish: "stop",
    ms: 5,
  },
});

const fails = (cause: Payload<"MODEL_CALL_FAILED">["cause"], retryAt?: number): EventBody => ({
  type: "MODEL_CALL_FAILED",
  payload: { callId: "m1", cause, message: "no", ...(retryAt === undefined ? {} : { retryAt }) },
});

const proposal = (index: number, more: Partial<Payload<"TOOL_PROPOSED">> = {}): EventBody => ({
  type: "TOOL_PROPOSED",
  payload: {
    toolCallId: toolCallId("m1", index),
    name: "t",
    effect: "read",
    verdict: "allow",
    rule: "default",
    ...more,
  },
});

const toolStart = (index: number): EventBody => ({
  type: "TOOL_STARTED",
  payload: { toolCallId: toolCallId("m1", index) },
});

const result = (index: number): EventBody => ({
  type: "TOOL_RESULT",
  payload: { toolCallId: toolCallId("m1", index), output: "ok" },
});

const decision = (itemId: string, how: Payload<"APPROVAL_DECIDED">["decision"]): EventBody => ({
  type: "APPROVAL_DECIDED",
  payload: { itemId, decision: how, by: "ann" },
});

const suspension = (kind: string, items: string[]): EventBody =>
  ({
    type: "RUN_SUSPENDED",
    payload: { waitingOn: { kind, items } },
    key: `suspended/${kind}`,
  }) as EventBody;

const message = (source: "person" | "system", id: string): EventBody => ({
  type: "CONTEXT_ADDED",
  payload: { id, source, text: "hm" },
});

const cancel: EventBody = { type: "CANCEL_REQUESTED", payload: { by: "ann" } };
const one: [string, unknown] = ["t", { n: 1 }];
const two: [string, unknown] = ["t", { n: 2 }];
const ask = { verdict: "ask" as const, effect: "unsafe" as const };

const call = (more: object) => ({ type: "call-model", ...more });
const runs = (...indices: number[]) => ({
  type: "run-tools",
  calls: indices.map((index) => toolCallId("m1", index)),
});

const TABLE: [string, EventBody[], object][] = [
  [
    "a new run calls its first model",
    [start()],
    call({ callId: "m1", attempt: 1, model: "a/one", purpose: "turn" }),
  ],
  ["a run that is cancelled ends", [start(), cancel], { type: "end", ending: { status: "cancelled" } }],
  [
    "a cancelled run ends although it has open calls",
    [start(), asks(), says(1, "", one), proposal(0), cancel],
    { type: "end" },
  ],
  [
    "a run that is cancelled together with its parent has the stop reason `parent`",
    [start(), { type: "CANCEL_REQUESTED", payload: { by: "maria", via: "r0" } }],
    { type: "end", ending: { stopReason: "parent" } },
  ],
  [
    "a paused run does nothing until it is resumed",
    [start(), suspension("paused", [])],
    { type: "rest", wakeAt: undefined },
  ],
  [
    "text without a call ends the run",
    [start(), asks(), says(1, "done")],
    { type: "end", ending: { summary: "done" } },
  ],
  [
    "[J11] text does not end the run while a message is still unseen",
    [start(), asks(), message("person", "x"), says(1, "done")],
    call({ callId: "m2", purpose: "turn" }),
  ],
  [
    "new calls are judged before anything runs",
    [start(), asks(), says(1, "", one, two)],
    { type: "propose", calls: ["m1.0", "m1.1"] },
  ],
  ["reads run in parallel", [start(), asks(), says(1, "", one, two), proposal(0), proposal(1)], runs(0, 1)],
  [
    "calls that are not read-only run in order",
    [start(), asks(), says(1, "", one, two), proposal(0), proposal(1, { effect: "idempotent" })],
    runs(0),
  ],
  [
    "after a result, the next call in order runs",
    [
      start(),
      asks(),
      says(1, "", one, two),
      proposal(0),
      proposal(1, { effect: "unsafe" }),
      toolStart(0),
      result(0),
    ],
    runs(1),
  ],
  [
    "[P4] an unsafe call that was started but has no result waits for a person",
    [start(), asks(), says(1, "", one), proposal(0, { effect: "unsafe" }), toolStart(0)],
    { type: "suspend", waitingOn: { kind: "outcome_unknown", items: ["outcome/m1.0"] } },
  ],
  [
    "[P8] while a started unsafe call waits for a person, another call's approval still expires on time",
    [
      start(),
      asks(),
      says(1, "", one, two),
      proposal(0, { effect: "unsafe" }),
      proposal(1, { ...ask, expiresAt: NOW + 1 }),
      toolStart(0),
    ],
    { type: "suspend", waitingOn: { kind: "outcome_unknown", items: ["outcome/m1.0"] }, wakeAt: NOW + 1 },
  ],
  [
    "[P4] an idempotent call that was started but has no result is started again",
    [start(), asks(), says(1, "", one), proposal(0, { effect: "idempotent" }), toolStart(0)],
    runs(0),
  ],
  [
    "a call that needs approval waits for a person",
    [start(), asks(), says(1, "", one), proposal(0, { ...ask, expiresAt: NOW + 1 })],
    { type: "suspend", waitingOn: { kind: "approval", items: ["m1.0"] }, wakeAt: NOW + 1 },
  ],
  [
    "a run that keeps waiting for the same thing records the wait only once",
    [start(), asks(), says(1, "", one), proposal(0, ask), suspension("approval", ["m1.0"])],
    { type: "rest", wakeAt: undefined },
  ],
  [
    "after an approval, the run is resumed before its call runs",
    [
      start(),
      asks(),
      says(1, "", one),
      proposal(0, ask),
      suspension("approval", ["m1.0"]),
      decision("m1.0", "approve"),
    ],
    { type: "resume", by: "ann" },
  ],
  [
    "the second approval round of a call waits for its own decision",
    [
      start(),
      asks(),
      says(1, "", one),
      proposal(0, ask),
      decision("m1.0", "approve"),
      proposal(0, { ...ask, round: 2 }),
    ],
    { type: "suspend", waitingOn: { items: ["m1.0~2"] } },
  ],
  [
    "[F18] an approval without a decision expires on time",
    [start(), asks(), says(1, "", one), proposal(0, { ...ask, expiresAt: NOW })],
    { type: "record", events: [{ type: "APPROVAL_DECIDED", payload: { decision: "expire" } }] },
  ],
  [
    "a denied call gets its result",
    [start(), asks(), says(1, "", one), proposal(0, { verdict: "deny", rule: "project deny t" })],
    { type: "record", events: [{ type: "TOOL_RESULT", payload: { outcome: "denied" } }] },
  ],
  [
    "[F40] a failed model call waits until its retry time",
    [start(), asks(), fails("rate_limit", NOW + 1)],
    { type: "rest", wakeAt: NOW + 1 },
  ],
  [
    "[F40] when the retry time has come, the same model is called again",
    [start(), asks(), fails("rate_limit", NOW)],
    call({ callId: "m1", attempt: 2, model: "a/one" }),
  ],
  [
    "after a failure that cannot be retried, the next model is called",
    [start(), asks(), fails("rejected")],
    call({ callId: "m1", attempt: 2, model: "b/two" }),
  ],
  [
    "if the last model fails, too, the run fails",
    [start(), asks(1, { model: "b/two" }), fails("rejected")],
    { type: "end", ending: { status: "failed", stopReason: "provider" } },
  ],
  [
    "[F05] an interrupted model call is repeated immediately",
    [start(), asks(), fails("interrupted")],
    call({ attempt: 2 }),
  ],
  [
    "the next turn calls the model that gave the last answer",
    [start(), asks(1, { model: "b/two" }), says(1, "", one), proposal(0), toolStart(0), result(0)],
    call({ callId: "m2", model: "b/two" }),
  ],
  [
    "an answer whose only call is a report ends the run",
    [start(), asks(), says(1, "", ["final_report", { summary: "s" }])],
    { type: "end", ending: { status: "completed", summary: "s" } },
  ],
  [
    "[J11] a report is deferred while a message is still unseen",
    [start(), asks(), message("person", "x"), says(1, "", ["final_report", { summary: "s" }])],
    {
      type: "record",
      events: [{ type: "TOOL_RESULT", payload: { toolCallId: "m1.0", outcome: "deferred" } }],
    },
  ],
  [
    "the agent is told that its last turn begins",
    [start({ limits: { ...DEFAULT_LIMITS, maxTurns: 1 } })],
    {
      type: "record",
      events: [{ type: "LIMIT_REACHED" }, { type: "CONTEXT_ADDED", payload: { id: "last-turn" } }],
    },
  ],
  [
    "an ended run takes no further action",
    [
      start(),
      {
        type: "RUN_COMPLETED",
        payload: { stopReason: "final_answer", summary: "", result: {} as never },
      },
    ],
    { type: "stop" },
  ],
];

describe("[L2] decide", () => {
  test.each(TABLE)("%s", (_, bodies, expected) => {
    expect(decideFrom(bodies)).toMatchObject(expected);
  });

  test("[L2] decide is pure: the same view always gives the same action, and decide does not change the view", () => {
    for (const [, bodies] of TABLE) {
      const view = viewOf(bodies);
      const before = structuredClone(view);
      const action = decide(view, FACTS);
      expect(decide(view, FACTS)).toEqual(action);
      expect(view).toEqual(before);
      expect(decide(viewOf(bodies), FACTS)).toEqual(action);
    }
  });

  test("[F36] durations and waits do not depend on the order of timestamps", () => {
    for (const [, bodies] of TABLE) {
      const back = viewOf(bodies, (index) => NOW - index * 3_600_000);
      expect(decide(back, FACTS).type).toBe(decideFrom(bodies).type);
    }
  });

  test("in a full context, older results are cleared first; then older turns are summarised; otherwise long results are shortened", () => {
    const long = "x".repeat(60_000);
    const bodies = [start(), ...[1, 2, 3, 4].flatMap((n) => turn(n, long))];
    const small = { now: NOW, contextWindow: 20_000, readsResults: true };
    const cleared = { messages: 7, longer: 500, readable: true as const };
    const reads = [start(), ...[1, 2, 3, 4].flatMap((n) => turn(n, long, "I read on."))];
    expect(decide(viewOf(reads), small)).toMatchObject({
      events: [{ type: "CONTEXT_CLIPPED", payload: { index: 1, cleared } }],
    });
    const isCleared: EventBody = { type: "CONTEXT_CLIPPED", payload: { index: 1, cleared } };
    const summary = { type: "call-model", purpose: "summary" };
    expect(decide(viewOf([...bodies, isCleared]), small)).toMatchObject(summary);
    expect(decide(viewOf(bodies), small), "clearing would leave too much").toMatchObject(summary);
    expect(decide(viewOf(bodies), FACTS)).toMatchObject({ purpose: "turn" });
    expect(decide(viewOf([start(), ...turn(1, long.repeat(2))]), small)).toMatchObject({
      type: "record",
      events: [{ type: "CONTEXT_CLIPPED" }],
    });
    expect(
      decide(viewOf([start(), ...turn(1, long.repeat(20))]), {
        now: NOW,
        contextWindow: undefined,
        readsResults: true,
      }),
      "an assumed window clips nothing",
    ).toMatchObject({ purpose: "turn" });
  });
});

function turn(n: number, text: string, said = text): EventBody[] {
  const toolCall = toolCallId(modelCallId(n), 0);
  return [
    asks(n),
    says(n, said, ["t", { n }]),
    {
      type: "TOOL_PROPOSED",
      payload: { toolCallId: toolCall, name: "t", effect: "read", verdict: "allow", rule: "" },
    },
    { type: "TOOL_STARTED", payload: { toolCallId: toolCall } },
    { type: "TOOL_RESULT", payload: { toolCallId: toolCall, output: text } },
  ];
}

const decideFrom = (bodies: EventBody[]): Action => decide(viewOf(bodies), FACTS);

function viewOf(bodies: EventBody[], at: (index: number) => number = () => NOW) {
  const events = bodies.map(
    (body, index) =>
      ({
        runId: "r",
        seq: index + 1,
        position: index + 1,
        ts: at(index),
        key: keyOf(body),
        ...body,
      }) as JournalEvent,
  );
  return {
    state: fold(runStateProjection, events),
    transcript: fold(transcriptProjection, events),
    definition,
  };
}
