import { expect } from "vitest";
import { effects } from "../../test/support/oracle.ts";
import { look, payloadsOf, roles, scenario, turns, typesOf } from "../../test/support/scenario.ts";
import {
  answersOf,
  controlled,
  promptText,
  refusedByProvider,
  says,
  yieldsOf,
} from "../../test/support/steps.ts";
import { openApprovalIds } from "../../test/support/world.ts";
import { fakeClock } from "../clock.ts";
import { sendMessage } from "../loop/commands/messages.ts";
import { cancelRun, decideApproval } from "../loop/commands/person-commands.ts";

scenario(
  "[S1-33] [S1-34] prompt, turns and return: the module's return value is the run's answer",
  {
    ...controlled(`
      yield prompt("First list the risks of: " + task);
      const risks = yield* turns();
      yield prompt("Now the plan.");
      const plan = yield* turns();
      return { summary: risks.summary + " / " + plan.summary, details: "two prompts" };`),
    script: says("fire", "a bucket"),
  },
  async (world) => {
    const runId = await world.run("the barn");
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({
      status: "completed",
      stopReason: "final_answer",
      summary: "fire / a bucket",
    });
    const events = await world.events(runId);
    expect(typesOf(events).filter((type) => type !== "CONTEXT_ADDED")).toEqual([
      "RUN_STARTED",
      "STEP_YIELDED",
      "MODEL_CALL_STARTED",
      "AGENT_THOUGHT",
      "STEP_YIELDED",
      "STEP_YIELDED",
      "MODEL_CALL_STARTED",
      "AGENT_THOUGHT",
      "STEP_YIELDED",
      "RUN_COMPLETED",
    ]);
    expect(yieldsOf(events)[1]).toEqual({
      index: 1,
      kind: "turns",
      arguments: {},
      answer: { done: true, summary: "fire" },
    });
    expect(promptText(events)).toEqual([
      "user: the barn",
      "user: First list the risks of: the barn",
      "assistant: fire",
      "user: Now the plan.",
      "assistant: a bucket",
    ]);
  },
);

scenario(
  "turn: the module gets one turn of the agent with its calls; a report in that turn does not end the run",
  {
    ...controlled(`
      const one = yield* turn();
      const two = yield* turn();
      return one.calls[0]?.output + "; " + two.report?.summary;`),
    script: turns({ text: "I look.", calls: [look("a")] }, { report: { summary: "seen" } }),
  },
  async (world) => {
    const runId = await world.run("look");
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed", summary: "look a: done; seen" });
    const events = await world.events(runId);
    expect(answersOf(events)).toEqual([
      {
        text: "I look.",
        calls: [{ name: "look", input: { what: "a" }, output: "look a: done", isError: false }],
      },
      {
        text: "",
        calls: [{ name: "final_report", input: { summary: "seen" }, output: "Received.", isError: false }],
        report: { summary: "seen" },
      },
    ]);
    expect(refusedByProvider(events)).toBeUndefined();
  },
);

scenario(
  "turns: if they reach their maximum, the module gets the agent's last text; a module without a return value answers with its last report",
  {
    ...controlled(`
      const first = yield* turns({ max: 2 });
      if (first.done) return "too early";
      yield* turns();`),
    script: turns({ calls: [look("a")] }, { text: "still at it", calls: [look("b")] }, { text: "found it" }),
  },
  async (world) => {
    const runId = await world.run("search");
    expect((await world.settled(runId)).end).toMatchObject({ status: "completed", summary: "found it" });
    expect(answersOf(await world.events(runId))).toEqual([
      { done: false, summary: "still at it" },
      { done: true, summary: "found it" },
    ]);
  },
);

scenario(
  "tool: a call is judged and journaled like the model's own, and the model sees it unless it is hidden",
  {
    ...controlled(`
      const seen = yield* tool("look", { what: "tests" });
      const quiet = yield* tool("look", { what: "secrets" }, { hidden: true });
      const none = yield* tool("fly", {});
      const bad = yield* tool("look", { where: 1 });
      yield prompt("Go on.");
      yield* turns();
      return JSON.stringify([seen, quiet, none.isError, bad.isError]);`),
    script: says("ok"),
  },
  async (world) => {
    const runId = await world.run("check");
    const { end } = await world.settled(runId);
    expect(JSON.parse(end!.summary)).toEqual([
      { output: "look tests: done", isError: false },
      { output: "look secrets: done", isError: false },
      true,
      true,
    ]);
    const events = await world.events(runId);
    expect(payloadsOf(events, "TOOL_PROPOSED")[0]).toMatchObject({
      toolCallId: "s0.0",
      name: "look",
      input: { what: "tests" },
      verdict: "allow",
    });
    expect(promptText(events)).toEqual([
      "user: check",
      "assistant: look()",
      "tool: look tests: done",
      "assistant: fly()",
      expect.stringContaining("There is no tool"),
      "assistant: look()",
      expect.stringContaining("does not fit"),
      "user: Go on.",
      "assistant: ok",
    ]);
    expect(refusedByProvider(events)).toBeUndefined();
    expect(effects(world.oracle).map(({ callId }) => callId)).toEqual(["s0.0", "s1.0"]);
  },
);

