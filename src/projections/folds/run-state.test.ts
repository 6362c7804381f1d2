import { describe, expect, test } from "vitest";
import type { EventBody, Payload } from "../../journal/events.ts";
import {
  agentThought,
  approvalDecided,
  buildJournal,
  childStarted,
  contextAdded,
  modelCallFailed,
  modelCallStarted,
  runEnded,
  runStarted,
  runSuspended,
  toolProposed,
  toolResult,
  toolStarted,
} from "../../stores/contract/kit.contract.ts";
import { fold } from "../projection.ts";
import { awaitsDecision, childrenToStart, isOutcomeUnknown, openItems } from "./approvals.ts";
import { effectiveInput, repeatsOf, runStateProjection } from "./run-state.ts";
import { commandEnd } from "./tool-call.ts";

const stateOf = (...events: EventBody[]) => fold(runStateProjection, buildJournal(runStarted(), ...events));

const turn = (
  callId: string,
  calls: [string, unknown][] = [["Bash", { command: "npm test" }]],
): EventBody[] => [
  modelCallStarted(callId),
  agentThought(callId, {
    content: calls.map(([toolName, input], i) => ({
      type: "tool-call",
      toolCallId: `p${i}`,
      toolName,
      input,
    })),
  }),
];

describe("model calls", () => {
  test("a model call is open until its outcome, and a second attempt does not count as another call", () => {
    const open = stateOf(modelCallStarted("m1", { attempt: 2, estimate: { tokens: 9, cost: null } }));
    expect(open.openModelCall).toMatchObject({ callId: "m1", attempt: 2, estimate: { tokens: 9 } });
    const done = stateOf(
      modelCallStarted("m1"),
      modelCallFailed("m1"),
      modelCallStarted("m1", { attempt: 2 }),
      agentThought("m1", { attempt: 2 }),
    );
    expect(done).toMatchObject({
      modelCalls: 1,
      turns: 1,
      openModelCall: undefined,
      failedCall: undefined,
      status: "running",
    });
  });

  test("[F40] a failed model call with a later retry time shows as waiting for the provider", () => {
    const state = stateOf(
      modelCallStarted("m1"),
      modelCallFailed("m1", { cause: "rate_limit", message: "429", retryAt: 99 }),
    );
    expect(state).toMatchObject({
      status: "waiting",
      waitingOn: { kind: "provider", until: 99, detail: "429" },
      failedCall: { cause: "rate_limit", model: "fake/one", purpose: "turn" },
      turns: 0,
    });
    expect(stateOf(modelCallStarted("m1"), modelCallFailed("m1", { cause: "auth" }))).toMatchObject({
      status: "running",
      failedCall: { cause: "auth" },
    });
  });

  test("only model calls with the purpose `turn` or `final` count as turns", () => {
    const state = stateOf(
      ...turn("m1"),
      modelCallStarted("m2", { purpose: "summary" }),
      agentThought("m2"),
      modelCallStarted("m3", { purpose: "final" }),
      agentThought("m3"),
    );
    expect(state).toMatchObject({ turns: 2, modelCalls: 3, latest: { purpose: "final", text: "hm" } });
  });

  test("[P3] the cost of failed attempts is counted", () => {
    const usage = { input: 100, output: 7 };
    const { usage: total } = stateOf(
      modelCallStarted("m1"),
      modelCallFailed("m1", { usage, cost: 0.5, ms: 10 }),
      modelCallStarted("m1", { attempt: 2 }),
      modelCallFailed("m1", { attempt: 2, cost: 0.25 }),
      modelCallStarted("m1", { attempt: 3 }),
      modelCallFailed("m1", { attempt: 3, usage }),
      modelCallStarted("m1", { attempt: 4 }),
      agentThought("m1", { attempt: 4, usage: { input: 1, output: 2, cacheRead: 3 }, cost: null }),
    );
    expect(total).toMatchObject({
      input: 201,
      output: 16,
      cacheRead: 3,
      cost: 0.75,
      unpriced: 2,
      modelCalls: 1,
      wastedCalls: 3,
      wastedCost: 0.75,
      activeMs: 13,
    });
  });
});

