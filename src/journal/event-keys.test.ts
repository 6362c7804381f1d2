import { describe, expect, test } from "vitest";
import { agentThought, runEnded, startPayload } from "../stores/contract/kit.contract.ts";
import { type EventBody, type EventType, keyOf, OUTCOME_TYPES, type Payload, payloads } from "./events.ts";

/** One event of each type. The compiler requires an example for each new type. */
const EXAMPLES: { [T in EventType]: { payload: Payload<T>; key: string } } = {
  RUN_STARTED: { payload: startPayload(), key: "start" },
  CONTEXT_ADDED: { payload: { id: "x", source: "person", text: "" }, key: "context/x" },
  MODEL_CALL_STARTED: { payload: { callId: "m1", model: "a/b", attempt: 2 }, key: "m1~2/s" },
  AGENT_THOUGHT: { payload: agentThought("m1").payload as Payload<"AGENT_THOUGHT">, key: "m1/e" },
  MODEL_CALL_FAILED: { payload: { callId: "m1", attempt: 2, cause: "network", message: "" }, key: "m1~2/e" },
  TOOL_PROPOSED: {
    payload: { toolCallId: "m1.0", name: "Bash", effect: "unsafe", verdict: "ask", rule: "", round: 2 },
    key: "m1.0~2/p",
  },
  APPROVAL_DECIDED: { payload: { itemId: "m1.0~2", decision: "approve", by: "maria" }, key: "m1.0~2/d" },
  TOOL_STARTED: { payload: { toolCallId: "m1.0" }, key: "m1.0/s" },
  TOOL_RESULT: { payload: { toolCallId: "m1.0", attempt: 3, output: 1 }, key: "m1.0/e" },
  OUTCOME_DECIDED: { payload: { toolCallId: "m1.0", attempt: 2, verdict: "fail", by: "m" }, key: "m1.0~2/o" },
  RUN_SUSPENDED: { payload: { waitingOn: { kind: "paused" } }, key: "given" },
  RUN_RESUMED: { payload: { by: "maria" }, key: "given" },
  CHILD_RUN_STARTED: {
    payload: { child_run_id: "c1", agent_type: "tester", task: "", trigger: "delegation", key: "m1.0" },
    key: "c1/s",
  },
  CHILD_RUN_COMPLETED: {
    payload: { child_run_id: "c1", success: true, summary: "", key: "m1.0", result: resultOf(runEnded()) },
    key: "c1/e",
  },
  TEAM_ROUND_STARTED: { payload: { round: 1, members: ["a"] }, key: "round/1" },
  TEAM_MESSAGE: { payload: { round: 1, index: 0, from: "a", text: "" }, key: "round/1/a/0" },
  TEAM_VOTE: { payload: { round: 1, from: "a", ready: true, reason: "" }, key: "round/1/a/vote" },
  RUNNER_STARTED: {
    payload: { callId: "m1", attempt: 2, command: "x", sandbox: "bwrap", host: "h", pid: 7, session: "s" },
    key: "m1~2/runner",
  },
  RUNNER_SAID: { payload: { callId: "m1", index: 3, text: "" }, key: "m1/said/3" },
  RUNNER_SPENT: { payload: { callId: "m1", index: 2, cost: 0.5 }, key: "m1/spent/2" },
  STEP_YIELDED: { payload: { index: 0, kind: "ask", arguments: null, answer: null }, key: "step/0" },
  CONTEXT_COMPACTED: {
    payload: { callId: "m2", messages: 3, summary: "" },
    key: "m2/compacted",
  },
  CONTEXT_CLIPPED: { payload: { index: 2, results: 1_000 }, key: "clip/2" },
  LIMIT_REACHED: { payload: { limit: "maxCost", value: 1, hard: false }, key: "limit/maxCost/soft" },
  TIMER_SET: { payload: { id: "t1", at: 5, purpose: "slot" }, key: "timer/t1/set" },
  HOOKS_STARTED: {
    payload: { id: "PreToolUse/m1.0", event: "PreToolUse", toolCallId: "m1.0", commands: ["./check.sh"] },
    key: "hooks/PreToolUse/m1.0/s",
  },
  HOOKS_ENDED: {
    payload: { id: "PreToolUse/m1.0", event: "PreToolUse", toolCallId: "m1.0", runs: [] },
    key: "hooks/PreToolUse/m1.0/e",
  },
  OUTCOME_PROBED: {
    payload: { toolCallId: "m1.0", found: "done", evidence: ["src is there."], by: "m" },
    key: "given",
  },
  BUDGET_SET: { payload: { limits: { maxCost: 2 }, by: "jo" }, key: "given" },
  PERSON_ASKED: { payload: { itemId: "m1.0", person: "maria", by: "jo" }, key: "given" },
  TIMER_FIRED: { payload: { id: "t1" }, key: "timer/t1/fired" },
  CANCEL_REQUESTED: { payload: { by: "maria" }, key: "cancel" },
  RUN_CANCELLED: { payload: runEnded("RUN_CANCELLED").payload as Payload<"RUN_CANCELLED">, key: "end" },
  RUN_MOVED: { payload: { transferId: "x" }, key: "moved" },
  SYSTEM_ERROR: { payload: { id: "e1", code: "X", message: "", fatal: false }, key: "error/e1" },
  RUN_COMPLETED: { payload: runEnded().payload as Payload<"RUN_COMPLETED">, key: "end" },
  RUN_FAILED: { payload: runEnded("RUN_FAILED").payload as Payload<"RUN_FAILED">, key: "end" },
};

