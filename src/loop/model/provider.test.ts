import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
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
import { fakeClock } from "../../clock.ts";
import {
  classifyFailure,
  cutStreamError,
  refusalError,
  silenceError,
} from "../../models/classify-failure.ts";
import type { Model } from "../../models/model.ts";
import { createScriptedModel } from "../../models/scripted/model.ts";
import type { Script, ScriptedTurn } from "../../models/scripted/script.ts";
import { systemIds } from "../../system-ids.ts";
import { pauseRun, resumeRun } from "../commands/person-commands.ts";
import { readStream } from "./read-answer.ts";

const BUSY: ScriptedTurn = { error: { status: 429, message: "slow down", retryAfter: 30 } };
const firstFails =
  (failure: ScriptedTurn, then: ScriptedTurn = { text: "done" }): Script =>
  ({ attempt, turn }) =>
    turn === 1 && attempt === 1 ? failure : then;

describe("[F40] a provider that requests a wait", () => {
  const clock = fakeClock();
  scenario(
    "[F40] the run waits until exactly the time that its provider named, and shows the wait",
    { idle: true, clock, script: firstFails(BUSY) },
    async (world) => {
      const from = clock.now();
      const runId = await world.run("ask");
      const state = await world.drive(runId);
      expect(state).toMatchObject({ status: "waiting", waitingOn: { kind: "provider" } });
      const until = state.waitingOn!.until!;
      expect(until).toBeGreaterThanOrEqual(from + 30_000);
      expect(until).toBeLessThanOrEqual(from + 31_000);
      expect(await world.runtime.store.runs.get(runId)).toMatchObject({
        waitingOn: { kind: "provider", until },
      });
      clock.set(until - 1);
      expect((await world.drive(runId)).seq).toBe(state.seq);
      clock.set(until);
      expect((await world.drive(runId)).end?.summary).toBe("done");
    },
  );

  const jumping = fakeClock();
  scenario(
    "[F36] if the clock is set back, the wait becomes longer, and no duration is negative",
    { idle: true, clock: jumping, script: firstFails(BUSY) },
    async (world) => {
      const from = jumping.now();
      const runId = await world.run("ask");
      const until = (await world.drive(runId)).waitingOn!.until!;
      jumping.set(from - 7_200_000);
      expect((await world.drive(runId)).end).toBeUndefined();
      jumping.set(until + 7_200_000);
      const { end, usage } = await world.drive(runId);
      expect(end?.status).toBe("completed");
      expect(usage.activeMs).toBeGreaterThanOrEqual(0);
    },
  );

  const unlucky = fakeClock();
  scenario(
    "[F40] the waiting time is valid, whatever the random jitter is",
    {
      idle: true,
      clock: unlucky,
      ids: { runId: systemIds.runId, nonce: () => "zzzzzzzzzzzzzzzz" },
      script: firstFails({ error: { status: 503, message: "busy" } }),
    },
    async (world) => {
      const runId = await world.run("ask");
      const { waitingOn } = await world.drive(runId);
      expect(waitingOn?.until).toBeGreaterThan(unlucky.now());
      await world.restart();
      expect(await world.events(runId), "the journal can be read again").toHaveLength(3);
    },
  );

  const abrupt = fakeClock();
  scenario(
    "[F40] a provider that aborts its own call counts as unreachable, and is not called again without a pause",
    { idle: true, clock: abrupt, agent: "limits: { maxEvents: 40 }", script: turns() },
    async (world) => {
      const aborts: Model = {
        ...createScriptedModel(turns()),
        doStream: () => Promise.reject(new DOMException("This operation was aborted", "AbortError")),
      };
      world.runtime.parts.models = {
        resolve: () => aborts,
        contextWindow: () => undefined,
        acceptedFiles: () => new Set(),
      };
      const runId = await world.run("ask");
      for (let tries = 1; tries < 9; tries++) {
        const { waitingOn } = await world.drive(runId);
        expect(waitingOn).toMatchObject({ kind: "provider", until: expect.any(Number) });
        expect(payloadsOf(await world.events(runId), "MODEL_CALL_STARTED")).toHaveLength(tries);
        abrupt.set(waitingOn!.until!);
      }
      expect(payloadsOf(await world.events(runId), "MODEL_CALL_FAILED")[0]).toMatchObject({
        cause: "network",
      });
    },
  );

  const shared = fakeClock();
  scenario(
    "[F40] no other run calls the provider before the time that it named; afterwards, only one run at a time calls it",
    {
      idle: true,
      clock: shared,
      script: ({ task, attempt }) => (task === "first" && attempt === 1 ? BUSY : { text: "done" }),
    },
    async (world) => {
      const first = await world.run("first");
      const second = await world.run("second");
      const until = (await world.drive(first)).waitingOn!.until!;
      const held = await world.drive(second);
      expect(held).toMatchObject({
        status: "waiting",
        waitingOn: { kind: "provider", until },
        modelCalls: 0,
      });
      shared.set(until);
      const both = await Promise.all([world.drive(first), world.drive(second)]);
      expect(both.filter(({ end }) => end)).toHaveLength(1);
      shared.set(until + 1_000);
      await Promise.all([world.drive(first), world.drive(second)]);
      expect((await world.state(second)).end?.status).toBe("completed");
      expect((await world.state(first)).end?.status).toBe("completed");
    },
  );

  const patient = fakeClock();
  let underWay = async (): Promise<void> => {};
  scenario(
    "a run that is paused during a failing call stays paused",
    {
      idle: true,
      clock: patient,
      script: firstFails(BUSY),
      intercept: async (append, send) => {
        const answer = await send();
        if (append.events.some((event) => event.type === "MODEL_CALL_STARTED")) await underWay();
        return answer;
      },
    },
    async (world) => {
      const runId = await world.run("ask");
      underWay = () => pauseRun(runId, "ann", world.runtime.people);
      expect(await world.drive(runId)).toMatchObject({ status: "suspended", waitingOn: { kind: "paused" } });
      underWay = async () => {};
      patient.set(patient.now() + 3_600_000);
      expect(await world.drive(runId)).toMatchObject({ status: "suspended", modelCalls: 1 });
      expect(await world.runtime.store.runs.get(runId)).toMatchObject({ waitingOn: { kind: "paused" } });
      await resumeRun(runId, "ann", world.runtime.people);
      expect((await world.drive(runId)).end?.summary).toBe("done");
    },
  );
});