describe("tool calls", () => {
  test("[J10] the id of a tool call consists of the model call's id and an index", () => {
    const state = stateOf(
      ...turn("m1", [
        ["Read", { path: "a" }],
        ["Read", { path: "b" }],
      ]),
    );
    expect([...state.calls.keys()]).toEqual(["m1.0", "m1.1"]);
    expect(state.calls.get("m1.1")).toMatchObject({ name: "Read", input: { path: "b" }, attempts: 0 });
    expect([...stateOf(...turn("m1"), ...turn("m2")).calls.keys()]).toEqual(["m2.0"]);
  });

  test("[P5] a person's decision applies only to the round of approval in which it was made", () => {
    const asked = [...turn("m1"), toolProposed("m1.0", { hash: "h1" })];
    const call = (...more: EventBody[]) => stateOf(...asked, ...more).calls.get("m1.0")!;
    expect(awaitsDecision(call())).toBe(true);
    expect(call(approvalDecided("m1.0", "approve", "maria")).decision).toMatchObject({ by: "maria" });
    const again = [
      approvalDecided("m1.0", "approve", "maria"),
      toolProposed("m1.0", { round: 2, hash: "h2" }),
    ];
    expect(awaitsDecision(call(...again))).toBe(true);
    expect(awaitsDecision(call(...again, approvalDecided("m1.0", "approve", "jon")))).toBe(true);
    expect(call(...again, approvalDecided("m1.0~2", "reject", "jon")).decision).toMatchObject({
      decision: "reject",
    });
  });

  test("[F19] an edited call runs with the person's input", () => {
    const edit = approvalDecided("m1.0", "edit", "maria", { input: { command: "npm t" } });
    const call = stateOf(...turn("m1"), toolProposed("m1.0"), edit).calls.get("m1.0")!;
    expect([effectiveInput(call), call.input]).toEqual([{ command: "npm t" }, { command: "npm test" }]);
  });

  test("[P4] [F02] the outcome of an unsafe call without a result is unknown until a person decides on that attempt", () => {
    const begun = [...turn("m1"), toolProposed("m1.0", { verdict: "allow" }), toolStarted("m1.0")];
    const call = (...more: EventBody[]) => stateOf(...begun, ...more).calls.get("m1.0")!;
    const says = (verdict: "happened" | "run_again", attempt?: number): EventBody => ({
      type: "OUTCOME_DECIDED",
      payload: { toolCallId: "m1.0", verdict, by: "maria", ...(attempt === undefined ? {} : { attempt }) },
    });
    expect(isOutcomeUnknown(call())).toBe(true);
    expect(call(says("happened")).verdict).toMatchObject({ verdict: "happened" });
    const second = [says("run_again"), toolStarted("m1.0", 2)];
    expect(call(...second)).toMatchObject({ attempts: 2, verdict: undefined });
    expect(isOutcomeUnknown(call(...second, says("happened")))).toBe(true);
    expect(isOutcomeUnknown(call(...second, says("happened", 2)))).toBe(false);
    expect(isOutcomeUnknown(call(toolResult("m1.0")))).toBe(false);
  });

  test("[D3] the list of changed files comes from the journal, and a created file stays marked as created", () => {
    const wrote = (id: string, ...files: NonNullable<Payload<"TOOL_RESULT">["files"]>): EventBody => ({
      type: "TOOL_RESULT",
      payload: { toolCallId: id, output: "", files },
    });
    const state = stateOf(
      ...turn("m1"),
      wrote("m1.0", { path: "a", change: "created" }, { path: "b", change: "modified" }),
      wrote("m1.1", { path: "a", change: "modified" }, { path: "c", change: "created" }),
      wrote("m1.2", { path: "c", change: "deleted" }),
    );
    expect([...state.files]).toEqual([
      ["a", "created"],
      ["b", "modified"],
      ["c", "deleted"],
    ]);
  });
});

