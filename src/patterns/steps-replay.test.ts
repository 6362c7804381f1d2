import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkInvariants } from "../../test/support/invariants.ts";
import type { Intercept } from "../../test/support/mortal-store.ts";
import { effects } from "../../test/support/oracle.ts";
import { roles, scenario } from "../../test/support/scenario.ts";
import { makeWorld, type World } from "../../test/support/world.ts";
import { fakeClock } from "../clock.ts";
import type { Payload } from "../journal/events.ts";
import { decideApproval, decideOutcome, resumeRun } from "../loop/people.ts";
import { openItems } from "../projections/approvals.ts";
import { liveChildren } from "../projections/child-runs.ts";
import { emptyRunState } from "../projections/run-state.ts";
import { replay } from "./replay.ts";
import { prompt } from "./step.ts";
import { answersOf, controlled, refusedByProvider, rewrite, says, yieldsOf } from "./steps.fixture.ts";

const EVERYTHING = controlled(
  `
  yield prompt("Begin.");
  const first = yield* turns();
  const paid = yield* tool("charge", { what: "card" });
  const [left, right] = yield* parallel([delegate("left", "l"), delegate("right", "r", { hidden: true })]);
  const word = yield* ask("Which word?");
  yield* sleep("1m");
  const last = yield* turn();
  return [first.summary, paid.output, left?.summary, right?.summary, word, last.text].join(", ");`,
  "agents: [left, right]",
);
const AT_ONCE = 4;

test("[F01] [F03] [M1] [M3] killed at any append, the module is replayed and the run ends as if nothing was", async () => {
  for (let first = 1; ; first += AT_ONCE) {
    const points = Array.from({ length: AT_ONCE }, (_, index) => first + index);
    const died = await Promise.all(points.map((point) => liveThrough(point)));
    if (first === 1) expect(died, "there are points to die at").not.toContain(false);
    if (died.includes(false)) return;
  }
}, 120_000);