const bodies = Object.entries(EXAMPLES).map(([type, { payload, key }]) => ({
  body: { type, payload } as EventBody,
  key,
}));

describe("[J1] keys of events", () => {
  test("[J1] every event type has a key", () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(Object.keys(payloads).toSorted());
    for (const { body, key } of bodies) {
      if (key === "given") expect(() => keyOf(body)).toThrow(`${body.type} needs a key from its writer`);
      else expect(keyOf(body)).toBe(key);
      expect(keyOf({ ...body, key: "mine" } as EventBody)).toBe("mine");
    }
  });

  test("[J1] different events have different keys, except that all possible ends of a run share one key", () => {
    const keys = bodies.filter(({ key }) => key !== "given" && key !== "end").map(({ body }) => keyOf(body));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("[J3] all outcomes of one intent share a key", () => {
    for (const attempt of [undefined, 1, 2]) {
      const more = attempt === undefined ? {} : { attempt };
      const failed = {
        type: "MODEL_CALL_FAILED",
        payload: { callId: "m1", cause: "network", message: "", ...more },
      };
      expect(keyOf(agentThought("m1", more))).toBe(keyOf(failed as EventBody));
      const result = {
        type: "TOOL_RESULT",
        payload: { toolCallId: "m1.0", output: 1, ...more },
      } as EventBody;
      expect(keyOf(result)).toBe("m1.0/e");
    }
    expect(keyOf(agentThought("m1", { attempt: 1 }))).toBe(keyOf(agentThought("m1")));
    expect(keyOf(agentThought("m1", { attempt: 2 }))).not.toBe(keyOf(agentThought("m1")));
    expect([...OUTCOME_TYPES].toSorted()).toEqual(["AGENT_THOUGHT", "MODEL_CALL_FAILED", "TOOL_RESULT"]);
  });

  test("[J1] each time a limit that a person can raise is reached, the event gets a new key", () => {
    const limitReached = (itemId: string): EventBody => ({
      type: "LIMIT_REACHED",
      payload: { limit: "maxCost", value: 1, hard: true, itemId },
    });
    expect(keyOf(limitReached("budget/1"))).not.toBe(keyOf(limitReached("budget/2")));
  });
});

test("the schema of each event type leaves its payload unchanged", () => {
  for (const { body } of bodies) {
    const text = JSON.stringify(body.payload);
    expect(JSON.stringify(payloads[body.type].parse(JSON.parse(text)))).toBe(text);
  }
});

function resultOf(end: EventBody) {
  return (end.payload as Payload<"RUN_COMPLETED">).result;
}