describe("[U45] a person who does not want to wait", () => {
  const hurried = fakeClock();
  scenario(
    "a person makes the run try again now; the journal records it, so a crash before the retry loses nothing",
    {
      idle: true,
      clock: hurried,
      script: ({ attempt }) => (attempt < 3 ? BUSY : { text: "done" }),
    },
    async (world) => {
      const runId = await world.run("ask");
      await world.drive(runId);
      const asleep = { ...world.runtime.people, wake: async () => {} };
      await resumeRun(runId, "ann", asleep);
      await world.restart();
      expect(await world.runtime.store.leases.due(hurried.now(), 10), "due without anybody's wake").toContain(
        runId,
      );
      const refused = await world.drive(runId);
      expect(refused).toMatchObject({
        status: "waiting",
        waitingOn: { kind: "provider" },
        failedCall: { tries: 2 },
      });
      expect((await world.drive(runId)).seq, "the wish held for one try").toBe(refused.seq);
      await resumeRun(runId, "ann", world.runtime.people);
      expect((await world.drive(runId)).end?.summary).toBe("done");
      expect(payloadsOf(await world.events(runId), "RUN_RESUMED")).toEqual([
        { by: "ann", atOnce: true },
        { by: "ann", atOnce: true },
      ]);
    },
  );

  const other = fakeClock();
  scenario(
    "a person can also retry a run that waits for the provider because of another run",
    {
      idle: true,
      clock: other,
      script: ({ task, attempt }) => (task === "first" && attempt === 1 ? BUSY : { text: "done" }),
    },
    async (world) => {
      const first = await world.run("first");
      const second = await world.run("second");
      await world.drive(first);
      await world.drive(second);
      await resumeRun(second, "ann", world.runtime.people);
      expect((await world.drive(second)).end?.summary).toBe("done");
      expect((await world.drive(first)).end, "the other waits on").toBeUndefined();
    },
  );
});

/** Drives a run again each time its waiting time is over. */
async function untilEnd(
  world: Parameters<Parameters<typeof scenario>[2]>[0],
  clock: ReturnType<typeof fakeClock>,
  runId: string,
) {
  for (let rounds = 0; rounds < 300; rounds++) {
    const state = await world.drive(runId);
    if (state.end) return state.end;
    clock.set(state.waitingOn?.until ?? clock.now());
  }
  throw new Error("it does not end");
}

