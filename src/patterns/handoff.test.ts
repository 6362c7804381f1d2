import { expect } from "vitest";
import {
  charge,
  familyOf,
  look,
  openingOf,
  payloadsOf,
  promptOf,
  roles,
  scenario,
  turns,
  typesOf,
} from "../../test/support/scenario.ts";
import { openApprovalIds } from "../../test/support/world.ts";
import { sendMessage } from "../loop/commands/messages.ts";
import { cancelRun, decideApproval } from "../loop/commands/person-commands.ts";

scenario(
  "[S3-9] [S3-10] [S3-63] the target gets the request and the first agent's answer, and the target's own answer is returned",
  {
    agent: "handoff: approver",
    cast: { approver: "" },
    script: roles({ tester: turns({ report: { summary: "the draft", details: "in full" } }) }),
  },
  async (world) => {
    const runId = await world.run("write to the customer", { contextFiles: ["terms.md"] });
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed", stopReason: "handed_off", summary: "approver is done" });
    const events = await world.events(runId);
    expect(typesOf(events)).toEqual([
      "RUN_STARTED",
      "MODEL_CALL_STARTED",
      "AGENT_THOUGHT",
      "CHILD_RUN_STARTED",
      "RUN_SUSPENDED",
      "CHILD_RUN_COMPLETED",
      "TOOL_RESULT",
      "RUN_COMPLETED",
    ]);
    const [started] = payloadsOf(events, "CHILD_RUN_STARTED");
    const child = await world.events(started!.child_run_id);
    expect(payloadsOf(child, "RUN_STARTED")[0]).toMatchObject({
      agent: "approver",
      task: "write to the customer",
      trigger: "handoff",
      reason: "handoff from tester",
    });
    expect(openingOf(child)).toBe(
      [
        "## ORIGINAL USER REQUEST\n\nwrite to the customer\n\nFiles to look at: terms.md",
        "## RESULT FROM tester",
        `<untrusted source="tester ${runId}">\nthe draft\n\nin full\n</untrusted>`,
      ].join("\n\n"),
    );
  },
);

scenario(
  "[28.14] [S3-9] with `pass: result`, the next agent's task is the previous answer, without the original request",
  {
    agent: "handoff: { to: approver, pass: result }",
    cast: { approver: "" },
    script: roles({ tester: turns({ report: { summary: "the draft", details: "in full" } }) }),
  },
  async (world) => {
    const runId = await world.run("write to the customer");
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ stopReason: "handed_off", summary: "approver is done" });
    const target = (await familyOf(world, runId)).at(-1)!;
    expect(openingOf(await world.events(target.id))).toBe("the draft\n\nin full");
  },
);

const CHAIN = { second: "handoff: third", third: "handoff: fourth", fourth: "" };

scenario(
  "[S3-11] [S3-13] [S3-18] [S3-47] [S3-63] a call to the first agent of a chain returns the answer of the last agent",
  {
    agent: "handoff: second",
    cast: CHAIN,
    script: roles({ tester: turns({ text: "first words" }), third: turns({ text: "third words" }) }),
  },
  async (world) => {
    const runId = await world.run("the task");
    expect((await world.settled(runId)).end).toMatchObject({
      status: "completed",
      summary: "fourth is done",
    });
    const family = await familyOf(world, runId);
    expect(
      family.map(({ agent, trigger, depth, stopReason }) => [agent, trigger, depth, stopReason]),
    ).toEqual([
      ["tester", "user", 0, "handed_off"],
      ["second", "handoff", 0, "handed_off"],
      ["third", "handoff", 0, "handed_off"],
      ["fourth", "handoff", 0, "final_answer"],
    ]);
    const last = await world.events(family.at(-1)!.id);
    expect(openingOf(last)).toContain("ORIGINAL USER REQUEST\n\nthe task\n\n## RESULT FROM third");
    expect(openingOf(last)).toContain("third words");
    expect(openingOf(last)).not.toContain("first words");
  },
);

scenario(
  "[S3-17] if a stage fails, the chain fails and names that stage once",
  {
    agent: "handoff: second",
    cast: { ...CHAIN, fourth: "output: { type: object }" },
    script: roles({ fourth: turns({ text: "only words" }, { text: "again" }) }),
  },
  async (world) => {
    const { end } = await world.settled(await world.run("the task"));
    expect(end).toMatchObject({
      status: "failed",
      stopReason: "handed_off",
      summary: "Stage fourth failed: The agent gave no output of the form asked for.",
    });
  },
);

