import { expect } from "vitest";
import { effects } from "../../../test/support/oracle.ts";
import { charge, look, payloadsOf, scenario, turns, typesOf } from "../../../test/support/scenario.ts";
import { sendMessage } from "./messages.ts";
import { type Decision, decideApproval, pauseRun, resumeRun } from "./person-commands.ts";

scenario(
  "[F13] if two people approve and reject at the same instant, one wins; the other learns who decided what and when",
  {
    config: "permissions: { ask: [charge] }",
    script: turns({ calls: [charge("a")] }),
    concurrency: 8,
  },
  async (world) => {
    const { people } = world.runtime;
    const runIds = await Promise.all(Array.from({ length: 25 }, (_, n) => world.run(`charge ${n}`)));
    const outcomes = await Promise.all(
      runIds.map(async (runId, n) => {
        await world.seen(runId, "RUN_SUSPENDED");
        const approve = () => decideApproval(`${runId}:m1.0`, { decision: "approve" }, "ann", people);
        const reject = () => decideApproval(`${runId}:m1.0`, { decision: "reject" }, "bob", people);
        const both = await Promise.allSettled(n % 2 === 0 ? [approve(), reject()] : [reject(), approve()]);
        await world.seen(runId, "RUN_COMPLETED");
        return { runId, both };
      }),
    );
    for (const { runId, both } of outcomes) {
      const won = both.filter((outcome) => outcome.status === "fulfilled");
      const lost = both.filter((outcome) => outcome.status === "rejected");
      expect(won).toHaveLength(1);
      const [decision, ...more] = payloadsOf(await world.events(runId), "APPROVAL_DECIDED");
      expect(more).toEqual([]);
      expect(lost[0]?.reason).toMatchObject({
        code: "ALREADY_DECIDED",
        details: { by: decision!.by, decision: decision!.decision },
      });
      const done = effects(world.oracle).filter((effect) => effect.runId === runId);
      expect(done).toHaveLength(decision!.decision === "approve" ? 1 : 0);
    }
  },
);

scenario(
  "[F13] after a decision, a wider grant is refused; repeating the same decision is no error",
  { config: "permissions: { ask: [charge] }", script: turns({ calls: [charge("a"), charge("b")] }) },
  async (world) => {
    const { people } = world.runtime;
    const runId = await world.run("charge");
    await world.settled(runId);
    const decide = (call: number, by: string, more: Partial<Decision> = {}) =>
      decideApproval(`${runId}:m1.${call}`, { decision: "approve", ...more }, by, people);
    const until = 4_000_000_000_000;
    await decide(0, "oli");
    expect(await decide(0, "maria")).toEqual({ alreadyDecided: true });
    expect(await decide(0, "maria", { scope: "once" })).toEqual({ alreadyDecided: true });
    await expect(decide(0, "maria", { scope: "always" })).rejects.toMatchObject({
      code: "ALREADY_DECIDED",
      message: expect.stringMatching(
        /^oli has decided already \(approve once, .*Z\)\. Your decision was not/,
      ),
      details: { by: "oli", at: expect.any(Number), decision: "approve", scope: "once" },
    });

    const wide = { scope: "run" as const, until };
    await decide(1, "oli", wide);
    expect(await decide(1, "maria", wide)).toEqual({ alreadyDecided: true });
    expect(await decide(1, "maria", { scope: "run" }), "until when was not said").toEqual({
      alreadyDecided: true,
    });
    for (const other of [{}, { scope: "tree" as const }, { scope: "run" as const, until: until + 1 }])
      await expect(decide(1, "maria", other)).rejects.toMatchObject({
        message: expect.stringContaining("(approve run, "),
      });
    await world.seen(runId, "RUN_COMPLETED");
  },
);

