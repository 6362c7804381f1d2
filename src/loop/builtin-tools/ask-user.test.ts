import { expect } from "vitest";
import {
  charge,
  delegate,
  payloadsOf,
  resultsRead,
  roles,
  scenario,
  turns,
  typesOf,
  watchOffers,
} from "../../../test/support/scenario.ts";
import { openApprovalIds, type World } from "../../../test/support/world.ts";
import { fakeClock } from "../../clock.ts";
import { openItems } from "../../projections/folds/approvals.ts";
import { cancelRun, type Decision, decideApproval } from "../commands/person-commands.ts";

const ask = (question: string, more: object = {}) => ({ tool: "AskUser", input: { question, ...more } });
const decide = (world: World, id: string, decision: Decision, by = "maria") =>
  decideApproval(id, decision, by, world.runtime.people);
const answer = (world: World, id: string, text: string, by?: string) =>
  decide(world, id, { decision: "answer", answer: text }, by);
const quote = turns({ calls: [ask("Which colour?", { choices: ["red", "blue"] })] }, (seen) => ({
  text: seen,
}));

scenario(
  "[D0] a question suspends the run; the person's answer becomes the result of the call, and no tool is started",
  { idle: true, config: "approvals: { timeout: 1h }", script: quote },
  async (world) => {
    const runId = await world.run("paint");
    const state = await world.drive(runId);
    expect(state).toMatchObject({
      status: "suspended",
      waitingOn: { kind: "question", items: ["m1.0"], detail: "Which colour?", choices: ["red", "blue"] },
    });
    expect(openItems(state)).toMatchObject([
      {
        id: `${runId}:m1.0`,
        kind: "question",
        callId: "m1.0",
        detail: "Which colour?",
        choices: ["red", "blue"],
        expiresAt: expect.any(Number),
      },
    ]);
    expect(await world.runtime.store.inbox.openItems()).toMatchObject([{ kind: "question", itemId: "m1.0" }]);
    await answer(world, `${runId}:m1.0`, "blue");
    expect((await world.drive(runId)).end?.summary).toBe("Answered by maria: blue");
    const events = await world.events(runId);
    expect(typesOf(events)).not.toContain("TOOL_STARTED");
    expect(payloadsOf(events, "TOOL_RESULT")).toEqual([
      { toolCallId: "m1.0", output: "Answered by maria: blue" },
    ]);
    expect(await world.runtime.store.inbox.openItems()).toEqual([]);
  },
);

