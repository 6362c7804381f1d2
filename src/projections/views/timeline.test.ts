import { expect, test } from "vitest";
import type { EventBody, Payload } from "../../journal/events.ts";
import {
  agentThought,
  approvalDecided,
  buildJournal,
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
import { describeCall, timelineEntry, timelineProjection } from "./timeline.ts";

const entriesOf = (...events: EventBody[]) => fold(timelineProjection, buildJournal(...events)).entries;
const linesOf = (...events: EventBody[]) =>
  entriesOf(...events).map(({ kind, tone, title }) => `${kind} ${tone}: ${title}`);

const calls = (callId: string, ...uses: [string, unknown][]): EventBody =>
  agentThought(callId, {
    content: uses.map(([toolName, input], i) => ({
      type: "tool-call",
      toolCallId: `p${i}`,
      toolName,
      input,
    })),
  });

const result = (toolCallId: string, more: Partial<Payload<"TOOL_RESULT">>): EventBody => ({
  type: "TOOL_RESULT",
  payload: { toolCallId, output: "…", ...more },
});

test("[28.11] the timeline shows the conversation that a child gets from its parent as one dimmed line", () => {
  const text = "Your parent's conversation so far: [user] Add authentication";
  const context: EventBody = {
    type: "CONTEXT_ADDED",
    payload: { id: "parent", source: "parent", from: "main", text },
  };
  expect(linesOf(runStarted(), context).at(-1)).toBe("context quiet: Reads the conversation of main");
  expect(entriesOf(runStarted(), context).at(-1)!.detail).toBe(text);
});

test("[28.10] the end of a child or a run that a limit cut off is a warning", () => {
  const cut = runEnded("RUN_COMPLETED", "Half.", "max_turns");
  expect(linesOf(runStarted(), cut).at(-1)).toBe("end warn: Cut off (max turns): Half.");
  const result = {
    ...(cut as { payload: Payload<"RUN_COMPLETED"> }).payload.result,
    stop_reason: "max_turns" as const,
  };
  const child = {
    child_run_id: "c1",
    key: "m1.0",
    agent_type: "coder",
    success: true,
    summary: "Half.",
    result,
  };
  const ended = { type: "CHILD_RUN_COMPLETED", payload: child } as EventBody;
  expect(linesOf(runStarted(), ended).at(-1)).toBe("child warn: Run c1 was cut off (max turns): Half.");
});

test("the timeline describes each step of a run in order, and every line has the seq of its event", () => {
  const story = [
    runStarted({ agent: "coder" }),
    modelCallStarted("m1"),
    calls("m1", ["Read", { path: "src/app.ts" }], ["Bash", { command: "npm test\n  --silent" }]),
    toolProposed("m1.0", { verdict: "allow", name: "Read" }),
    toolStarted("m1.0"),
    toolResult("m1.0", "const a = 1;"),
    toolProposed("m1.1", { preview: "$ npm test" }),
    runSuspended("s1", { kind: "approval", items: ["m1.1"] }),
    approvalDecided("m1.1", "approve", "maria", { note: "go on" }),
    toolStarted("m1.1"),
    result("m1.1", { outcome: "unknown", isError: true }),
    contextAdded("x", "Try again, please"),
    modelCallStarted("m2"),
    agentThought("m2", { content: [{ type: "text", text: "It is mended.\nAll tests pass." }] }),
    runEnded(),
  ];
  expect(linesOf(...story)).toEqual([
    "start plain: Started: coder",
    "model quiet: Model call: fake/one",
    "tool plain: Read src/app.ts",
    "result quiet: Done: Read src/app.ts",
    "approval warn: Asks to run: npm test --silent",
    "wait warn: Waiting for an approval",
    "approval good: Approved by maria: Run: npm test --silent",
    "tool plain: Run: npm test --silent",
    "result warn: Outcome unknown: Run: npm test --silent",
    "context plain: A person says: Try again, please",
    "model quiet: Model call: fake/one",
    "thought plain: It is mended. All tests pass.",
    "end good: Done: It works.",
  ]);
  const entries = entriesOf(...story);
  expect(entries[0]).toMatchObject({ seq: 1, ts: 1_700_000_000_000, detail: "Mend the service" });
  expect(entries[4]).toMatchObject({ seq: 7, detail: "$ npm test" });
  expect(entries.at(-2)).toMatchObject({ detail: "It is mended.\nAll tests pass." });
});

test("[F40] a wait for the provider shows its reason and the local time at which it ends", () => {
  const at = 1_700_000_000_000;
  const hhmm = (ms: number) => new Date(ms).toTimeString().slice(0, 5);
  const rateLimited = (retryAt: number) =>
    modelCallFailed("m1", { cause: "rate_limit", message: "429 Too Many Requests", retryAt });
  expect(linesOf(rateLimited(at + 60_000))).toEqual([
    `wait warn: Waiting for the provider until ${hhmm(at + 60_000)} (429 Too Many Requests)`,
  ]);
  expect(linesOf(rateLimited(at + 3 * 86_400_000))[0]).toMatch(/until 2023-11-1\d \d\d:\d\d \(429/);
  expect(linesOf(modelCallFailed("m1", { cause: "auth", message: "no key" }))).toEqual([
    "error bad: The model call failed: no key",
  ]);
  expect(linesOf(modelCallFailed("m1"))).toEqual([
    "error warn: The model's answer was cut off; the call is repeated",
  ]);
  expect(linesOf(modelCallStarted("m1", { attempt: 2, purpose: "final" }))).toEqual([
    "model quiet: Model call: fake/one (attempt 2, final)",
  ]);
});

test("[P7] a model call interrupted by a cancel is not shown as retried", () => {
  const cancel: EventBody = { type: "CANCEL_REQUESTED", payload: { by: "maria" } };
  expect(linesOf(modelCallStarted("m1"), cancel, modelCallFailed("m1")).at(-1)).toBe(
    "error warn: The model's answer was cut off",
  );
  expect(linesOf(modelCallStarted("m1"), modelCallFailed("m1"), cancel)[1]).toMatch(
    /; the call is repeated$/,
  );
});

test("the line of a decision shows who decided what, and with which scope", () => {
  const bash = calls("m1", ["Bash", { command: "rm x" }]);
  const line = (event: EventBody) => linesOf(bash, event)[0];
  expect(line(approvalDecided("m1.0", "reject", "jon", { note: "not that" }))).toBe(
    "approval bad: Rejected by jon (not that): Run: rm x",
  );
  expect(line(approvalDecided("m1.0~2", "edit", "jon", { input: { command: "rm y" } }))).toBe(
    "approval good: Changed and approved by jon: Run: rm y",
  );
  expect(line(approvalDecided("m1.0", "approve", "jon", { scope: "always", grant: "Bash(rm x)" }))).toBe(
    "approval good: Approved by jon and granted Bash(rm x) (always): Run: rm x",
  );
  expect(line(approvalDecided("budget/1", "approve", "jon"))).toBe(
    "approval good: Approved by jon: budget/1",
  );
  expect(line(approvalDecided("m1.0", "answer", "jon", { answer: "blue" }))).toBe(
    "approval good: jon answered: blue",
  );
  expect(line(approvalDecided("m1.0", "expire", "system"))).toBe(
    "approval warn: Nobody decided in time: Run: rm x",
  );
  expect(line(toolProposed("m1.0", { verdict: "deny", rule: "project deny Bash(rm *)" }))).toBe(
    "approval bad: Not allowed: Run: rm x",
  );
  expect(line(toolProposed("m1.0", { round: 2 }))).toBe(
    "approval warn: Asks again, now that something changed, to run: rm x",
  );
});

test("the line of a result shows the outcome of its call", () => {
  const line = (more: Partial<Payload<"TOOL_RESULT">>) =>
    linesOf(calls("m1", ["Write", { path: "a.ts" }]), result("m1.0", more))[0];
  expect(line({ files: [{ path: "a.ts", change: "created" }] })).toBe(
    "result good: Write a.ts: created a.ts",
  );
  expect(line({ isError: true })).toBe("result bad: Failed: Write a.ts");
  expect(line({ sandbox: "bwrap" })).toBe("result quiet: Done: Write a.ts (sandbox bwrap)");
  expect(line({ sandbox: "none" })).toBe("result quiet: Done: Write a.ts (no sandbox)");
  expect(line({ isError: true, outcome: "denied" })).toBe("result bad: Refused: Write a.ts");
  expect(line({ outcome: "deferred" })).toBe("result quiet: Put off: Write a.ts");
  expect(line({ outcome: "stale" })).toBe("result warn: Not done, because something changed: Write a.ts");
  expect(line({ outcome: "not_started" })).toBe("result quiet: Not started: Write a.ts");
});

test("child runs are shown by the names of their agents", () => {
  const { result: envelope } = runEnded().payload as Payload<"RUN_COMPLETED">;
  const lines = linesOf(
    {
      type: "CHILD_RUN_STARTED",
      payload: {
        child_run_id: "c1",
        agent_type: "tester",
        task: "Test it",
        trigger: "delegation",
        key: "m1.0",
      },
    },
    {
      type: "CHILD_RUN_COMPLETED",
      payload: { child_run_id: "c1", success: false, summary: "2 tests fail", key: "m1.0", result: envelope },
    },
  );
  expect(lines).toEqual([
    "child plain: Started tester: Test it",
    "child bad: tester did not succeed: 2 tests fail",
  ]);
});

test("[29.5] a child that somebody cancelled is not shown as a failure", () => {
  const { result } = runEnded().payload as Payload<"RUN_COMPLETED">;
  const payload = {
    ...{ child_run_id: "c1", success: false, summary: "A person cancelled it.", key: "m1.0" },
    result: { ...result, status: "cancelled" as const },
  };
  expect(linesOf({ type: "CHILD_RUN_COMPLETED", payload })).toEqual([
    "child warn: Run c1 was cancelled: A person cancelled it.",
  ]);
});

test("a call is described by its main input field", () => {
  expect(describeCall("Grep", { pattern: "TODO", path: "src" })).toBe("Grep TODO");
  expect(describeCall("TodoWrite", { todos: [1] })).toBe('TodoWrite {"todos":[1]}');
  const todos = [{ content: "Look", status: "completed" }];
  expect(describeCall("TodoWrite", { todos })).toBe("To do: 1 of 1 done");
  expect(describeCall("LS", {})).toBe("LS");
  expect(describeCall("LS", null)).toBe("LS");
  expect(describeCall("Bash", { command: "x".repeat(500) })).toHaveLength(165);
});

test("[A64] each title in the timeline is one short line, whatever the text contains", () => {
  const text = `a\n\n\tb ${"👩".repeat(400)}`;
  const [entry] = buildJournal(agentThought("m1", { content: [{ type: "text", text }] })).map((event) =>
    timelineEntry(event),
  );
  expect(entry?.title).toMatch(/^a b 👩/);
  expect(entry?.title.length).toBeLessThanOrEqual(160);
  expect(entry?.title.isWellFormed()).toBe(true);
  expect(entry?.detail).toBe(text);
});

test("a call without a known name is shown by its id, and the end of a run shows its reason", () => {
  const [event] = buildJournal(toolStarted("m1.0", 2));
  expect(timelineEntry(event!)).toMatchObject({ title: "Call m1.0 (attempt 2)" });
  const limit = {
    ...(runEnded("RUN_FAILED", "Half done.").payload as Payload<"RUN_FAILED">),
    stopReason: "max_turns",
  } as const;
  expect(linesOf({ type: "RUN_FAILED", payload: limit })).toEqual([
    "end bad: Failed (max turns): Half done.",
  ]);
});

test("[H1] if a pattern could not start an agent, the timeline names the agent by its slot", () => {
  const message = "it is not allowed (project deny delegate(law)).";
  const refused: EventBody = {
    type: "SYSTEM_ERROR",
    payload: { id: "advisor/law", code: "NOT_STARTED", message, fatal: false },
  };
  expect(linesOf(runStarted(), refused).at(-1)).toBe(`error warn: Not started (advisor/law): ${message}`);
});

test("a call that fails after a cancel request is shown as stopped; a call that fails before the request is shown as failed", () => {
  const cancel: EventBody = { type: "CANCEL_REQUESTED", payload: { by: "maria" } };
  const story = [
    runStarted(),
    calls("m1", ["Bash", { command: "false" }], ["Bash", { command: "sleep 60" }], ["Write", { path: "a" }]),
    result("m1.0", { isError: true }),
    cancel,
    result("m1.1", { isError: true }),
    result("m1.2", { isError: true, outcome: "not_started" }),
  ];
  expect(linesOf(...story).slice(1)).toEqual([
    "result bad: Failed: Run: false",
    "end warn: maria asked to cancel",
    "result warn: Stopped: Run: sleep 60",
    "result quiet: Not started: Write a",
  ]);
});

test("if several runs below need a person, the waiting run shows their number", () => {
  const suspendedBy = (...blockers: string[]): EventBody => ({
    type: "RUN_SUSPENDED",
    key: `s${blockers.length}`,
    payload: { waitingOn: { kind: "child_hitl" }, blockers },
  });
  expect(linesOf(runStarted(), suspendedBy("c1"), suspendedBy("c1", "c2")).slice(1)).toEqual([
    "wait warn: Waiting: a child needs a person",
    "wait warn: Waiting: 2 runs below need a person",
  ]);
});

test("[S3-40] a team member's timeline shows the round and each message from other members", () => {
  const messageToMember = (id: string, text: string, more: Partial<Payload<"CONTEXT_ADDED">>): EventBody => ({
    type: "CONTEXT_ADDED",
    payload: { id, source: "team", text, ...more },
  });
  const nonce = "rn8ds1yyd5qn8qze";
  const marked = `ann says:\n<untrusted-${nonce} source="ann c8">\nI have\na doubt.\n</untrusted-${nonce}>`;
  const lines = linesOf(
    runStarted(),
    messageToMember("opening", "Round 2 of at most 10. What the others said follows.", {
      source: "agent",
      opening: true,
    }),
    messageToMember("team/7", marked, { from: "ann" }),
    messageToMember("discussion/over", `## ROUND 1\n\n${marked}`, {}),
  );
  expect(lines.slice(1)).toEqual([
    "context quiet: Reads instead of its task: Round 2 of at most 10. What the others said follows.",
    "context quiet: Hears: ann says: I have a doubt.",
    "context quiet: Reads the team's discussion",
  ]);
});
