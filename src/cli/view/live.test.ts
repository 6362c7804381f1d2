import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../journal/definition.ts";
import type { EventBody, JournalEvent } from "../../journal/events.ts";
import { createLiveView } from "./live.ts";
import { createScreen } from "./screen.ts";

const start: EventBody = {
  type: "RUN_STARTED",
  payload: {
    agent: "pen",
    definition: "h",
    kind: "main",
    depth: 0,
    trigger: "user",
    task: "go",
    mode: "auto",
    attended: true,
    rootRunId: "r1",
    workspace: "/w",
    limits: DEFAULT_LIMITS,
    approvals: { onTimeout: "reject", unattended: "park" },
  },
};

const asked = (callId: string, attempt = 1): EventBody => ({
  type: "MODEL_CALL_STARTED",
  payload: { callId, model: "scripted/pen", ...(attempt > 1 ? { attempt } : {}) },
});

const thought = (
  callId: string,
  text: string,
  calls: { toolName: string; input: unknown }[] = [],
): EventBody => ({
  type: "AGENT_THOUGHT",
  payload: {
    callId,
    content: [
      { type: "text", text },
      ...calls.map((call) => ({ type: "tool-call" as const, toolCallId: "x", ...call })),
    ],
    usage: { input: 1, output: 1 },
    cost: null,
    finish: "stop",
    ms: 1,
  },
});

function watch(isTTY: boolean) {
  const pieces: string[] = [];
  const out = { isTTY, columns: 60, write: (text: string) => pieces.push(text) };
  const view = createLiveView(createScreen(out, {}));
  let seq = 0;
  const happens = (...bodies: EventBody[]): void => {
    for (const body of bodies) {
      seq++;
      view.event({ runId: "r1", seq, position: seq, ts: seq, key: `k${seq}`, ...body } as JournalEvent);
    }
  };
  const says = (callId: string, text: string, attempt = 1, runId = "r1"): void =>
    view.delta({ type: "text.delta", runId, callId, attempt, text });
  const text = () => stripVTControlCharacters(pieces.join(""));
  return { view, happens, says, text, raw: () => pieces.join("") };
}

describe("words", () => {
  test("stream as they come and are not said twice; pieces of other calls, attempts and runs are not shown", () => {
    const { happens, says, text } = watch(true);
    happens(start, asked("m1"));
    says("m1", "Hello ");
    says("m0", "NO");
    says("m1", "NO", 2);
    says("m1", "NO", 1, "r2");
    says("m1", "wor");
    happens(thought("m1", "Hello world, and more."));
    expect(text()).toBe("pen · run r1\nmodel scripted/pen (scripted)\n\nHello world, and more.\n");
  });

  test("what was recorded wins over what had streamed", () => {
    const { happens, says, text } = watch(true);
    happens(start, asked("m1"));
    says("m1", "Half a thou");
    happens(asked("m1", 2), thought("m1", "Another thought."));
    expect(text()).toMatch(/Half a thou\n\nAnother thought\.\n$/);
  });

  test("without a terminal nothing streams: whole thoughts, once", () => {
    const { happens, says, text, view } = watch(false);
    happens(start, asked("m1"));
    says("m1", "Hello");
    happens(thought("m1", "Hello."));
    expect(text().match(/Hello/g)).toHaveLength(1);
    expect(view.lastWords()).toBe("Hello.");
  });
});

describe("calls", () => {
  const call = { toolName: "Bash", input: { command: "npm test" } };
  const result = (output: string, isError?: true): EventBody => ({
    type: "TOOL_RESULT",
    payload: { toolCallId: "m1.0", output, ...(isError ? { isError } : {}) },
  });

  test("one line each, the first line of the result, and how a command ended", () => {
    const { happens, text } = watch(true);
    happens(start, asked("m1"), thought("m1", "", [call]), result("\none\ntwo\n[exit 1, 0.2 s]", true));
    expect(text()).toMatch(/✗ Run: npm test\n {2}one \(\+1 line\) \[exit 1, 0\.2 s\]\n$/);
  });

  test("in words where there is no terminal", () => {
    const { happens, text } = watch(false);
    happens(start, asked("m1"), thought("m1", "", [call]), result("one"));
    expect(text()).toMatch(/Done: Run: npm test\n {2}one\n$/);
  });

  test("[U51] the status line says who, which turn, what, how long, and the latest output", () => {
    const { happens, view, raw } = watch(true);
    happens(start, asked("m1"), thought("m1", "", [call]), {
      type: "TOOL_STARTED",
      payload: { toolCallId: "m1.0" },
    });
    view.delta({
      type: "tool-output.delta",
      runId: "r1",
      callId: "m1.0",
      attempt: 1,
      text: "ok 1\nok\u001b[2J 2\n",
    });
    view.tick(12_345);
    expect(stripVTControlCharacters(raw())).toContain(
      "pen · turn 1/20 · Run: npm test · 12 s · ok⟦U+001B⟧[2J 2",
    );
    view.rest();
    expect(raw().endsWith("\r\u001b[2K")).toBe(true);
  });
});

test("a wait for the provider says until when and why, how long still, and which attempt comes next", () => {
  const rich = watch(true);
  rich.happens(start, asked("m1", 2), {
    type: "MODEL_CALL_FAILED",
    payload: { callId: "m1", attempt: 2, cause: "rate_limit", message: "429", retryAt: 9_003 },
  });
  expect(rich.text()).toMatch(/\(429\) · attempt 3 in 9\.0 s\n$/);
  rich.view.tick(2_000);
  expect(rich.text()).toContain("waiting (429), then attempt 3 · 7 s left");

  const { happens, text } = watch(false);
  const retryAt = new Date(2030, 0, 1, 14, 2, 11).getTime();
  happens(start, asked("m1"), {
    type: "MODEL_CALL_FAILED",
    payload: { callId: "m1", cause: "rate_limit", message: "429: slow down", retryAt },
  });
  expect(text()).toMatch(/Waiting for the provider until .*14:02.* \(429: slow down\)/);
});
