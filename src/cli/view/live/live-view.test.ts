import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import type { EventBody, JournalEvent } from "../../../journal/events.ts";
import { createScreen, type Draw } from "../screen.ts";
import { childEnded, runEnded, runStarted } from "../tree.fixture.ts";
import { createLiveView } from "./live-view.ts";

const start = runStarted("pen");

const modelCallStarted = (callId: string, attempt = 1): EventBody => ({
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

function watch(isTTY: boolean, style: "tree" | "lines" = "tree") {
  const pieces: string[] = [];
  const out = { isTTY, columns: 60, rows: 20, write: (text: string) => pieces.push(text) };
  let draw: Draw | undefined;
  const live = (next: Draw | undefined): void => {
    draw = next;
  };
  const screen = Object.assign(createScreen(out, {}), { live });
  const view = createLiveView(screen, { style, preset: "ask" });
  /** Returns the drawing below the permanent lines. */
  const picture = (): string[] => {
    const { lines = [], status } = draw?.({ columns: 60, rows: 18 }) ?? {};
    return [...lines, ...(status === undefined ? [] : [status])].map((line) =>
      stripVTControlCharacters(line),
    );
  };
  const seqs = new Map<string, number>();
  let position = 0;
  const happensTo = (runId: string, ...bodies: EventBody[]): void => {
    for (const body of bodies) {
      const seq = (seqs.get(runId) ?? 0) + 1;
      seqs.set(runId, seq);
      position++;
      view.event({ runId, seq, position, ts: position, key: `k${seq}`, ...body } as JournalEvent);
    }
  };
  const happens = (...bodies: EventBody[]): void => happensTo("r1", ...bodies);
  const says = (callId: string, text: string, attempt = 1, runId = "r1"): void =>
    view.delta({ type: "text.delta", runId, callId, attempt, text });
  const raw = () => pieces.join("");
  const text = () => stripVTControlCharacters(raw());
  return { view, happens, happensTo, says, text, picture };
}

describe("the agent's text", () => {
  test("the agent's text is shown as it arrives; text of other calls, attempts or runs is not shown", () => {
    const { happens, says, text } = watch(true);
    happens(start, modelCallStarted("m1"));
    says("m1", "Hello ");
    says("m0", "NO");
    says("m1", "NO", 2);
    says("m1", "NO", 1, "r2");
    says("m1", "wor");
    happens(thought("m1", "Hello world, and more."));
    expect(text()).toBe("pen · run r1\nmodel scripted/pen (scripted)\n\nHello world, and more.\n");
  });

  test("if the recorded text differs from the streamed text, the recorded text is written below the streamed text", () => {
    const { happens, says, text } = watch(true);
    happens(start, modelCallStarted("m1"));
    says("m1", "Half a thou");
    happens(modelCallStarted("m1", 2), thought("m1", "Another thought."));
    expect(text()).toMatch(/Half a thou\n\nAnother thought\.\n$/);
  });

  test("without a terminal, each text is printed once, in full", () => {
    const { happens, says, text, view } = watch(false);
    happens(start, modelCallStarted("m1"));
    says("m1", "Hello");
    happens(thought("m1", "Hello."));
    expect(text().match(/Hello/g)).toHaveLength(1);
    expect(view.lastWords()).toBe("Hello.");
  });
});

describe("tool calls", () => {
  const call = { toolName: "Bash", input: { command: "npm test" } };
  const result = (output: string, isError?: true): EventBody => ({
    type: "TOOL_RESULT",
    payload: { toolCallId: "m1.0", output, ...(isError ? { isError } : {}) },
  });

  test("a call is shown with the first line of its result; a command is also shown with its exit code", () => {
    const { happens, text } = watch(true);
    happens(
      start,
      modelCallStarted("m1"),
      thought("m1", "", [call]),
      result("\none\ntwo\n[exit 1, 0.2 s]", true),
    );
    expect(text()).toMatch(/✗ Run: npm test\n {2}one \(\+1 line\) \[exit 1, 0\.2 s\]\n$/);
  });

  test("without a terminal, calls and results are printed as sentences", () => {
    const { happens, text } = watch(false);
    happens(start, modelCallStarted("m1"), thought("m1", "", [call]), result("one"));
    expect(text()).toMatch(/Done: Run: npm test\n {2}one\n$/);
  });

  test("[U51] the status line shows the run, its activity, time, preset and budget, below the latest output", () => {
    const { happens, view, picture } = watch(true);
    happens(start, modelCallStarted("m1"), thought("m1", "", [call]), {
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
    expect(picture()).toEqual([
      "  ok⟦U+001B⟧[2J 2",
      "pen · Run: npm test · 12 s · preset ask · 2 tokens · $?",
    ]);
    view.clear();
    expect(picture()).toEqual([]);
  });
});

test("a run that waits for its provider shows the reason, the remaining time and the number of the next attempt", () => {
  const rich = watch(true);
  rich.happens(start, modelCallStarted("m1", 2), {
    type: "MODEL_CALL_FAILED",
    payload: { callId: "m1", attempt: 2, cause: "rate_limit", message: "429", retryAt: 9_003 },
  });
  expect(rich.text()).toMatch(/\(429\) · attempt 3 in\n {2}9\.0 s\n$/);
  rich.view.tick(2_000);
  expect(rich.picture().at(-1)).toMatch(/^pen · waiting \(429\), then attempt 3 · 7 s left/);

  const { happens, text } = watch(false);
  const retryAt = new Date(2030, 0, 1, 14, 2, 11).getTime();
  happens(start, modelCallStarted("m1"), {
    type: "MODEL_CALL_FAILED",
    payload: { callId: "m1", cause: "rate_limit", message: "429: slow down", retryAt },
  });
  expect(text()).toMatch(/Waiting for the provider until .*14:02.* \(429: slow down\)/);
});

describe("a tree of runs", () => {
  const below = (agent: string, parentRunId = "r1") => runStarted(agent, { parentRunId });
  const childStarted = (child: string, agent: string): EventBody => ({
    type: "CHILD_RUN_STARTED",
    payload: { child_run_id: child, agent_type: agent, task: "part", trigger: "delegation", key: child },
  });

  test("once there are several runs, each line names its run, and runs of the same agent are numbered", () => {
    const { happens, happensTo, text } = watch(false);
    happens(
      runStarted("lead"),
      modelCallStarted("m1"),
      thought("m1", "I split it."),
      childStarted("c1", "pen"),
    );
    happensTo("c1", below("pen"), modelCallStarted("m1"), thought("m1", "One\nTwo"));
    happens(childStarted("c2", "pen"));
    happensTo("c2", below("pen"));
    happensTo("c3", below("ink", "c2"), runEnded("failed"));
    happensTo("c2", runEnded());
    happens({ type: "CHILD_RUN_COMPLETED", payload: childEnded("c2") });
    expect(text().split("\n")).toEqual([
      "lead · run r1",
      "model scripted/pen (scripted)",
      "I split it.",
      "Started pen: part",
      "lead › pen  run c1",
      "lead › pen  One",
      "lead › pen  Two",
      "lead  Started pen: part",
      "lead › pen#2  run c2",
      "lead › pen#2 › ink  run c3",
      "lead  pen#2 is done: It is done.",
      "",
    ]);
  });

  test("the tree is drawn below the text of its top run; only important events of the other runs are printed", () => {
    const { view, happens, happensTo, says, picture, text } = watch(true);
    happens(
      runStarted("lead"),
      modelCallStarted("m1"),
      thought("m1", "I split it."),
      childStarted("c1", "pen"),
    );
    happensTo("c1", below("pen"), modelCallStarted("m1"));
    says("m1", "Let me see", 1, "c1");
    view.tick(4_000);
    expect(picture()).toEqual([
      "● lead    working              1 turn · 2 tok ·    $? · 3 s",
      "└─ ● pen  thinking · Let me … 0 turns · 0 tok · $0.00 · 3 s",
      "preset ask · 2 tokens · $? · 2 runs: 2 at work · 3 s",
    ]);
    happensTo("c1", { type: "LIMIT_REACHED", payload: { limit: "maxTurns", value: 16, hard: false } });
    expect(text()).toMatch(/\nlead › pen {2}Close to its limit: maxTurns \(16\)\n$/);
  });

  test("in the style `lines` every event has its own line, and the tree is drawn below the lines", () => {
    const { view, happens, happensTo, text, picture } = watch(true, "lines");
    happens(runStarted("lead"), modelCallStarted("m1"));
    happensTo("c1", below("pen"), modelCallStarted("m1"));
    view.tick(9_000);
    expect(text()).toMatch(/lead › pen {2}run c1\n$/);
    expect(picture().map((line) => line.slice(0, 10))).toEqual(["● lead    ", "└─ ● pen  ", "preset ask"]);
  });
});