scenario(
  "[F12] [F13] after the first answer, the same answer is accepted again; a different answer is refused, and the error says who answered and when",
  { idle: true, script: quote },
  async (world) => {
    const runId = await world.run("paint");
    const id = `${runId}:m1.0`;
    await world.drive(runId);
    await expect(answer(world, id, "green")).rejects.toMatchObject({ code: "BAD_REQUEST" });
    for (const decision of ["approve", "edit"] as const)
      await expect(decide(world, id, { decision })).rejects.toThrow("This is a question");
    expect(await openApprovalIds(world, runId)).toEqual([id]);
    const both = await Promise.allSettled([
      answer(world, id, "red", "ann"),
      answer(world, id, "blue", "bob"),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const [who, what] = both[0].status === "fulfilled" ? ["ann", "red"] : ["bob", "blue"];
    const lost = both.find((one) => one.status === "rejected") as PromiseRejectedResult;
    expect(lost.reason).toMatchObject({
      code: "ALREADY_DECIDED",
      details: { by: who, decision: "answer", answer: what },
    });
    await world.drive(runId);
    expect(await answer(world, id, what)).toEqual({ alreadyDecided: true });
    expect(resultsRead(await world.events(runId))).toEqual([`Answered by ${who}: ${what}`]);
  },
);

scenario(
  "[F17] several open questions can be answered in any order, even after a restart",
  { idle: true, script: turns({ calls: [ask("One?"), ask("Two?"), ask("Three?")] }) },
  async (world) => {
    const runId = await world.run("ask");
    expect((await world.drive(runId)).waitingOn).toEqual({
      kind: "question",
      items: ["m1.0", "m1.1", "m1.2"],
    });
    await answer(world, `${runId}:m1.2`, "3");
    expect((await world.drive(runId)).waitingOn).toMatchObject({ items: ["m1.0", "m1.1"] });
    await answer(world, `${runId}:m1.1`, "2");
    await world.restart({ idle: true });
    expect((await world.drive(runId)).waitingOn).toMatchObject({ items: ["m1.0"], detail: "One?" });
    await answer(world, `${runId}:m1.0`, "1");
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(resultsRead(await world.events(runId))).toEqual(
      ["1", "2", "3"].map((text) => `Answered by maria: ${text}`),
    );
  },
);

scenario(
  "a question and a call that needs approval can be open at the same time; later calls wait for the answer",
  {
    idle: true,
    config: "permissions: { ask: [charge] }",
    script: turns({ calls: [ask("How much?"), charge("a")] }),
  },
  async (world) => {
    const runId = await world.run("buy");
    expect((await world.drive(runId)).waitingOn).toEqual({ kind: "approval", items: ["m1.0", "m1.1"] });
    expect((await world.runtime.store.inbox.openItems()).map(({ kind }) => kind).sort()).toEqual([
      "question",
      "tool",
    ]);
    await decide(world, `${runId}:m1.1`, { decision: "approve" });
    expect((await world.drive(runId)).waitingOn).toMatchObject({ kind: "question", items: ["m1.0"] });
    expect(typesOf(await world.events(runId))).not.toContain("TOOL_STARTED");
    await answer(world, `${runId}:m1.0`, "a lot");
    expect((await world.drive(runId)).end?.status).toBe("completed");
  },
);

scenario(
  "a person can decline to answer, and the agent continues",
  { idle: true, script: quote },
  async (world) => {
    const runId = await world.run("paint");
    await world.drive(runId);
    await decide(world, `${runId}:m1.0`, { decision: "reject", note: "ask the designer" });
    expect((await world.drive(runId)).end?.summary).toContain(
      "maria did not want to answer: ask the designer",
    );
  },
);

for (const [onTimeout, expected] of [
  ["reject", { status: "completed", summary: expect.stringContaining("Nobody answered in time.") }],
  [
    "fail",
    { status: "failed", stopReason: "approval_expired", summary: "Nobody answered in time: Which colour?" },
  ],
  ["wait", undefined],
] as const) {
  scenario(
    `[F18] if a question expires, the policy ${onTimeout} decides`,
    {
      idle: true,
      clock: fakeClock(),
      config: `approvals: { onTimeout: ${onTimeout}, timeout: 1h }`,
      script: quote,
    },
    async (world) => {
      const clock = world.runtime.parts.clock as ReturnType<typeof fakeClock>;
      const runId = await world.run("paint");
      await world.drive(runId);
      clock.advance(3_599_999);
      expect((await world.drive(runId)).end).toBeUndefined();
      clock.advance(1);
      const { end } = await world.drive(runId);
      if (expected === undefined) return expect(end).toBeUndefined();
      expect(end).toMatchObject(expected);
      await expect(answer(world, `${runId}:m1.0`, "red")).rejects.toMatchObject({ code: "ALREADY_DECIDED" });
    },
  );
}

for (const [unattended, expected] of [
  ["reject", { status: "completed", summary: expect.stringContaining("Nobody is there to answer.") }],
  ["fail", { status: "failed", summary: expect.stringContaining("nobody is there: Which colour?") }],
  ["park", undefined],
] as const) {
  scenario(
    `the policy ${unattended} applies to a question in an unattended run`,
    {
      idle: true,
      agent: "tools: [AskUserQuestion]",
      config: `approvals: { unattended: ${unattended} }`,
      script: quote,
    },
    async (world) => {
      const runId = await world.run("paint", { attended: false });
      const { end } = await world.drive(runId);
      if (expected !== undefined) return expect(end).toMatchObject(expected);
      await answer(world, `${runId}:m1.0`, "red");
      expect((await world.drive(runId)).end?.summary).toBe("Answered by maria: red");
    },
  );
}

scenario(
  "[F14] a cancel withdraws the questions; a later answer is refused",
  { idle: true, script: turns({ calls: [ask("One?"), ask("Two?")] }) },
  async (world) => {
    const runId = await world.run("ask");
    await world.drive(runId);
    await cancelRun(runId, "ann", undefined, world.runtime.people);
    expect(await world.runtime.store.inbox.openItems()).toEqual([]);
    await expect(answer(world, `${runId}:m1.0`, "1")).rejects.toMatchObject({ code: "RUN_TERMINAL" });
    expect((await world.drive(runId)).end?.status).toBe("cancelled");
  },
);

scenario(
  "[U18] every ancestor of a run shows the run's question; after the answer they all resume by themselves",
  {
    agent: "agents: [middle]",
    cast: { middle: "agents: [below]", below: "" },
    script: roles({
      tester: turns({ calls: [delegate("middle")] }),
      middle: turns({ calls: [delegate("below")] }),
      below: quote,
    }),
  },
  async (world) => {
    const runId = await world.run("paint");
    const root = await world.settled(runId);
    expect(root.waitingOn).toMatchObject({ kind: "child_hitl" });
    const [item] = await world.runtime.store.inbox.openItems({ root: runId });
    expect(item).toMatchObject({ kind: "question", runId: root.waitingOn!.blockers![0] });
    await answer(world, `${item!.runId}:${item!.itemId}`, "blue");
    await world.seen(runId, "RUN_COMPLETED");
    expect((await world.state(item!.runId)).end?.summary).toBe("Answered by maria: blue");
  },
);

for (const [where, agent, request, isOffered] of [
  ["every tool is allowed and the run is attended", "", {}, true],
  ["every tool is allowed and the run is unattended", "", { attended: false }, false],
  ["the file lists `*` and the run is attended", 'tools: ["*"]', {}, true],
  ["the file lists another name of the tool", "tools: [Read, ask_user]", { attended: false }, true],
  ["the file lists only other tools", "tools: [Read]", {}, false],
  ["the file denies the tool", "disallowedTools: [AskUserQuestion]", {}, false],
  ["the file lists only other tools, but the run is a chat", "tools: [Read]", { mode: "chat" }, true],
] as const) {
  scenario(
    `AskUser is ${isOffered ? "offered, and asks a person" : "not offered, and a call is refused"}, if ${where}`,
    { idle: true, agent, script: quote },
    async (world) => {
      const offers = watchOffers(world, quote);
      const runId = await world.run("paint", request);
      const { waitingOn } = await world.drive(runId);
      expect(offers[0]!.includes("AskUser")).toBe(isOffered);
      expect(waitingOn?.kind).toBe(isOffered ? "question" : undefined);
      if (!isOffered)
        expect(resultsRead(await world.events(runId))[0]).toContain('There is no tool "AskUser" for you');
    },
  );
}

scenario(
  "[F19] a question with invalid input is not shown to a person, and the model gets the reason",
  { idle: true, script: turns({ calls: [ask("", { choices: [] })] }, (seen) => ({ text: seen })) },
  async (world) => {
    const runId = await world.run("ask");
    expect((await world.drive(runId)).end?.summary).toContain("The input of AskUser does not fit");
  },
);