scenario(
  "[F11] a module's call after the agent's text goes into the same message, so no two assistant messages follow each other",
  {
    ...controlled(`
      yield* turns();
      yield* tool("look", { what: "a" });
      yield* turns();
      return "done";`),
    script: says("I think", "I know"),
  },
  async (world) => {
    const runId = await world.run("think");
    await world.settled(runId);
    const events = await world.events(runId);
    expect(promptText(events)).toEqual([
      "user: think",
      "assistant: I think look()",
      "tool: look a: done",
      "assistant: I know",
    ]);
    expect(refusedByProvider(events)).toBeUndefined();
  },
);

scenario(
  "[P5] if a module's call needs approval, it waits for a person, and the module gets the decision",
  {
    ...controlled(`
      const yes = yield* tool("charge", { what: "a" });
      const no = yield* tool("charge", { what: "b" });
      return [yes.output, no.output, no.isError].join("; ");`),
    config: "permissions: { ask: [charge] }",
    script: says(),
  },
  async (world) => {
    const runId = await world.run("buy");
    for (const decision of ["approve", "reject"] as const) {
      const { waitingOn } = await world.settled(runId);
      expect(waitingOn).toMatchObject({ kind: "approval" });
      const [id] = await openApprovalIds(world, runId);
      await decideApproval(id!, { decision, note: "as I like" }, "ann", world.runtime.people);
      if (decision === "approve") await world.seen(runId, "STEP_YIELDED");
    }
    const { end } = await world.settled(runId);
    expect(end?.summary).toBe("charge a: done; Rejected by ann: as I like; true");
    expect(effects(world.oracle).map(({ input }) => input)).toEqual(["a"]);
  },
);

scenario(
  "delegate and parallel: the module gets the children's results in order",
  {
    ...controlled(
      `
      const plan = yield* delegate("planner", "plan it");
      const [one, two] = yield* parallel([delegate("coder", "half"), delegate("stranger", "half", { hidden: true })]);
      yield* turns();
      return [plan.summary, one?.summary, two?.status, two?.summary].join("; ");`,
      "agents: [planner, coder]",
    ),
    cast: { planner: "", coder: "", stranger: "" },
    script: roles({ tester: says("ok") }),
  },
  async (world) => {
    const runId = await world.run("build");
    const { end } = await world.settled(runId);
    expect(end?.summary).toMatch(
      /^planner is done; coder is done; failed; PERMISSION_DENIED: tester cannot spawn stranger/,
    );
    const events = await world.events(runId);
    expect(payloadsOf(events, "CHILD_RUN_STARTED")).toMatchObject([
      { agent_type: "planner", trigger: "delegation", key: "s0.0" },
      { agent_type: "coder", trigger: "delegation", key: "s1.0" },
    ]);
    expect(promptText(events).filter((line) => line.startsWith("assistant"))).toEqual([
      "assistant: delegate()",
      "assistant: delegate()",
      "assistant: ok",
    ]);
    expect(refusedByProvider(events)).toBeUndefined();
  },
);

scenario(
  "parallel children run at the same time, even if the agent delegates sequentially",
  {
    idle: true,
    ...controlled(
      `
      const both = yield* parallel([delegate("left", "l"), delegate("right", "r")]);
      return both.map(({ summary }) => summary).join(", ");`,
      "agents: [left, right]",
    ),
    cast: { left: "", right: "" },
    script: roles({}),
  },
  async (world) => {
    const runId = await world.run("both");
    const { waitingOn, children } = await world.drive(runId);
    expect(waitingOn).toMatchObject({ kind: "child" });
    expect(children.size).toBe(2);
    for (const child of [...children.keys()].reverse()) await world.drive(child);
    const { end } = await world.drive(runId);
    expect(end?.summary).toBe("left is done, right is done");
  },
);