/** False: there is no such point to die at. */
async function liveThrough(point: number): Promise<boolean> {
  // Dying after one append is dying before the next, but for what is queued behind it.
  const when = point % 2 === 0 ? "before" : "after";
  const world: World = await makeWorld({
    idle: true,
    clock: fakeClock(),
    ...EVERYTHING,
    cast: { left: "", right: "" },
    config: "permissions: { ask: [charge] }",
    script: roles({ tester: says("one", "two") }),
    intercept: killer(() => world, point, when),
  });
  const runId = await world.run("go on");
  let deaths = 0;
  for (let rounds = 0; !(await world.state(runId)).end; rounds++) {
    if (rounds > 40) throw new Error(`the run does not end after it died at ${point}`);
    const died = await Promise.race([world.dead().then(() => true), step(world, runId).then(() => false)]);
    if (died) await world.restart();
    deaths += Number(died);
  }
  const { end } = await world.state(runId);
  expect(end?.summary, `${when} ${point}`).toBe(
    "one, charge card: done, left is done, right is done, blue, two",
  );
  expect(effects(world.oracle).map(({ input }) => input)).toEqual(["card"]);
  const events = await world.events(runId);
  expect(yieldsOf(events).map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(refusedByProvider(events)).toBeUndefined();
  await checkInvariants(world.runtime.store, world.oracle);
  await world.close();
  return deaths > 0;
}

function killer(world: () => World, point: number, when: "before" | "after"): Intercept {
  let seen = 0;
  return async (_, send) => {
    seen++;
    if (seen > point) return new Promise(() => {});
    if (seen < point) return send();
    if (when === "after") await send();
    world().die();
    return new Promise(() => {});
  };
}

/** Drives the tree once, and plays the person and the time. */
async function step(world: World, runId: string): Promise<void> {
  const { people, parts } = world.runtime;
  const state = await world.drive(runId);
  for (const { runId: child } of liveChildren(state.children)) await world.drive(child);
  for (const item of openItems(state)) {
    if (item.kind === "tool") await decideApproval(item.id, { decision: "approve" }, "ann", people);
    if (item.kind === "question")
      await decideApproval(item.id, { decision: "answer", answer: "blue" }, "ann", people);
    if (item.kind !== "outcome") continue;
    const happened = effects(world.oracle).some(({ callId }) => callId === item.callId);
    const verdict = happened
      ? { verdict: "happened" as const, output: "charge card: done" }
      : { verdict: "run_again" as const };
    await decideOutcome(runId, item.callId!, verdict, "ann", people);
  }
  (parts.clock as ReturnType<typeof fakeClock>).advance(60_000);
}

const ASKS = `yield prompt("Be quick."); yield* ask("Go on?"); return "went on";`;

async function answered(world: World, runId: string, index = 1): Promise<void> {
  const decision = { decision: "answer", answer: "yes" } as const;
  await decideApproval(`${runId}:question/${index}`, decision, "ann", world.runtime.people);
}

scenario(
  "a changed module suspends the run, and put back it goes on",
  { ...controlled(ASKS), script: says() },
  async (world) => {
    const runId = await world.run("go");
    await world.settled(runId);
    rewrite(world, `${ASKS} // better`);
    await answered(world, runId);
    const { waitingOn } = await world.settled(runId);
    expect(waitingOn).toMatchObject({ kind: "definition_changed" });
    expect(waitingOn?.detail).toMatch(/^The module agents\/tester\.steps\.ts has changed .* resume the run/);
    rewrite(world, ASKS);
    await resumeRun(runId, "ann", world.runtime.people);
    await world.seen(runId, "RUN_COMPLETED");
  },
);

scenario(
  "a person may let it go on with the changed module, which must agree with the record",
  { ...controlled(ASKS), script: says() },
  async (world) => {
    const runId = await world.run("go");
    await world.settled(runId);
    rewrite(world, ASKS.replace("went on", "went on by another way"));
    await answered(world, runId);
    await world.settled(runId);
    await resumeRun(runId, "ann", world.runtime.people);
    const done = await world.seen(runId, "RUN_COMPLETED");
    expect(done.payload).toMatchObject({ summary: "went on by another way" });
  },
);

scenario(
  "[M1] a yield that differs from the record fails the run and names both",
  { ...controlled(ASKS), script: says() },
  async (world) => {
    const runId = await world.run("go");
    await world.settled(runId);
    rewrite(world, ASKS.replace("Be quick.", "Be slow."));
    await answered(world, runId);
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
  "[M1] a module that looks at the clock is caught at the next replay",
  {
    idle: true,
    ...controlled(`yield prompt(String(process.hrtime.bigint())); yield* ask("Well?"); return "";`),
    script: says(),
  },
  async (world) => {
    const runId = await world.run("go");
    await world.drive(runId);
    await world.restart();
    await answered(world, runId);
    const { end } = await world.drive(runId);
    expect(end).toMatchObject({ status: "failed", summary: expect.stringContaining("not deterministic") });
  },
);

scenario(
  "a module that is gone suspends the run until it is back",
  { ...controlled(ASKS), script: says() },
  async (world) => {
    const runId = await world.run("go");
    await world.settled(runId);
    rmSync(join(world.folder, "agents/tester.steps.ts"));
    await answered(world, runId);
    const { waitingOn } = await world.settled(runId);
    expect(waitingOn).toMatchObject({
      kind: "definition_changed",
      detail: expect.stringMatching(/tester\.steps\.ts cannot be read\. Nothing is lost/),
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
  ["yields no step", `yield 42 as never; return "";`, /Yield 0 of the module is no step: 42/],
  ["yields a prompt without words", `yield prompt(" "); return "";`, /no step.*must not be empty/s],
  ["returns nothing", `yield prompt("a");`, /returned nothing, and its agent never reported/],
  ["returns what is no answer", `return 42 as never;`, /has returned 42/],
])(
  "a module that %s fails its run and says so",
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

test("a module that yields without end is stopped, and replaying it until then takes no time to speak of", () => {
  const main = function* () {
    for (;;) yield prompt("more");
  };
  const state = emptyRunState();
  state.start = { task: "t" } as Payload<"RUN_STARTED">;
  const step = { kind: "prompt", arguments: { text: "more" }, answer: null };
  state.steps.answered = Array.from({ length: 9_999 }, () => step);
  const from = performance.now();
  expect(replay(main, "m.steps.ts", state)).toMatchObject({ type: "yielded", index: 9_999 });
  expect(performance.now() - from).toBeLessThan(2_000);
  state.steps.answered.push(step);
  expect(replay(main, "m.steps.ts", state)).toEqual({
    type: "failed",
    why: "The module has yielded 10000 times and has not returned.",
  });
});

scenario(
  "[M2] what a module does to an answer is not there when it is replayed",
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
    await answered(world, runId);
    expect((await world.drive(runId)).end?.summary).toBe("mine2");
    expect(answersOf(await world.events(runId))[0]).toEqual({ output: "look a: done", isError: false });
  },
);
