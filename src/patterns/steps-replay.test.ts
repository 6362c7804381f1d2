import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scenario } from "../../test/support/scenario.ts";
import { answersOf, controlled, rewrite, says } from "../../test/support/steps.ts";
import { makeWorld, type World } from "../../test/support/world.ts";
import type { Payload } from "../journal/events.ts";
import { decideApproval, resumeRun } from "../loop/commands/person-commands.ts";
import { emptyRunState } from "../projections/folds/run-state.ts";
import { prompt, turns } from "./step-functions.ts";
import { replaySteps } from "./steps-replay.ts";

const ASKS = `yield prompt("Be quick."); yield* ask("Go on?"); return "went on";`;

async function answerQuestion(world: World, runId: string, index = 1): Promise<void> {
  const decision = { decision: "answer", answer: "yes" } as const;
  await decideApproval(`${runId}:question/${index}`, decision, "ann", world.runtime.people);
}

scenario(
  "a changed module suspends the run, and restoring it resumes the run",
  { ...controlled(ASKS), script: says() },
  async (world) => {
    const runId = await world.run("go");
    await world.settled(runId);
    rewrite(world, `${ASKS} // better`);
    await answerQuestion(world, runId);
    const { waitingOn } = await world.settled(runId);
    expect(waitingOn).toMatchObject({ kind: "definition_changed" });
    expect(waitingOn?.detail).toMatch(/^The module agents\/tester\.steps\.ts has changed .* resume the run/);
    rewrite(world, ASKS);
    await resumeRun(runId, "ann", world.runtime.people);
    await world.seen(runId, "RUN_COMPLETED");
  },
);

scenario(
  "a person can resume with the changed module if the module agrees with the record",
  { changes: true, ...controlled(ASKS), script: says() },
  async (world) => {
    const runId = await world.run("go");
    await world.settled(runId);
    rewrite(world, ASKS.replace("went on", "went on by another way"));
    await answerQuestion(world, runId);
    await world.settled(runId);
    await resumeRun(runId, "ann", world.runtime.people);
    const done = await world.seen(runId, "RUN_COMPLETED");
    expect(done.payload).toMatchObject({ summary: "went on by another way" });
  },
);

scenario(
  "[M1] if a step differs from the recorded step, the run fails, and the error names both steps",
  { changes: true, ...controlled(ASKS), script: says() },
  async (world) => {
    const runId = await world.run("go");
    await world.settled(runId);
    rewrite(world, ASKS.replace("Be quick.", "Be slow."));
    await answerQuestion(world, runId);
    await world.settled(runId);
    await resumeRun(runId, "ann", world.runtime.people);
    const failed = await world.seen(runId, "RUN_FAILED");
    expect(failed.payload).toMatchObject({ stopReason: "error" });
    expect((failed.payload as { summary: string }).summary).toMatch(
      /not deterministic: yield 0 was prompt {"text":"Be quick\."}, and replayed it yields prompt {"text":"Be slow\."}/,
    );
  },
);

scenario(
  "[M1] a module that reads the clock is detected at the next replay",
  {
    changes: true,
    idle: true,
    ...controlled(`yield prompt(String(process.hrtime.bigint())); yield* ask("Well?"); return "";`),
    script: says(),
  },
  async (world) => {
    const runId = await world.run("go");
    await world.drive(runId);
    await world.restart();
    await answerQuestion(world, runId);
    const { end } = await world.drive(runId);
    expect(end).toMatchObject({ status: "failed", summary: expect.stringContaining("not deterministic") });
  },
);

scenario(
  "a deleted module suspends the run until it is restored",
  { ...controlled(ASKS), script: says() },
  async (world) => {
    const runId = await world.run("go");
    await world.settled(runId);
    rmSync(join(world.folder, "agents/tester.steps.ts"));
    await answerQuestion(world, runId);
    const { waitingOn } = await world.settled(runId);
    expect(waitingOn).toMatchObject({
      kind: "definition_changed",
      detail: "The module agents/tester.steps.ts cannot be read.",
    });
    rewrite(world, ASKS);
    await resumeRun(runId, "ann", world.runtime.people);
    await world.seen(runId, "RUN_COMPLETED");
  },
);

