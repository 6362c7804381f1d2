import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { effects } from "../../../test/support/oracle.ts";
import {
  charge,
  look,
  payloadsOf,
  resultsRead,
  scenario,
  turns,
  typesOf,
} from "../../../test/support/scenario.ts";
import { openApprovalIds, type World } from "../../../test/support/world.ts";
import { fakeClock } from "../../clock.ts";
import { openItems } from "../../projections/folds/approvals.ts";
import {
  askPerson,
  cancelRun,
  type Decision,
  decideApproval,
  pauseRun,
  resumeRun,
} from "./person-commands.ts";

const ASK = "permissions: { ask: [charge] }";
const once = turns({ calls: [charge("a")] });

const decide = (world: World, id: string, decision: Decision, by = "ann") =>
  decideApproval(id, decision, by, world.runtime.people);

const inputs = (world: World) => effects(world.oracle).map((effect) => effect.input);

scenario(
  "[P5] nothing runs until a person approves; afterwards, exactly the call that was shown runs, once",
  { idle: true, config: ASK, script: once },
  async (world) => {
    const runId = await world.run("charge");
    const state = await world.drive(runId);
    expect(state).toMatchObject({ status: "suspended", waitingOn: { kind: "approval", items: ["m1.0"] } });
    expect(openItems(state)).toMatchObject([
      { id: `${runId}:m1.0`, kind: "tool", tool: "charge", input: { what: "a" }, rule: "project ask charge" },
    ]);
    expect(inputs(world)).toEqual([]);
    expect(await decide(world, `${runId}:m1.0`, { decision: "approve" })).toEqual({ alreadyDecided: false });
    expect(await decide(world, `${runId}:m1.0`, { decision: "approve" }), "[F12]").toEqual({
      alreadyDecided: true,
    });
    await expect(decide(world, `${runId}:m1.0`, { decision: "reject" }, "bob")).rejects.toMatchObject({
      code: "ALREADY_DECIDED",
      details: { by: "ann", decision: "approve" },
    });
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(inputs(world)).toEqual(["a"]);
  },
);

scenario(
  "[U21] another person can be asked by name to decide, and the open item shows that name",
  { idle: true, config: ASK, script: once },
  async (world) => {
    const runId = await world.run("charge");
    await world.drive(runId);
    const id = `${runId}:m1.0`;
    const { people } = world.runtime;
    await askPerson(id, { person: "maria" }, "ann", people);
    await askPerson(id, { person: "jo", note: "you know the account" }, "ann", people);
    await world.restart();
    const state = await world.drive(runId);
    expect(openItems(state)).toMatchObject([
      { id, asked: { person: "jo", by: "ann", note: "you know the account" } },
    ]);
    expect(inputs(world)).toEqual([]);
    await decide(world, id, { decision: "approve" }, "bob");
    expect((await world.drive(runId)).end?.status).toBe("completed");
    await expect(askPerson(id, { person: "jo" }, "ann", world.runtime.people)).rejects.toMatchObject({
      code: "CONFLICT",
    });
  },
);

scenario(
  "[F12] a rejected call gets a result with the person's reason",
  { idle: true, config: ASK, script: turns({ calls: [charge("a")] }, (seen) => ({ text: seen })) },
  async (world) => {
    const runId = await world.run("charge");
    await world.drive(runId);
    await decide(world, `${runId}:m1.0`, { decision: "reject", note: "too expensive" });
    await expect(
      decide(world, `${runId}:m1.0`, { decision: "reject", note: "the wrong account" }, "bob"),
      "a reason that the model would never read is refused",
    ).rejects.toMatchObject({ code: "ALREADY_DECIDED", details: { by: "ann" } });
    expect((await world.drive(runId)).end?.summary).toBe("Rejected by ann: too expensive");
    expect(inputs(world)).toEqual([]);
  },
);

scenario(
  "[F19] if a person's edit of a call is valid, the edited call runs, and the model learns about the edit",
  { idle: true, config: ASK, script: turns({ calls: [charge("a")] }, (seen) => ({ text: seen })) },
  async (world) => {
    const runId = await world.run("charge");
    await world.drive(runId);
    await decide(world, `${runId}:m1.0`, { decision: "edit", input: { what: "b" }, note: "cheaper" });
    const { end } = await world.drive(runId);
    expect(inputs(world)).toEqual(["b"]);
    expect(end?.summary).toContain('ann changed the input before it ran (cheaper). What ran: {"what":"b"}');
  },
);