const HOUR = 3_600_000;

describe("[F40] an outage of the provider", () => {
  for (const error of ["network", { status: 429, message: "slow down" }, { status: 529, message: "busy" }]) {
    const clock = fakeClock();
    scenario(
      `[F40] the run waits for hours, with few events, then fails and says that nothing is lost: ${JSON.stringify(error)}`,
      { idle: true, clock, script: () => ({ error }) as ScriptedTurn },
      async (world) => {
        const from = clock.now();
        const runId = await world.run("ask");
        expect(await untilEnd(world, clock, runId)).toMatchObject({
          status: "failed",
          stopReason: "provider",
        });
        expect(clock.now() - from).toBe(6 * HOUR);
        const events = await world.events(runId);
        expect(events.length).toBeLessThan(350);
        expect(payloadsOf(events, "RUN_FAILED")[0]?.result.suggestions[0]).toContain("Nothing is lost");
      },
    );
  }

  const long = fakeClock();
  let isDown = true;
  scenario(
    "[F40] a restart in the middle of an outage changes nothing, and the run completes when the provider answers again",
    { idle: true, clock: long, script: () => (isDown ? { error: "network" } : { text: "done" }) },
    async (world) => {
      const from = long.now();
      const runId = await world.run("ask");
      let state = await world.drive(runId);
      while (long.now() - from < 3 * HOUR) {
        long.set(state.waitingOn!.until!);
        await world.restart();
        state = await world.drive(runId);
        expect(state).toMatchObject({ status: "waiting", waitingOn: { kind: "provider" } });
      }
      isDown = false;
      expect(await untilEnd(world, long, runId)).toMatchObject({ status: "completed", summary: "done" });
    },
  );

  const brief = fakeClock();
  scenario(
    "[F40] the run waits for `patience.outage` in total, even if the provider asks for more",
    {
      idle: true,
      clock: brief,
      config: "patience: { outage: 90s }",
      script: () => ({ error: { ...(BUSY.error as object), retryAfter: 7_200 } as never }),
    },
    async (world) => {
      const from = brief.now();
      const runId = await world.run("ask");
      expect(await untilEnd(world, brief, runId)).toMatchObject({ status: "failed", stopReason: "provider" });
      expect(brief.now() - from).toBe(90_000);
    },
  );

  const impatient = fakeClock();
  scenario(
    "[F40] with another model in the chain, the run does not wait long for the first one",
    {
      idle: true,
      clock: impatient,
      model: "[scripted/test, scripted/spare]",
      script: turns(),
      scripts: {
        test: () => ({ error: { status: 429, message: "slow down", retryAfter: 600 } }),
        spare: () => ({ text: "spare did it" }),
      },
    },
    async (world) => {
      expect((await world.drive(await world.run("ask"))).end?.summary).toBe("spare did it");
    },
  );

  const costly = fakeClock();
  scenario(
    "[F41] [B2] an answer that always breaks off is requested six times, and each attempt costs something",
    { idle: true, clock: costly, script: () => ({ text: "a long answer", cut: "silent" }) },
    async (world) => {
      const runId = await world.run("ask");
      expect(await untilEnd(world, costly, runId)).toMatchObject({
        status: "failed",
        stopReason: "provider",
      });
      const failures = payloadsOf(await world.events(runId), "MODEL_CALL_FAILED");
      expect(failures).toHaveLength(6);
      for (const { usage } of failures) {
        expect(usage!.input).toBeGreaterThan(0);
        expect(usage!.output).toBeGreaterThan(0);
      }
    },
  );
});

for (const [name, status, cause] of [
  ["a request that the provider refuses", 400, "rejected"],
  ["a key that is not accepted", 401, "auth"],
] as const) {
  scenario(
    `[F40] ${name} is not retried`,
    { idle: true, script: () => ({ error: { status, message: "no" } }) },
    async (world) => {
      const runId = await world.run("ask");
      expect((await world.drive(runId)).end).toMatchObject({ status: "failed", stopReason: "provider" });
      expect(payloadsOf(await world.events(runId), "MODEL_CALL_FAILED")).toMatchObject([{ cause }]);
    },
  );
}