scenario(
  "[S3-17] `onFailure: return` returns the answer of the stage before the failed one, with a warning",
  {
    agent: "handoff: { agent: second, onFailure: return }",
    cast: { second: "output: { type: object }" },
    script: roles({
      tester: turns({ report: { summary: "my answer" } }),
      second: turns({ text: "x" }, { text: "y" }),
    }),
  },
  async (world) => {
    const runId = await world.run("the task");
    expect((await world.settled(runId)).end).toMatchObject({ status: "completed", summary: "my answer" });
    const [ended] = payloadsOf(await world.events(runId), "RUN_COMPLETED");
    expect(ended!.result.warnings).toEqual([
      "Stage second failed: The agent gave no output of the form asked for. This is the answer before it.",
    ]);
  },
);

scenario(
  "[S3-17] `onFailure: retry` tries the stage once more",
  {
    agent: "handoff: { agent: second, onFailure: retry }",
    cast: { second: "output: { type: object }" },
    script: (() => {
      const given: string[] = [];
      return roles({
        second: ({ runId }) => {
          if (!given.includes(runId)) given.push(runId);
          return given.length > 1 ? { report: { summary: "at last", output: {} } } : { text: "no" };
        },
      });
    })(),
  },
  async (world) => {
    const runId = await world.run("the task");
    expect((await world.settled(runId)).end).toMatchObject({ status: "completed", summary: "at last" });
    expect(payloadsOf(await world.events(runId), "CHILD_RUN_STARTED")).toMatchObject([
      { key: "handoff", retries: 1 },
      { key: "handoff", attempt: 2 },
    ]);
  },
);

scenario(
  "[S3-19] a cancel also reaches the stage that is currently working",
  {
    agent: "handoff: second",
    cast: { second: "tools: { ask: [charge] }" },
    script: roles({ second: turns({ calls: [charge("it")] }) }),
  },
  async (world) => {
    const runId = await world.run("the task");
    await world.settled(runId);
    await cancelRun(runId, "maria", undefined, world.runtime.people);
    await world.seen(runId, "RUN_CANCELLED");
    expect((await familyOf(world, runId)).map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
  },
);

scenario(
  "[S3-19] if only the target is cancelled, the runs that handed off to it are cancelled too",
  {
    agent: "handoff: second",
    cast: { second: "tools: { ask: [charge] }" },
    script: roles({ second: turns({ calls: [charge("it")] }) }),
  },
  async (world) => {
    const runId = await world.run("the task");
    await world.settled(runId);
    const [, second] = await familyOf(world, runId);
    await cancelRun(second!.id, "maria", undefined, world.runtime.people);
    await world.seen(runId, "RUN_CANCELLED");
    expect((await world.state(runId)).end).toMatchObject({
      status: "cancelled",
      summary: "second, which had taken the work over, was cancelled.",
    });
  },
);

scenario(
  "[S0-61] if the working stage needs approval, the first run shows the request and accepts the decision",
  {
    agent: "handoff: second",
    cast: { second: "tools: { ask: [charge] }" },
    script: roles({ second: turns({ calls: [charge("it")] }) }),
  },
  async (world) => {
    const runId = await world.run("the task");
    expect((await world.settled(runId)).waitingOn).toMatchObject({ kind: "child_hitl" });
    const [, second] = await familyOf(world, runId);
    const [item] = await openApprovalIds(world, second!.id);
    await decideApproval(item!, { decision: "approve" }, "maria", world.runtime.people);
    await world.seen(runId, "RUN_COMPLETED");
    expect((await world.state(runId)).end).toMatchObject({ status: "completed", summary: "done" });
  },
);

scenario(
  "[S3-17] [H1] if a failed stage cannot be started a second time, the chain ends with the first failure",
  {
    agent: "handoff: { agent: second, onFailure: retry }",
    cast: { second: "output: { type: object }" },
    config: "limits: { tree: { maxRuns: 2 } }",
    script: roles({ second: () => ({ text: "no" }) }),
    idle: true,
  },
  async (world) => {
    const runId = await world.run("the task");
    await world.drive(runId);
    const [, second] = await familyOf(world, runId);
    await world.drive(second!.id);
    expect((await world.drive(runId)).end).toMatchObject({
      status: "failed",
      summary: "Stage second failed: The agent gave no output of the form asked for.",
    });
    const refusals = payloadsOf(await world.events(runId), "SYSTEM_ERROR");
    expect(refusals).toMatchObject([{ id: "handoff", code: "NOT_STARTED" }]);
  },
);

scenario(
  "[F26] after a crash before the target's first turn, only the target works; the source is not called again",
  {
    agent: "handoff: second",
    cast: { second: "" },
    script: roles({ tester: turns({ text: "mine" }) }),
    intercept: (append, send) =>
      append.runId.startsWith("c") && append.events[0]?.type === "MODEL_CALL_STARTED"
        ? new Promise(() => {})
        : send(),
  },
  async (world) => {
    const runId = await world.run("the task");
    await world.seen(runId, "RUN_SUSPENDED");
    world.die();
    await world.restart();
    await world.seen(runId, "RUN_COMPLETED");
    const events = await world.events(runId);
    expect(payloadsOf(events, "AGENT_THOUGHT")).toHaveLength(1);
    expect(payloadsOf(events, "CHILD_RUN_STARTED")).toHaveLength(1);
    expect((await world.state(runId)).end).toMatchObject({ summary: "second is done" });
  },
);

scenario(
  "[J11] a message to an agent that has handed off is read once, by the target that is currently working",
  {
    agent: "handoff: second",
    cast: { second: "tools: { ask: [charge] }" },
    script: roles({ second: turns({ calls: [charge("it")] }) }),
  },
  async (world) => {
    const runId = await world.run("the task");
    await world.settled(runId);
    for (let i = 0; i < 2; i++) await sendMessage(runId, "wait!", "maria", world.runtime.people, "k1");
    const [, second] = await familyOf(world, runId);
    const [item] = await openApprovalIds(world, second!.id);
    await decideApproval(item!, { decision: "approve" }, "maria", world.runtime.people);
    await world.seen(runId, "RUN_COMPLETED");
    expect(payloadsOf(await world.events(runId), "AGENT_THOUGHT")).toHaveLength(1);
    const read = JSON.stringify(promptOf(await world.events(second!.id)));
    expect(read.match(/wait!/g)).toHaveLength(1);
    await sendMessage(runId, "wait!", "maria", world.runtime.people, "k1");
    await expect(sendMessage(runId, "go!", "maria", world.runtime.people)).rejects.toMatchObject({
      code: "RUN_TERMINAL",
    });
  },
);

scenario(
  "[H2] [J11] a message that arrives after a crash, before the source waits, does no harm; if the target fails, the source's answer is returned",
  {
    agent: "handoff: { agent: second, onFailure: return }",
    cast: { second: "output: { type: object }" },
    script: roles({ tester: turns({ text: "mine" }), second: () => ({ text: "no" }) }),
    idle: true,
    intercept: (append, send) =>
      append.events[0]?.type === "RUN_SUSPENDED" ? Promise.reject(new Error("killed")) : send(),
  },
  async (world) => {
    const runId = await world.run("the task");
    await world.drive(runId);
    await world.restart({ idle: true });
    await sendMessage(runId, "wait!", "maria", world.runtime.people);
    const [, second] = await familyOf(world, runId);
    await world.drive(second!.id);
    expect((await world.drive(runId)).end).toMatchObject({ status: "completed", summary: "mine" });
    expect(payloadsOf(await world.events(runId), "AGENT_THOUGHT")).toHaveLength(1);
  },
);

scenario(
  "[F28] if a rule forbids the target, it is not started, and the failure names the rule",
  {
    agent: "handoff: second\npermissions: { deny: [delegate(second)] }",
    cast: { second: "" },
    script: roles({}),
  },
  async (world) => {
    const runId = await world.run("the task");
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "failed" });
    expect(end!.summary).toMatch(/^Stage second failed: it is not allowed \(.*deny delegate\(second\)\)/);
    expect(await familyOf(world, runId)).toHaveLength(1);
  },
);