scenario(
  "[F19] an edit that breaks the schema or the policy is refused, and the approval stays open",
  { idle: true, config: 'permissions: { ask: [charge], deny: ["charge(b)"] }', script: once },
  async (world) => {
    const runId = await world.run("charge");
    await world.drive(runId);
    for (const input of [{ what: 3 }, { what: "b" }]) {
      await expect(decide(world, `${runId}:m1.0`, { decision: "edit", input })).rejects.toMatchObject({
        code: "UNPROCESSABLE",
      });
    }
    await expect(
      decide(world, `${runId}:m1.0`, { decision: "approve", input: { what: "c" } }),
    ).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(await openApprovalIds(world, runId)).toEqual([`${runId}:m1.0`]);
  },
);

scenario(
  "[F15] an id that is unknown or belongs to another run's item is not found, and nothing is written",
  { idle: true, config: ASK, script: once },
  async (world) => {
    const first = await world.run("charge");
    const second = await world.run("charge");
    await world.drive(first);
    const before = (await world.events(second)).length;
    for (const id of [`${second}:m1.0`, `${first}:m9.9`, "r-none:m1.0", "nonsense"]) {
      await expect(decide(world, id, { decision: "approve" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
    expect(await world.events(second)).toHaveLength(before);
  },
);

const bash = (command: string) => ({ tool: "Bash", input: { command } });

for (const scope of ["run", "tree", "always"] as const) {
  scenario(
    `a decision with scope ${scope} covers only later calls that are equal`,
    {
      idle: true,
      script: turns({ calls: [bash("touch a")] }, { calls: [bash("touch a")] }, { calls: [bash("touch b")] }),
    },
    async (world) => {
      const runId = await world.run("touch");
      await world.drive(runId);
      await decide(world, `${runId}:m1.0`, { decision: "approve", scope });
      const state = await world.drive(runId);
      expect(state.waitingOn).toMatchObject({ kind: "approval", items: ["m3.0"] });
      const rules = payloadsOf(await world.events(runId), "TOOL_PROPOSED").map((call) => call.rule);
      expect(rules[1]).toContain("person grant Bash(touch a)");
      const standing = await world.runtime.store.inbox.grants();
      expect(standing.map((grant) => [grant.rule, grant.by, grant.scope])).toEqual(
        scope === "run" ? [] : [["Bash(touch a)", "ann", scope]],
      );
    },
  );
}

scenario(
  "a decision with scope always applies to other runs until it is revoked",
  { idle: true, script: turns({ calls: [bash("touch a")] }) },
  async (world) => {
    const [first, second, third] = [await world.run("1"), await world.run("2"), await world.run("3")];
    await world.drive(first);
    await decide(world, `${first}:m1.0`, { decision: "approve", scope: "always" });
    await world.drive(first);
    expect((await world.drive(second)).end?.status).toBe("completed");
    const [grant] = await world.runtime.store.inbox.grants();
    expect(await world.runtime.store.inbox.revokeGrant(grant!.id)).toBe(true);
    expect((await world.drive(third)).waitingOn?.kind).toBe("approval");
  },
);

const granted = fakeClock();
scenario(
  "a grant with an end time applies until that time",
  {
    idle: true,
    clock: granted,
    script: turns({ calls: [bash("touch a")] }, { calls: [bash("touch a")] }),
  },
  async (world) => {
    const runId = await world.run("touch");
    await world.drive(runId);
    await decide(world, `${runId}:m1.0`, { decision: "approve", scope: "run", until: granted.now() + 1 });
    granted.set(granted.now() + 1);
    expect((await world.drive(runId)).waitingOn).toMatchObject({ items: ["m2.0"] });
  },
);

const MINUTE = 60_000;
for (const [policy, expected] of [
  ["reject", { status: "completed", stopReason: "final_answer" }],
  ["fail", { status: "failed", stopReason: "approval_expired" }],
] as const) {
  const clock = fakeClock();
  scenario(
    `if an approval request expires, the policy ${policy} applies`,
    {
      idle: true,
      clock,
      config: `${ASK}\napprovals: { timeout: 5m, onTimeout: ${policy} }`,
      script: turns({ calls: [charge("a")] }, (seen) => ({ text: seen })),
    },
    async (world) => {
      const runId = await world.run("charge");
      const state = await world.drive(runId);
      expect(openItems(state)[0]?.expiresAt).toBe(clock.now() + 5 * MINUTE);
      clock.set(clock.now() + 5 * MINUTE - 1);
      expect((await world.drive(runId)).seq).toBe(state.seq);
      clock.set(clock.now() + 1);
      const { end } = await world.drive(runId);
      expect(end).toMatchObject(expected);
      if (policy === "reject") expect(end?.summary).toContain("Nobody decided in time");
      expect(inputs(world)).toEqual([]);
      await expect(decide(world, `${runId}:m1.0`, { decision: "approve" })).rejects.toMatchObject({
        code: "ALREADY_DECIDED",
      });
    },
  );
}

const waiting = fakeClock();
for (const [title, config] of [
  ["without a timeout", ASK],
  ["onTimeout wait", `${ASK}\napprovals: { timeout: 5m, onTimeout: wait }`],
] as const)
  scenario(
    `[26.7] ${title}: an approval request never expires, at a terminal too`,
    { idle: true, clock: waiting, config, script: once },
    async (world) => {
      const runId = await world.run("charge");
      await world.drive(runId);
      waiting.set(waiting.now() + 100 * 24 * 60 * MINUTE);
      expect((await world.drive(runId)).waitingOn?.kind).toBe("approval");
      await decide(world, `${runId}:m1.0`, { decision: "approve" });
      expect((await world.drive(runId)).end?.status).toBe("completed");
    },
  );

for (const [policy, expected] of [
  ["park", { status: "suspended" }],
  ["reject", { status: "completed" }],
  ["fail", { status: "failed" }],
] as const) {
  const clock = fakeClock();
  scenario(
    `in an unattended run, the policy ${policy} applies to a call that needs approval`,
    { idle: true, clock, config: `${ASK}\napprovals: { unattended: ${policy} }`, script: once },
    async (world) => {
      const runId = await world.run("charge", { attended: false });
      await world.drive(runId);
      clock.set(clock.now() + 24 * 60 * MINUTE);
      const state = await world.drive(runId);
      expect(state).toMatchObject(expected);
      expect(inputs(world)).toEqual([]);
      if (policy === "park") {
        await decide(world, `${runId}:m1.0`, { decision: "approve" });
        expect((await world.drive(runId)).end?.status).toBe("completed");
      }
      if (policy === "reject") expect(resultsRead(await world.events(runId))[0]).toContain("unattended");
    },
  );
}

for (const first of ["click", "timer"] as const) {
  const clock = fakeClock();
  let beforeExpiry = async (): Promise<void> => {};
  scenario(
    `[F18] if an approval expires in the same millisecond as a click (${first} first), one decision is recorded`,
    {
      idle: true,
      clock,
      config: `${ASK}\napprovals: { timeout: 1h }`,
      script: once,
      intercept: async (append, send) => {
        if (first === "click" && append.writer && append.events[0]?.type === "APPROVAL_DECIDED")
          await beforeExpiry();
        return send();
      },
    },
    async (world) => {
      const runId = await world.run("charge");
      const state = await world.drive(runId);
      clock.set(openItems(state)[0]!.expiresAt!);
      const click = () => decide(world, `${runId}:m1.0`, { decision: "approve" });
      beforeExpiry = async () => void (await click());
      const { end } = await world.drive(runId);
      expect(end, "the run goes on").toMatchObject({ status: "completed" });
      if (first === "timer") await expect(click()).rejects.toMatchObject({ code: "ALREADY_DECIDED" });
      const decisions = payloadsOf(await world.events(runId), "APPROVAL_DECIDED");
      expect(decisions.map(({ decision }) => decision)).toEqual([first === "click" ? "approve" : "expire"]);
      expect(inputs(world)).toEqual(first === "click" ? ["a"] : []);
    },
  );
}

scenario(
  "[F17] each of three answers reaches its own call, although they come in reverse order and after a restart",
  {
    idle: true,
    config: ASK,
    script: turns({ calls: [charge("a"), charge("b"), charge("c")] }),
  },
  async (world) => {
    const runId = await world.run("charge");
    await world.drive(runId);
    await decide(world, `${runId}:m1.2`, { decision: "approve" });
    await world.drive(runId);
    await decide(world, `${runId}:m1.1`, { decision: "reject", note: "not b" });
    expect((await world.drive(runId)).waitingOn).toMatchObject({ items: ["m1.0"] });
    expect(inputs(world), "in their order").toEqual([]);
    await world.restart();
    await decide(world, `${runId}:m1.0`, { decision: "approve" });
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(inputs(world)).toEqual(["a", "c"]);
    expect(resultsRead(await world.events(runId))).toEqual([
      "charge a: done",
      "Rejected by ann: not b",
      "charge c: done",
    ]);
  },
);

const fileOf = (world: World) => join(world.folder, "notes.txt");
const write = (content: string) => ({ tool: "Write", input: { path: "notes.txt", content } });

scenario(
  "[F16] [A20] if a file changes between request and approval, it is not written, and the person is asked again",
  { idle: true, script: turns({ calls: [write("mine\n")] }) },
  async (world) => {
    writeFileSync(fileOf(world), "old\n");
    const runId = await world.run("write");
    await world.drive(runId);
    writeFileSync(fileOf(world), "yours\n");
    await decide(world, `${runId}:m1.0`, { decision: "approve" });
    const state = await world.drive(runId);
    expect(state.waitingOn).toMatchObject({ kind: "approval", items: ["m1.0~2"] });
    expect(readFileSync(fileOf(world), "utf8")).toBe("yours\n");
    expect(openItems(state)).toMatchObject([{ round: 2, preview: expect.stringContaining("-yours") }]);
    await expect(decide(world, `${runId}:m1.0`, { decision: "approve" })).rejects.toMatchObject({
      code: "STALE",
      details: { approvalId: `${runId}:m1.0~2` },
    });
    await decide(world, `${runId}:m1.0~2`, { decision: "approve" });
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(readFileSync(fileOf(world), "utf8")).toBe("mine\n");
  },
);

scenario(
  "[F16] if the file changes after a person's edit, the person is asked about the edited call, and that call runs",
  { idle: true, script: turns({ calls: [write("mine\n")] }, (seen) => ({ text: seen })) },
  async (world) => {
    writeFileSync(fileOf(world), "old\n");
    const runId = await world.run("write");
    await world.drive(runId);
    writeFileSync(fileOf(world), "yours\n");
    await decide(world, `${runId}:m1.0`, { decision: "edit", input: write("ours\n").input });
    const state = await world.drive(runId);
    expect(openItems(state)).toMatchObject([
      { round: 2, input: { content: "ours\n" }, preview: expect.stringContaining("+ours") },
    ]);
    await decide(world, `${runId}:m1.0~2`, { decision: "approve" });
    const { end } = await world.drive(runId);
    expect(readFileSync(fileOf(world), "utf8")).toBe("ours\n");
    expect(end?.summary, "the model is told").toContain("ann changed the input");
  },
);

scenario(
  "[F16] an approved call does not run if the project has forbidden it in the meantime",
  { changes: true, idle: true, config: ASK, script: once },
  async (world) => {
    const runId = await world.run("charge");
    await world.drive(runId);
    await decide(world, `${runId}:m1.0`, { decision: "approve" });
    writeFileSync(join(world.folder, "cadre.yaml"), "permissions: { deny: [charge] }");
    await world.restart();
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(inputs(world)).toEqual([]);
    expect(resultsRead(await world.events(runId))[0]).toContain("project deny charge");
  },
);

scenario(
  "[F43] if the tool of an approved call was removed, the call gets a result that says so",
  { idle: true, config: ASK, script: once },
  async (world) => {
    const runId = await world.run("charge");
    await world.drive(runId);
    await decide(world, `${runId}:m1.0`, { decision: "approve" });
    await world.restart({ tools: [] });
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(resultsRead(await world.events(runId))[0]).toContain("no longer there");
  },
);

scenario(
  "[F16] if an unrelated rule changes, the approval is no longer valid, and a person is asked again",
  { idle: true, config: ASK, script: once },
  async (world) => {
    const runId = await world.run("charge");
    await world.drive(runId);
    writeFileSync(join(world.folder, "cadre.yaml"), "permissions: { ask: [charge], deny: [look] }");
    await world.restart();
    await decide(world, `${runId}:m1.0`, { decision: "approve" });
    expect((await world.drive(runId)).waitingOn).toMatchObject({ items: ["m1.0~2"] });
    expect(inputs(world)).toEqual([]);
  },
);

scenario(
  "[F14] an approval after a cancel is refused and has no effect; the item is gone",
  { idle: true, config: ASK, script: once },
  async (world) => {
    const runId = await world.run("charge");
    await world.drive(runId);
    await cancelRun(runId, "ann", "changed my mind", world.runtime.people);
    for (const when of ["asked for", "done"]) {
      await expect(decide(world, `${runId}:m1.0`, { decision: "approve" }), when).rejects.toMatchObject({
        code: "RUN_TERMINAL",
      });
      await world.drive(runId);
    }
    expect(await world.runtime.store.inbox.openItems()).toEqual([]);
    expect((await world.state(runId)).end).toMatchObject({ status: "cancelled", stopReason: "user" });
    expect(inputs(world)).toEqual([]);
  },
);

let beforeDecision = async (): Promise<void> => {};
scenario(
  "[F14] a cancel that arrives while an approval is being checked wins: the approval is not recorded",
  {
    idle: true,
    config: ASK,
    script: once,
    intercept: async (append, send) => {
      if (append.events[0]?.type === "APPROVAL_DECIDED") await beforeDecision();
      return send();
    },
  },
  async (world) => {
    const runId = await world.run("charge");
    await world.drive(runId);
    beforeDecision = async () => void (await cancelRun(runId, "bob", undefined, world.runtime.people));
    await expect(decide(world, `${runId}:m1.0`, { decision: "approve" })).rejects.toMatchObject({
      code: "RUN_TERMINAL",
    });
    expect(typesOf(await world.events(runId))).not.toContain("APPROVAL_DECIDED");
  },
);

scenario(
  "[F14] if a run stopped for a loop is cancelled, a later decision about the loop is refused",
  { idle: true, script: () => ({ calls: [look("same")] }) },
  async (world) => {
    const runId = await world.run("look");
    await world.drive(runId);
    await cancelRun(runId, "ann", undefined, world.runtime.people);
    await world.drive(runId);
    await expect(decide(world, `${runId}:loop/1`, { decision: "approve" })).rejects.toMatchObject({
      code: "RUN_TERMINAL",
    });
    await expect(decide(world, `${runId}:loop/2`, { decision: "approve" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  },
);

scenario(
  "if a run is paused while a person approves a call, the call starts only after the run is resumed",
  { idle: true, config: ASK, script: once },
  async (world) => {
    const runId = await world.run("charge");
    await world.drive(runId);
    await pauseRun(runId, "ann", world.runtime.people);
    await decide(world, `${runId}:m1.0`, { decision: "approve" });
    expect(await world.drive(runId)).toMatchObject({ waitingOn: { kind: "paused" } });
    expect(inputs(world)).toEqual([]);
    await resumeRun(runId, "ann", world.runtime.people);
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(inputs(world)).toEqual(["a"]);
    await expect(resumeRun(runId, "ann", world.runtime.people)).rejects.toMatchObject({
      code: "RUN_TERMINAL",
    });
  },
);

scenario(
  "if a run that stopped for a loop is paused, there is still exactly one item to decide",
  { idle: true, script: () => ({ calls: [look("same")] }) },
  async (world) => {
    const runId = await world.run("look");
    await world.drive(runId);
    await pauseRun(runId, "ann", world.runtime.people);
    await world.drive(runId);
    await resumeRun(runId, "ann", world.runtime.people);
    expect((await world.drive(runId)).waitingOn).toMatchObject({ kind: "loop", items: ["loop/1"] });
    expect((await world.runtime.store.inbox.openItems()).map((item) => item.itemId)).toEqual(["loop/1"]);
    await decide(world, `${runId}:loop/1`, { decision: "reject" });
    expect((await world.drive(runId)).end?.stopReason).toBe("loop");
    expect(typesOf(await world.events(runId)).at(-1)).toBe("RUN_FAILED");
  },
);