describe("guards, limits and grants", () => {
  const denial = (id: string): EventBody => ({
    type: "TOOL_RESULT",
    payload: { toolCallId: id, output: "no", isError: true, outcome: "denied" },
  });

  test("[F45] repetitions of the same call with the same result are counted; a different call or result resets the count", () => {
    const repeats = (...events: EventBody[]) => repeatsOf(stateOf(...events)).repeats;
    const look = (id: string, result = "same") => [...turn(id), toolResult(`${id}.0`, result)];
    expect(repeats(...look("m1"), ...look("m2"), ...look("m3"))).toBe(3);
    expect(repeats(...look("m1"), ...look("m2"), ...look("m3", "another"))).toBe(1);
    expect(repeats(...look("m1"), ...look("m2"), ...turn("m3", [["Bash", { command: "ls" }]]))).toBe(1);
    expect(repeats(...turn("m1", []), ...turn("m2", []), ...turn("m3", []))).toBe(1);
  });

  test("[F45] [24.13] two results of a command that differ only in its duration count as the same result", () => {
    const repeats = (...outputs: string[]) =>
      repeatsOf(stateOf(...outputs.flatMap((output, n) => [...turn(`m${n}`), toolResult(`m${n}.0`, output)])))
        .repeats;
    const failed = (seconds: number) => `1 test failed\n${commandEnd("exit 1", seconds)}`;
    expect(repeats(failed(0.04), failed(0.1), failed(3.27))).toBe(3);
    expect(repeats(failed(0.1), `${failed(0.1)}\nMind: a note.`, `${failed(0.2)}\nMind: a note.`)).toBe(2);
    expect(repeats(failed(0.1), `1 test failed\n${commandEnd("exit 0", 0.1)}`), "another end").toBe(1);
    expect(repeats("built in 1.2 s", "built in 1.3 s"), "the program itself says something new").toBe(1);
  });

  test("[F45] consecutive empty answers are counted", () => {
    const empty = (id: string) => [
      modelCallStarted(id),
      agentThought(id, { content: [{ type: "text", text: " \n" }] }),
    ];
    expect(stateOf(...empty("m1"), ...empty("m2")).guard.empty).toBe(2);
    expect(stateOf(...empty("m1"), ...turn("m2")).guard.empty).toBe(0);
  });

  test("[F43] consecutive refusals are counted, except refusals by a person", () => {
    expect(stateOf(...turn("m1"), denial("m1.0"), ...turn("m2"), denial("m2.0")).guard.refused).toBe(2);
    expect(stateOf(...turn("m1"), denial("m1.0"), ...turn("m2"), toolResult("m2.0")).guard.refused).toBe(0);
    expect(stateOf(...turn("m1"), toolProposed("m1.0"), denial("m1.0")).guard.refused).toBe(0);
  });

  test("[F45] a person's decision on a loop resets the counts, and the run state remembers that the loop was stopped", () => {
    const state = stateOf(
      ...turn("m1"),
      ...turn("m2"),
      runSuspended("s1", { kind: "loop", items: ["loop/1"] }),
      approvalDecided("loop/1", "approve", "maria"),
    );
    expect(repeatsOf(state).repeats, "the turn that was stopped begins a new count").toBe(1);
    expect(state.guard.stops).toBe(1);
    expect(state.decisions.get("loop/1")).toMatchObject({ by: "maria" });
  });

  test("an approval can raise limits and grant rules; a rejection does neither", () => {
    const carries = { scope: "run", grant: "Bash(npm test)", until: 9, limits: { maxCost: 5 } } as const;
    const yes = stateOf(approvalDecided("budget/1", "approve", "maria", carries));
    expect(yes.changedBudget).toEqual({ maxCost: 5 });
    expect(yes.grants).toEqual([{ rule: "Bash(npm test)", scope: "run", until: 9, at: yes.grants[0]!.at }]);
    for (const no of ["reject", "expire"] as const) {
      const state = stateOf(approvalDecided("budget/1", no, "maria", carries));
      expect([state.changedBudget, state.grants]).toEqual([{}, []]);
    }
    expect(
      stateOf(approvalDecided("m1.0", "approve", "maria", { ...carries, scope: "once" })).grants,
    ).toEqual([]);
  });

  test("the run state contains each limit that was reached, by its event key", () => {
    const state = stateOf({ type: "LIMIT_REACHED", payload: { limit: "maxTurns", value: 20, hard: true } });
    expect(state.reachedLimits.get("limit/maxTurns/hard")).toMatchObject({ value: 20 });
  });

  test("the runtime's messages are recorded separately from people's messages", () => {
    const told: EventBody = {
      type: "CONTEXT_ADDED",
      payload: { id: "nudge/1", source: "system", text: "again?" },
    };
    expect([...stateOf(told, contextAdded("x")).systemNotes]).toEqual(["nudge/1"]);
  });
});