scenario(
  "a model that is not configured is reported before the run starts, with what to configure",
  { idle: true, model: "anthropic/claude-sonnet-4-5", script: turns() },
  async (world) => {
    await expect(world.run("ask")).rejects.toMatchObject({
      code: "PROVIDER_KEY_MISSING",
      message: expect.stringContaining("ANTHROPIC_API_KEY"),
    });
  },
);

scenario(
  "after a model's refusal the run uses the next model of the chain, and stays with it",
  {
    idle: true,
    model: "[scripted/test, scripted/spare]",
    script: turns(),
    scripts: {
      test: () => ({ error: { status: 400, message: "no" } }),
      spare: turns({ calls: [look("a")] }, { text: "spare did it" }),
    },
  },
  async (world) => {
    const runId = await world.run("ask");
    expect((await world.drive(runId)).end?.summary).toBe("spare did it");
    const asked = payloadsOf(await world.events(runId), "MODEL_CALL_STARTED").map((call) => call.model);
    expect(asked).toEqual(["scripted/test", "scripted/spare", "scripted/spare"]);
  },
);

const chain = fakeClock();
scenario(
  "[F40] the next model of the chain gets its own retries",
  {
    idle: true,
    clock: chain,
    model: "[scripted/test, scripted/spare]",
    script: turns(),
    scripts: {
      test: () => ({ error: "network" }),
      spare: ({ attempt }) => (attempt < 9 ? { error: "network" } : { text: "spare did it" }),
    },
  },
  async (world) => {
    expect(await untilEnd(world, chain, await world.run("ask"))).toMatchObject({ summary: "spare did it" });
  },
);

describe("[F40] an outage of all models of a chain", () => {
  const MINUTE = 60_000;
  const busy = { error: { status: 529, message: "busy" } } as const;
  const asked = async (world: Parameters<Parameters<typeof scenario>[2]>[0], runId: string) =>
    payloadsOf(await world.events(runId), "MODEL_CALL_STARTED").map(({ model }) => model);

  for (const back of ["test", "spare"]) {
    const clock = fakeClock();
    const from = clock.now();
    const answer = (name: string) => () =>
      name === back && clock.now() > from + 45 * MINUTE ? { text: `${name} is back` } : busy;
    scenario(
      `[F40] the run waits for whichever model is back first: ${back}`,
      {
        ...{ idle: true, clock, model: "[scripted/test, scripted/spare]", script: turns() },
        scripts: { test: answer("test"), spare: answer("spare") },
      },
      async (world) => {
        const runId = await world.run("ask");
        expect(await untilEnd(world, clock, runId)).toMatchObject({ summary: `${back} is back` });
        expect(clock.now() - from).toBeLessThan(56 * MINUTE);
        expect((await asked(world, runId)).length).toBeLessThan(50);
      },
    );
  }

  const hinted = fakeClock();
  scenario(
    "[F40] the model whose provider asks for the shorter wait is tried first",
    {
      ...{ idle: true, clock: hinted, model: "[scripted/test, scripted/spare]", script: turns() },
      scripts: {
        test: ({ attempt }) =>
          attempt < 3 ? { error: { status: 429, message: "slow down", retryAfter: 600 } } : { text: "back" },
        spare: () => ({ error: { status: 429, message: "slow down", retryAfter: 3_000 } }),
      },
    },
    async (world) => {
      const from = hinted.now();
      const runId = await world.run("ask");
      expect(await untilEnd(world, hinted, runId)).toMatchObject({ summary: "back" });
      expect(await asked(world, runId)).toEqual(["scripted/test", "scripted/spare", "scripted/test"]);
      expect(hinted.now() - from).toBeLessThan(11 * MINUTE);
    },
  );

  const keyless = fakeClock();
  scenario(
    "[F40] if the last model cannot be used at all, the run waits for the first one, and says why",
    {
      ...{ idle: true, clock: keyless, model: "[scripted/test, scripted/spare]", script: turns() },
      scripts: {
        test: ({ attempt }) => (attempt < 12 ? busy : { text: "back" }),
        spare: () => ({ error: { status: 401, message: "wrong key" } }),
      },
    },
    async (world) => {
      const runId = await world.run("ask");
      expect(await untilEnd(world, keyless, runId)).toMatchObject({ summary: "back" });
      const models = await asked(world, runId);
      expect(models.filter((model) => model === "scripted/spare")).toHaveLength(1);
    },
  );

  const patient = fakeClock();
  scenario(
    "[F40] the patience counts the waits for all models together",
    {
      ...{ idle: true, clock: patient, model: "[scripted/test, scripted/spare]", script: turns() },
      config: "patience: { outage: 2h }\n",
      scripts: { test: () => busy, spare: () => busy },
    },
    async (world) => {
      const from = patient.now();
      const runId = await world.run("ask");
      expect(await untilEnd(world, patient, runId)).toMatchObject({
        status: "failed",
        stopReason: "provider",
      });
      expect(patient.now() - from).toBeGreaterThan(119 * MINUTE);
      expect(patient.now() - from).toBeLessThan(130 * MINUTE);
    },
  );

  const later = fakeClock();
  const gone = later.now() + MINUTE;
  scenario(
    "[F40] if the current model has an outage, the run tries an earlier model of the chain again",
    {
      ...{ idle: true, clock: later, model: "[scripted/test, scripted/spare]", script: turns() },
      scripts: {
        test: ({ turn }) => (turn === 1 ? busy : { text: "test is back" }),
        spare: ({ turn }) => (turn === 1 ? { calls: [{ tool: "look", input: { what: "a" } }] } : busy),
      },
    },
    async (world) => {
      later.set(gone);
      expect(await untilEnd(world, later, await world.run("ask"))).toMatchObject({ summary: "test is back" });
    },
  );
});