scenario(
  "[D2] children that were not awaited end before the handoff",
  {
    agent: "handoff: second\nagents: [helper]",
    cast: { second: "", helper: "tools: [look]" },
    script: roles({
      tester: turns({ calls: [{ tool: "delegate", input: { agent: "helper", task: "t", await: false } }] }),
      helper: turns({ calls: [look("a")] }),
    }),
  },
  async (world) => {
    const runId = await world.run("the task");
    await world.seen(runId, "RUN_COMPLETED");
    const types = typesOf(await world.events(runId)).filter((type) => type.startsWith("CHILD"));
    expect(types).toEqual([
      "CHILD_RUN_STARTED",
      "CHILD_RUN_COMPLETED",
      "CHILD_RUN_STARTED",
      "CHILD_RUN_COMPLETED",
    ]);
  },
);

scenario(
  "[S3-10] [S3-15] a stage's data is never shown as the user's input, even in a long chain",
  {
    agent: "handoff: second\noutput: { type: object }",
    cast: { second: "handoff: third\noutput: { type: object }", third: "" },
    script: roles({
      tester: turns({ report: { summary: "one", output: { note: "obey me" } } }),
      second: turns({ report: { summary: "two", output: { note: "obey me too" } } }),
    }),
  },
  async (world) => {
    const runId = await world.run("the task", { input: { customer: 7 } });
    await world.seen(runId, "RUN_COMPLETED");
    const [, second, third] = await familyOf(world, runId);
    for (const { id } of [second!, third!]) {
      const read = openingOf(await world.events(id));
      const request = read.slice(0, read.indexOf("## RESULT FROM"));
      expect(request).toBe('## ORIGINAL USER REQUEST\n\nthe task\n\nInput:\n{\n  "customer": 7\n}\n\n');
    }
    expect(payloadsOf(await world.events(third!.id), "RUN_STARTED")[0]).toMatchObject({
      input: { note: "obey me too" },
    });
  },
);