scenario(
  "ask: the module gets a person's answer, even if it came while no process ran",
  {
    ...controlled(`
      const go = yield* ask("Ship it?", { choices: ["yes", "no"] });
      return "The answer is " + go;`),
    script: says(),
  },
  async (world) => {
    const runId = await world.run("ship");
    const { waitingOn } = await world.settled(runId);
    expect(waitingOn).toMatchObject({ kind: "question", items: ["question/0"], detail: "Ship it?" });
    const [item] = await world.runtime.store.inbox.openItems();
    expect(item).toMatchObject({ kind: "question", itemId: "question/0" });
    await world.restart({ idle: true });
    const { people } = world.runtime;
    const answer = (text: string) =>
      decideApproval(`${runId}:question/0`, { decision: "answer", answer: text }, "ann", people);
    await expect(answer("perhaps")).rejects.toThrow("one of: yes, no");
    await expect(
      decideApproval(`${runId}:question/0`, { decision: "approve" }, "ann", people),
    ).rejects.toThrow("This is a question");
    expect(await answer("yes")).toEqual({ alreadyDecided: false });
    expect(await answer("yes")).toEqual({ alreadyDecided: true });
    await expect(answer("no")).rejects.toThrow("ann has decided already");
    await world.restart({ idle: false });
    expect((await world.settled(runId)).end?.summary).toBe("The answer is yes");
  },
);

scenario(
  "a question that is not answered in time gets the answer null",
  {
    idle: true,
    clock: fakeClock(),
    ...controlled(`return "Got " + (yield* ask("Well?"));`, "limits: { approvalTimeout: 1h }"),
    script: says(),
  },
  async (world) => {
    const { clock } = world.runtime.parts;
    const runId = await world.run("ask");
    await world.drive(runId);
    (clock as ReturnType<typeof fakeClock>).advance(3_600_000);
    const { end } = await world.drive(runId);
    expect(end?.summary).toBe("Got null");
  },
);

scenario(
  "[P8] sleep: the journal contains the wake-up time, so another process can resume the run",
  {
    idle: true,
    clock: fakeClock(),
    ...controlled(`yield* sleep("10m"); return "rested";`),
    script: says(),
  },
  async (world) => {
    const clock = world.runtime.parts.clock as ReturnType<typeof fakeClock>;
    const runId = await world.run("rest");
    const at = clock.now() + 600_000;
    const { status, waitingOn } = await world.drive(runId);
    expect([status, waitingOn]).toEqual(["waiting", { kind: "timer", items: ["sleep/0"], until: at }]);
    await world.restart();
    clock.advance(599_999);
    expect((await world.drive(runId)).end).toBeUndefined();
    clock.advance(1);
    expect((await world.drive(runId)).end?.summary).toBe("rested");
    expect(typesOf(await world.events(runId))).toEqual([
      "RUN_STARTED",
      "TIMER_SET",
      "RUN_SUSPENDED",
      "TIMER_FIRED",
      "STEP_YIELDED",
      "RUN_COMPLETED",
    ]);
  },
);

scenario(
  "after a cancel the generator is not run any further",
  {
    ...controlled(`
      try { yield* ask("Go on?"); } finally { yield* tool("charge", { what: "cleanup" }); }
      return "never";`),
    script: says(),
  },
  async (world) => {
    const runId = await world.run("wait");
    await world.settled(runId);
    await cancelRun(runId, "ann", undefined, world.runtime.people);
    const { end } = await world.settled(runId);
    expect(end?.status).toBe("cancelled");
    expect(effects(world.oracle)).toEqual([]);
  },
);

scenario(
  "[J11] the agent reads a person's message in its next turn",
  {
    ...controlled(`
      yield* turns();
      yield* ask("Go on?");
      yield* turns();
      return "done";`),
    script: says("one", "two"),
  },
  async (world) => {
    const runId = await world.run("talk");
    await world.settled(runId);
    const { people } = world.runtime;
    await sendMessage(runId, "mind the gap", "ann", people);
    await decideApproval(`${runId}:question/1`, { decision: "answer", answer: "yes" }, "ann", people);
    await world.seen(runId, "RUN_COMPLETED");
    expect(promptText(await world.events(runId))).toEqual([
      "user: talk",
      "assistant: one",
      "user: mind the gap",
      "assistant: two",
    ]);
  },
);