scenario(
  "[F13] after a person raised a budget, raising it by a different amount is refused",
  {
    agent: "maxOutputTokens: 200\nlimits: { maxTokens: 8000, onBudget: suspend }",
    script: ({ turn }) => ({ calls: [look(`${turn}`)], usage: { input: 900, output: 100 } }),
  },
  async (world) => {
    const { people } = world.runtime;
    const runId = await world.run("work");
    await world.settled(runId);
    const raise = (maxTokens: number, by: string) =>
      decideApproval(`${runId}:budget/1`, { decision: "approve", limits: { maxTokens } }, by, people);
    await raise(9_000, "oli");
    expect(await raise(9_000, "maria")).toEqual({ alreadyDecided: true });
    await expect(raise(90_000, "maria")).rejects.toMatchObject({
      code: "ALREADY_DECIDED",
      message: expect.stringContaining("(approve once, maxTokens 9000, "),
    });
  },
);

scenario(
  "each message to a busy run is kept once, and is seen before the run ends",
  {
    script: ({ turn, lastUser }) =>
      turn <= 15 || !lastUser?.startsWith("message") ? { calls: [look(`${turn}`)] } : { text: "seen" },
    agent: "limits: { maxTurns: 100 }",
  },
  async (world) => {
    const runId = await world.run("work");
    const texts = Array.from({ length: 10 }, (_, n) => `message ${n}`);
    await Promise.all(texts.map((text) => sendMessage(runId, text, "ann", world.runtime.people)));
    const { end } = await world.settled(runId);
    expect(end?.summary).toBe("seen");
    const events = await world.events(runId);
    expect(
      payloadsOf(events, "CONTEXT_ADDED")
        .map((context) => context.text)
        .toSorted(),
    ).toEqual(texts);
    expect(payloadsOf(events, "RUN_COMPLETED")[0]?.unseen).toBeUndefined();
  },
);

scenario(
  "pauses and resumes at any time lose nothing: every step is done once",
  { script: ({ turn }) => (turn <= 12 ? { calls: [charge(`${turn}`)] } : { text: "done" }) },
  async (world) => {
    const { people } = world.runtime;
    const runId = await world.run("work");
    for (let round = 0; round < 5; round++) {
      const paused = await pauseRun(runId, "ann", people).then(
        () => true,
        () => false,
      );
      if (!paused) break;
      await resumeRun(runId, "ann", people);
    }
    const { end } = await world.settled(runId);
    expect(end?.status).toBe("completed");
    expect(effects(world.oracle).map((effect) => effect.input)).toEqual(
      Array.from({ length: 12 }, (_, n) => `${n + 1}`),
    );
  },
);

scenario(
  "[P1] a repeated request with the same key returns the same run; a different request with that key is refused",
  { idle: true, script: turns() },
  async (world) => {
    const { runtime } = world;
    const request = { agent: "tester", task: "work" };
    const first = await runtime.admit(request, "key");
    expect(await runtime.admit(request, "key"), "[F50]").toEqual({ runId: first.runId, existed: true });
    await expect(runtime.admit({ ...request, task: "else" }, "key")).rejects.toMatchObject({
      code: "UNPROCESSABLE",
    });
    await expect(runtime.admit({ ...request, task: " " })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect((await runtime.store.runs.list({})).runs).toHaveLength(1);
  },
);

scenario(
  "[P11] an unusable output schema is refused before anything costs money",
  { idle: true, agent: "output: { type: objekt }", script: turns() },
  async (world) => {
    await expect(world.run("work")).rejects.toMatchObject({
      code: "AGENT_INVALID",
      message: expect.stringContaining("objekt"),
    });
    expect((await world.runtime.store.runs.list({})).runs).toEqual([]);
  },
);

scenario(
  "the request's limits override the agent's, and the agent's override the project's",
  {
    idle: true,
    config: "limits: { maxTurns: 7, maxEvents: 900, toolTimeout: 3s }\napprovals: { timeout: 9m }",
    agent: "limits: { maxTurns: 5, maxTokens: 1000 }",
    script: turns(),
  },
  async (world) => {
    const runId = await world.run("work", { limits: { maxTokens: 0 } });
    expect((await world.state(runId)).start?.limits).toMatchObject({
      maxTurns: 5,
      maxEvents: 900,
      toolTimeout: 3_000,
      maxTokens: 0,
      approvalTimeout: 540_000,
      maxDepth: 3,
    });
    const { end } = await world.drive(runId);
    expect(end?.stopReason, "0 means zero").toBe("budget");
    expect(typesOf(await world.events(runId))).not.toContain("MODEL_CALL_STARTED");
  },
);
