// Combines steps with other features: patterns, limits, trust, and a crash in the middle of a call.

import { expect } from "vitest";
import { effects, oracleTools } from "../../test/support/oracle.ts";
import { look, payloadsOf, promptOf, roles, scenario, turns, typesOf } from "../../test/support/scenario.ts";
import { answersOf, controlled, moduleOf, promptText, says } from "../../test/support/steps.ts";
import { broadcast, discussionIn, ready, vote } from "../../test/support/team.ts";
import { decideApproval, decideOutcome } from "../loop/commands/person-commands.ts";

scenario(
  "[S1-35] advisors work before the module, and a handoff works after it",
  {
    ...controlled(
      `
      const [kind] = [yield* turns()];
      return "drafted: " + kind.summary;`,
      "advisors: [critic]\nhandoff: approver",
    ),
    cast: { critic: "", approver: "" },
    script: roles({ tester: says("a draft") }),
  },
  async (world) => {
    const runId = await world.run("write");
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed", stopReason: "handed_off", summary: "approver is done" });
    const events = await world.events(runId);
    const started = payloadsOf(events, "CHILD_RUN_STARTED");
    expect(started.map(({ trigger }) => trigger)).toEqual(["advisor", "handoff"]);
    const types = typesOf(events);
    expect(types.indexOf("CHILD_RUN_COMPLETED")).toBeLessThan(types.indexOf("MODEL_CALL_STARTED"));
    const [first] = promptOf(await world.events(started[1]!.child_run_id));
    expect(JSON.stringify(first)).toContain("drafted: a draft");
  },
);

scenario(
  "[K4] the broadcasts and votes of a team member that has a module are accepted",
  {
    agent: "team: { members: [lead, aide] }",
    cast: { lead: "steps: ./lead.steps.ts", aide: "" },
    files: { "agents/lead.steps.ts": moduleOf(`yield* turns(); return "done";`) },
    script: roles({ lead: turns({ calls: [broadcast("tea"), vote(true, "agreed")] }), aide: () => ready() }),
  },
  async (world) => {
    const runId = await world.run("what do we drink?");
    await world.settled(runId);
    expect(discussionIn(await world.events(runId))).toEqual([
      "1 lead: tea",
      "1 lead ready: agreed",
      "1 aide ready: because",
    ]);
  },
);

scenario(
  "without Finalize the answer is the last child's, not the module's return value",
  {
    ...controlled(
      `yield* delegate("coder", "code it", { hidden: true }); yield* turns(); return "mine";`,
      "agents: [coder]\npolicy: [Delegate]",
    ),
    cast: { coder: "" },
    script: roles({ tester: says("ok") }),
  },
  async (world) => {
    const runId = await world.run("build");
    expect((await world.settled(runId)).end).toMatchObject({ status: "completed", summary: "coder is done" });
    expect(promptText(await world.events(runId))).toEqual(["user: build", "assistant: ok"]);
  },
);

const OUTPUT = `output: { type: object, properties: { n: { type: number } }, required: [n] }`;

scenario(
  "a module's return value must have the form of its agent's `output`",
  {
    ...controlled(`return { summary: "counted", output: { n: "many" } };`, OUTPUT),
    script: says(),
  },
  async (world) => {
    const { end } = await world.settled(await world.run("count"));
    expect(end).toMatchObject({ status: "failed", stopReason: "invalid_output" });
    expect(end?.summary).toMatch(/What the module returned: `output` does not fit/);
  },
);

scenario(
  "[B3] the turn limit applies to the whole module: the agent is told about its last turn, which ends the run",
  {
    ...controlled(`for (;;) yield* turns();`, "limits: { maxTurns: 3 }"),
    script: says("one", "two", "three"),
  },
  async (world) => {
    const runId = await world.run("go on");
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed", stopReason: "max_turns", summary: "three" });
    const events = await world.events(runId);
    expect(answersOf(events)).toHaveLength(2);
    expect(payloadsOf(events, "MODEL_CALL_STARTED").at(-1)).toMatchObject({ purpose: "final" });
  },
);

scenario(
  "[B3] a module that only calls tools ends when a limit is reached",
  {
    ...controlled(`for (;;) yield* tool("look", { what: "a" });`, "limits: { maxEvents: 60 }"),
    script: says("I looked a lot."),
  },
  async (world) => {
    const { end } = await world.settled(await world.run("look"));
    expect(end).toMatchObject({ status: "failed", stopReason: "history_limit" });
    expect(effects(world.oracle).length).toBeGreaterThan(5);
  },
);

scenario(
  "[F43] repeated calls of a module do not count as a loop of its agent",
  {
    ...controlled(`
      for (let n = 0; n < 6; n++) yield* tool("fly", {});
      yield* turns();
      return "fine";`),
    script: turns({ calls: [look("a")] }, { text: "done" }),
  },
  async (world) => {
    expect((await world.settled(await world.run("go"))).end).toMatchObject({ status: "completed" });
  },
);

scenario(
  "in an unattended run whose policy rejects, a question gets the answer null",
  {
    ...controlled(`return "Got " + (yield* ask("Well?"));`),
    config: "approvals: { unattended: reject }",
    script: says(),
  },
  async (world) => {
    const runId = await world.run("go", { attended: false });
    expect((await world.settled(runId)).end?.summary).toBe("Got null");
  },
);

scenario(
  "a rejected question gets the answer null",
  { ...controlled(`return "Got " + (yield* ask("Well?"));`), script: says() },
  async (world) => {
    const runId = await world.run("go");
    await world.settled(runId);
    await decideApproval(`${runId}:question/0`, { decision: "reject" }, "ann", world.runtime.people);
    expect((await world.seen(runId, "RUN_COMPLETED")).payload).toMatchObject({ summary: "Got null" });
  },
);

scenario(
  "in an untrusted project the module is not imported, and the run says what to do",
  {
    env: {},
    ...controlled(`return "ran";`),
    script: says(),
  },
  async (world) => {
    const { waitingOn } = await world.settled(await world.run("go"));
    expect(waitingOn).toMatchObject({
      kind: "definition_changed",
      detail: expect.stringMatching(/is not run: this folder is not trusted \(`cadre trust`\)/),
    });
  },
);

const DIES = { dies: true };

scenario(
  "[P4] [F03] after a kill during an unsafe call of the module, a person decides, and the call is not repeated",
  {
    idle: true,
    ...controlled(`return (yield* tool("charge", { what: "card" })).output as string;`),
    config: "permissions: { allow: [charge] }",
    script: says(),
  },
  async (world) => {
    const after = (): Promise<void> | undefined => {
      if (!DIES.dies) return undefined;
      DIES.dies = false;
      world.die();
      return new Promise(() => {});
    };
    await world.restart({ tools: oracleTools(world.oracle, { after }) });
    const runId = await world.run("buy");
    await Promise.race([world.drive(runId), world.dead()]);
    await world.restart();
    const { waitingOn } = await world.drive(runId);
    expect(waitingOn).toEqual({ kind: "outcome_unknown", items: ["outcome/s0.0"] });
    await decideOutcome(runId, "s0.0", { verdict: "happened", output: "paid" }, "ann", world.runtime.people);
    expect((await world.drive(runId)).end).toMatchObject({ status: "completed", summary: "paid" });
    expect(effects(world.oracle)).toHaveLength(1);
  },
);