for (const cut of ["stream", "silent"] as const) {
  const clock = fakeClock();
  scenario(
    `[F41] if a stream ends early (${cut}), no tool runs, and the model is called again`,
    {
      idle: true,
      clock,
      script: ({ turn, attempt }) =>
        turn === 1
          ? { text: "I will charge", calls: [charge("a")], ...(attempt === 1 ? { cut } : {}) }
          : { text: "done" },
    },
    async (world) => {
      const runId = await world.run("charge");
      await world.drive(runId);
      expect(effects(world.oracle)).toEqual([]);
      expect(await untilEnd(world, clock, runId)).toMatchObject({ status: "completed" });
      expect(effects(world.oracle)).toHaveLength(1);
      const [failure] = payloadsOf(await world.events(runId), "MODEL_CALL_FAILED");
      expect(failure?.cause, "told apart from the output cap").not.toBe("output_cap");
    },
  );
}

scenario(
  "[F41] if an answer reaches the output cap, no tool runs; the model is told, and the cost of the attempt counts",
  {
    idle: true,
    script: ({ turn, attempt, lastUser }) =>
      turn > 1
        ? { text: lastUser ?? "" }
        : {
            calls: [charge("a")],
            ...(attempt === 1 ? { cut: "length", usage: { input: 10, output: 90 } } : {}),
          },
  },
  async (world) => {
    const runId = await world.run("charge");
    const { end, usage } = await world.drive(runId);
    expect(end?.summary).toContain("cut off");
    expect(effects(world.oracle)).toHaveLength(1);
    expect(usage).toMatchObject({ wastedCalls: 1 });
    expect(usage.output).toBeGreaterThan(90);
    expect(resultsRead(await world.events(runId))).toEqual(["charge a: done"]);
  },
);

scenario(
  "[F41] if the answer exceeds the output cap three times, the run fails",
  { idle: true, script: () => ({ calls: [charge("a")], cut: "length" }) },
  async (world) => {
    const runId = await world.run("write a novel");
    expect((await world.drive(runId)).end).toMatchObject({ status: "failed", stopReason: "output_limit" });
    const events = await world.events(runId);
    expect(payloadsOf(events, "MODEL_CALL_FAILED").map((failure) => failure.cause)).toEqual([
      "output_cap",
      "output_cap",
      "output_cap",
    ]);
    expect(typesOf(events)).not.toContain("TOOL_PROPOSED");
  },
);