test.each([
  [
    "throws",
    `yield prompt("a");\nthrow new Error("no way");`,
    /threw: no way \(agents\/tester\.steps\.ts:\d+:\d+\)/,
  ],
  [
    "yields a value that is not a step",
    `yield 42 as never; return "";`,
    /Yield 0 of the module is no step: 42/,
  ],
  ["yields a prompt without words", `yield prompt(" "); return "";`, /no step.*must not be empty/s],
  ["returns nothing", `yield prompt("a");`, /returned nothing, and its agent never reported/],
  ["returns a value that is not an answer", `return 42 as never;`, /has returned 42/],
  [
    "returns a value that is not data",
    `return (() => 1) as never;`,
    /has returned a function, which is no data/,
  ],
  [
    "returns a circular object",
    `const o = { o: {} }; o.o = o; return { summary: "s", output: o };`,
    /nested too deep/,
  ],
  [
    "[36.7] yields a call that is nested 1,000 deep",
    `let o = {}; for (let i = 0; i < 1_000; i++) o = { o }; yield* tool("look", o); return "";`,
    /Yield 0 of the module is nested too deep/,
  ],
  ["returns a value that JSON cannot represent", `return { summary: "s", output: 1n };`, /threw: .*BigInt/],
  [
    "returns what throws",
    `return { get summary(): string { throw new Error("no way"); } };`,
    /threw: no way/,
  ],
  [
    "returns a report of another form",
    `return { summary: "s", warnings: "w" } as never;`,
    /array.*warnings/s,
  ],
  [
    "throws a value that cannot be printed",
    `throw Object.create(null);`,
    /threw: something that cannot be shown/,
  ],
])(
  "[M1] a run fails with a clear error if its module %s",
  async (_, body, summary) => {
    const world = await makeWorld({ ...controlled(body), script: says() });
    try {
      const { end } = await world.settled(await world.run("go"));
      expect(end).toMatchObject({ status: "failed", summary: expect.stringMatching(summary) });
    } finally {
      await world.close();
    }
  },
  120_000,
);

test("a module that yields endlessly is stopped, and its replay stays fast", () => {
  const main = function* () {
    for (;;) yield prompt("more");
  };
  const state = emptyRunState();
  state.start = { task: "t" } as Payload<"RUN_STARTED">;
  const step = { kind: "prompt", arguments: { text: "more" }, answer: null };
  state.steps.answered = Array.from({ length: 9_999 }, () => step);
  const from = performance.now();
  expect(replaySteps(main, "m.steps.ts", state)).toMatchObject({ type: "yielded", index: 9_999 });
  expect(performance.now() - from).toBeLessThan(2_000);
  state.steps.answered.push(step);
  expect(replaySteps(main, "m.steps.ts", state)).toEqual({
    type: "failed",
    why: "The module has yielded 10000 times and has not returned.",
  });
});

test("[M2] a module gets copies of the recorded answers, so it cannot change the record", () => {
  const main = function* () {
    const answer = (yield* turns()) as { summary: string };
    answer.summary = "mine";
    return answer.summary;
  };
  const state = emptyRunState();
  state.start = { task: "t" } as Payload<"RUN_STARTED">;
  state.steps.answered = [{ kind: "turns", arguments: {}, answer: { done: true, summary: "theirs" } }];
  expect(replaySteps(main, "m.steps.ts", state)).toEqual({ type: "returned", value: "mine" });
  expect(state.steps.answered[0]?.answer).toEqual({ done: true, summary: "theirs" });
});

scenario(
  "[M2] a module's changes to an answer are gone in the next replay",
  {
    idle: true,
    ...controlled(
      `
      const one = yield* tool("look", { what: "a" });
      (one as { output: string }).output = "mine";
      (input as { n: number }).n++;
      yield* ask("Well?");
      return one.output + (input as { n: number }).n;`,
    ),
    script: says(),
  },
  async (world) => {
    const runId = await world.run("go", { input: { n: 1 } });
    await world.drive(runId);
    await world.restart();
    await answerQuestion(world, runId);
    expect((await world.drive(runId)).end?.summary).toBe("mine2");
    expect(answersOf(await world.events(runId))[0]).toEqual({ output: "look a: done", isError: false });
  },
);