describe("status", () => {
  test("a suspended run needs a person, and a waiting run resumes by itself", () => {
    expect(stateOf(runSuspended("s1", { kind: "approval" }))).toMatchObject({
      status: "suspended",
      suspensions: 1,
    });
    expect(stateOf(runSuspended("s1", { kind: "child" }))).toMatchObject({ status: "waiting" });
    const resumed: EventBody = { type: "RUN_RESUMED", key: "s1/r", payload: { by: "maria" } };
    expect(stateOf(runSuspended("s1"), resumed)).toMatchObject({ status: "running", waitingOn: undefined });
  });

  test("[P11] the end of a run contains its status, reason and summary", () => {
    for (const [type, status, stopReason] of [
      ["RUN_COMPLETED", "completed", "final_answer"],
      ["RUN_FAILED", "failed", "error"],
      ["RUN_CANCELLED", "cancelled", "user"],
    ] as const) {
      expect(stateOf(runSuspended("s1"), runEnded(type, "So it was."))).toMatchObject({
        status,
        waitingOn: undefined,
        end: { status, stopReason, summary: "So it was." },
      });
    }
  });

  test("[I11] an item is open until it is answered or cancelled, or the run ends", () => {
    const events = [
      ...turn("m1", [
        ["Bash", { command: "a" }],
        ["Bash", { command: "b" }],
      ]),
      toolProposed("m1.0", { preview: "$ a", hash: "h", expiresAt: 7 }),
      toolProposed("m1.1"),
      runSuspended("s1", { kind: "approval", items: ["m1.0", "m1.1"] }),
    ];
    expect(openItems(stateOf(...events))).toMatchObject([
      {
        id: "r1:m1.0",
        kind: "tool",
        tool: "Bash",
        input: { command: "a" },
        preview: "$ a",
        hash: "h",
        expiresAt: 7,
      },
      { id: "r1:m1.1", kind: "tool", input: { command: "b" } },
    ]);
    expect(
      openItems(stateOf(...events, approvalDecided("m1.1", "reject", "maria"))).map(({ itemId }) => itemId),
    ).toEqual(["m1.0"]);
    expect(openItems(stateOf(...events, { type: "CANCEL_REQUESTED", payload: { by: "maria" } }))).toEqual([]);
    expect(openItems(stateOf(...events, runEnded()))).toEqual([]);
    const budget = runSuspended("s2", { kind: "budget", items: ["budget/1"], detail: "maxCost 1" });
    expect(openItems(stateOf(budget))).toMatchObject([
      { kind: "budget", itemId: "budget/1", detail: "maxCost 1" },
    ]);
    expect(openItems(stateOf(budget, approvalDecided("budget/1", "approve", "m")))).toEqual([]);
  });
});

test("[D1] delegations that wait for a free slot are counted", () => {
  const asked = turn("m1", [
    ["delegate", { agent: "a" }],
    ["delegate", { agent: "b" }],
    ["delegate", { agent: "c" }],
    ["delegate", { agent: "d" }],
    ["Read", { path: "x" }],
  ]);
  const proposals = [0, 1, 2].map((i) => toolProposed(`m1.${i}`, { name: "delegate", verdict: "allow" }));
  const asks = toolProposed("m1.3", { name: "delegate", verdict: "ask" });
  const begun = [...asked, ...proposals, asks, childStarted("r2", "m1.0")];
  expect(childrenToStart(stateOf(...begun))).toBe(2);
  expect(childrenToStart(stateOf(...begun, childStarted("r3", "m1.1"), toolResult("m1.2", "no")))).toBe(0);
});

test("[F40] a wait for the provider counts once, however often messages interrupt it, and only while it lasts", () => {
  const from = 1_700_000_000_000;
  const wait = (key: string) => runSuspended(key, { kind: "provider", until: from + 1_000 });
  expect(stateOf(wait("suspended/1")).providerWaitMs).toBe(999);
  const interrupted = [wait("suspended/1"), wait("suspended/2"), wait("suspended/3")];
  expect(stateOf(...interrupted).providerWaitMs).toBe(999);
  expect(stateOf(...interrupted, modelCallStarted("m1")).providerWaitMs).toBe(3);
});

test("each wait for a budget reservation is counted; the count returns to zero when the call begins", () => {
  const timer = (id: string): EventBody => ({
    type: "TIMER_SET",
    payload: { id, at: 1, purpose: "reservation" },
  });
  expect(stateOf(timer("a"), timer("b")).reservationWaits).toBe(2);
  expect(stateOf(timer("a"), modelCallStarted("m1")).reservationWaits).toBe(0);
});

test("[25.1] after a summary replaced a result with instructions, the agent can get those instructions again", () => {
  const told: EventBody = {
    type: "TOOL_RESULT",
    payload: { toolCallId: "m1.0", output: "x", told: ["src/AGENTS.md"] },
  };
  const before = [...turn("m1"), told];
  expect([...stateOf(...before).toldFiles]).toEqual(["src/AGENTS.md"]);
  const summary: EventBody = {
    type: "CONTEXT_COMPACTED",
    payload: { callId: "m2", messages: 2, summary: "s" },
  };
  expect(stateOf(...before, summary).toldFiles.size).toBe(0);
});