describe("[F41] a model that refuses to answer", () => {
  const refuses: ScriptedTurn = { text: "I can", cut: "refusal", usage: { input: 10, output: 90 } };
  scenario(
    "if the model refuses in the middle of a sentence, the run fails as refused, drops the half sentence, and counts the tokens",
    { idle: true, script: () => refuses },
    async (world) => {
      const runId = await world.run("ask");
      const { end, usage } = await world.drive(runId);
      expect(end).toMatchObject({ status: "failed", stopReason: "refused" });
      expect(end?.summary).toBe("the model refused to answer (refusal)");
      expect(usage).toMatchObject({ input: 10, output: 90, wastedCalls: 1 });
      expect(typesOf(await world.events(runId))).not.toContain("AGENT_THOUGHT");
    },
  );

  scenario(
    "if a model refuses, the next model of the chain is asked in the same call",
    {
      idle: true,
      model: "[scripted/test, scripted/spare]",
      script: turns(),
      scripts: { test: () => refuses, spare: () => ({ text: "spare did it" }) },
    },
    async (world) => {
      const runId = await world.run("ask");
      expect((await world.drive(runId)).end?.summary).toBe("spare did it");
      expect(payloadsOf(await world.events(runId), "MODEL_CALL_STARTED")).toMatchObject([
        { callId: "m1", model: "scripted/test" },
        { callId: "m1", model: "scripted/spare", attempt: 2 },
      ]);
    },
  );
});

describe("[F40] a provider that falls silent", () => {
  const stalls = (stream: () => Promise<{ stream: ReadableStream<LanguageModelV4StreamPart> }>) =>
    ({ doStream: stream }) as unknown as Model;
  const read = (model: Model, abortSignal?: AbortSignal) =>
    readStream(model, {
      call: { prompt: [], ...(abortSignal ? { abortSignal } : {}) },
      onText: () => {},
      onReasoning: () => {},
      onActivity: () => {},
      idleMs: 20,
      silenceError,
      cutStreamError,
      refusalError,
    });
  test("[B2] if an answer is stopped at its very end, the usage that the provider reported is still counted", async () => {
    const stop = new AbortController();
    const usage = { inputTokens: { total: 5 }, outputTokens: { total: 3 } } as LanguageModelV4Usage;
    const finish = { type: "finish" as const, finishReason: { unified: "stop" as const, raw: "" }, usage };
    const model = stalls(async () => ({
      stream: new ReadableStream({
        start: (c) => c.enqueue(finish),
        // The reader requests another part after the last part.
        pull: () => stop.abort(new Error("stopped")),
      }),
    }));
    expect(await read(model, stop.signal)).toMatchObject({ type: "failed", usage: { input: 5, output: 3 } });
  });

  const word: LanguageModelV4StreamPart = { type: "text-delta", id: "0", delta: "I" };
  const never = new Promise<never>(() => {});

  test.each([
    ["before the first byte", () => never],
    ["after a few words", async () => ({ stream: new ReadableStream({ start: (c) => c.enqueue(word) }) })],
  ])("[F40] silence %s is a timeout, even if the provider's code ignores the signal", async (_, stream) => {
    const outcome = await read(stalls(stream));
    expect(outcome).toMatchObject({ type: "failed" });
    expect(classifyFailure((outcome as { error: unknown }).error, 1, 0)).toMatchObject({ cause: "timeout" });
  });

  test("[P7] a call that ignores the signal is abandoned as soon as the run is stopped", async () => {
    const stop = new AbortController();
    const outcome = read(
      stalls(async () => ({ stream: new ReadableStream({ start: (c) => c.enqueue(word) }) })),
      stop.signal,
    );
    stop.abort(new Error("cancel"));
    expect(await outcome).toMatchObject({ type: "failed", error: { message: "cancel" } });
  });

  test("[F41] an error inside the stream fails the call, whatever arrived before", async () => {
    const parts: LanguageModelV4StreamPart[] = [word, { type: "error", error: new Error("overloaded") }];
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      start: (controller) => {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
    const outcome = await read(stalls(async () => ({ stream })));
    expect(outcome).toMatchObject({ type: "failed", error: { message: "overloaded" } });
  });

  test("[B2] an error event instead of an answer costs nothing; an error event in the middle of an answer costs something", async () => {
    const readParts = (...parts: LanguageModelV4StreamPart[]) => {
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        start: (controller) => {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return read(stalls(async () => ({ stream })));
    };
    const error: LanguageModelV4StreamPart = { type: "error", error: { code: 429, message: "slow down" } };
    expect(await readParts({ type: "stream-start", warnings: [] }, error)).not.toHaveProperty("characters");
    expect(await readParts(word, error)).toMatchObject({ characters: 1 });
    const input: LanguageModelV4StreamPart = { type: "tool-input-start", id: "1", toolName: "look" };
    expect(await readParts(input, error)).toMatchObject({ characters: 0 });
  });
});
