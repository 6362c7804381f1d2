// The contract of every pattern. Its decisions depend only on the journal. Its runs end, stay within the limits, and survive kills.
// Set CRASH_ALL=1 to kill the process at every event.

import { describe, expect, test } from "vitest";
import { checkInvariants } from "../../test/support/invariants.ts";
import type { Intercept } from "../../test/support/mortal-store.ts";
import { type Sample, samples } from "../../test/support/pattern-samples.ts";
import { familyOf, payloadsOf, typesOf } from "../../test/support/scenario.ts";
import { makeWorld, type World, type WorldOptions } from "../../test/support/world.ts";
import type { JournalEvent } from "../journal/events.ts";
import { decide } from "../loop/drive/decide.ts";
import type { RunView } from "../loop/drive/decide-turn.ts";
import { loadDefinition } from "../loop/drive/run-journal.ts";
import { runStateProjection } from "../projections/folds/run-state.ts";
import { transcriptProjection } from "../projections/folds/transcript.ts";
import { fold } from "../projections/projection.ts";
import { DECLARATIONS } from "./declarations/index.ts";

const STRIDE = process.env["CRASH_ALL"] === undefined ? 3 : 1;
const MINUTE = 60_000;

describe.each(DECLARATIONS.map(({ key }) => [key, samples()[key]] as const))("%s", (_, sample) => {
  test("[L2] at every event, the pattern makes the same decision from the same journal", async () => {
    const world = await worldOf(sample);
    const runId = await runToEnd(world);
    for (const { id } of await familyOf(world, runId)) {
      const events = await world.events(id);
      const agent = await agentOf(world, events);
      for (const [index] of events.entries()) {
        const before = events.slice(0, index + 1);
        expect(decisionAfter(before, agent)).toEqual(decisionAfter(before, agent));
      }
    }
    await world.close();
  });

  test("the run ends, and so do all runs that it started", async () => {
    const world = await worldOf(sample);
    const runId = await runToEnd(world);
    expect(await leftBehind(world, runId)).toMatchObject({ summary: sample.summary });
    const [, ...below] = await familyOf(world, runId);
    expect(below.map(({ agent, trigger }) => `${agent} ${trigger}`)).toEqual(sample.family);
    expect(below.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
    await world.close();
  });

  test("[S1-69] [P11] when the tree's limit of runs is reached, the pattern starts nothing, and the run ends with the reason", async () => {
    const world = await worldOf(sample, { config: "limits: { tree: { maxRuns: 1 } }" });
    const runId = await runToEnd(world);
    expect(await familyOf(world, runId)).toHaveLength(1);
    const { end } = await world.state(runId);
    if (sample.answersAlone) expect(end).toMatchObject({ status: "completed", summary: sample.summary });
    else expect(end!.summary).toMatch(/tree\.maxRuns 1|which it may not|limit of runs/);
    await world.close();
  });

  test("[F25] [S3-68] each model call counts once in the tree, and the tree's budget limits all runs", async () => {
    const world = await worldOf(sample);
    const runId = await runToEnd(world);
    const family = await familyOf(world, runId);
    const [ended] = payloadsOf(await world.events(runId), "RUN_COMPLETED");
    const sum = (of: "input" | "output") => family.reduce((total, { usage }) => total + usage[of], 0);
    expect(ended!.tree!.usage).toMatchObject({ input: sum("input"), output: sum("output") });
    await world.close();

    const poor = await worldOf(sample, { config: "limits: { tree: { maxTokens: 1 } }" });
    const poorRun = await runToEnd(poor);
    const spent = (await familyOf(poor, poorRun)).reduce((total, { usage }) => total + usage.output, 0);
    expect(spent).toBe(0);
    expect((await poor.state(poorRun)).end).toMatchObject({ status: "failed" });
    await poor.close();
  });

  test(
    `[F01] [F06] [F26] the run continues after a kill at ${STRIDE === 1 ? "every event" : `each third event`}, and nothing is paid for twice`,
    async () => {
      const whole = await worldOf(sample);
      const expected = await leftBehind(whole, await runToEnd(whole));
      await whole.close();
      for (let point = 1; await survives(sample, point, expected); point += STRIDE);
    },
    5 * MINUTE,
  );
});

function worldOf(sample: Sample, more: Partial<WorldOptions> = {}): Promise<World> {
  const { agent, cast, files = {}, script } = sample;
  return makeWorld({ agent, cast, files, script, ...more });
}

async function runToEnd(world: World): Promise<string> {
  const runId = await world.run("the task");
  await world.seen(runId, "RUN_COMPLETED", "RUN_FAILED");
  return runId;
}

/** Returns false if the run has fewer appends than `point`. */
async function survives(sample: Sample, point: number, expected: unknown): Promise<boolean> {
  const world: World = await worldOf(sample, { idle: true, intercept: killer(() => world, point) });
  const runId = await world.run("the task");
  const died = await Promise.race([
    world.dead().then(() => true),
    driveToEnd(world, runId).then(
      () => false,
      () => true,
    ),
  ]);
  if (died) {
    await world.restart();
    await driveToEnd(world, runId);
  }
  expect(await leftBehind(world, runId), `at ${point}`).toEqual(expected);
  await checkInvariants(world.runtime.store, world.oracle);
  await world.close();
  return died;
}

/** Drives all due runs, one after the other, until the root has ended. */
async function driveToEnd(world: World, runId: string): Promise<void> {
  while (!(await world.state(runId)).end) {
    for (const due of await world.runtime.store.leases.due(Date.now(), 10)) await world.drive(due);
  }
}

/** Kills the process at the n-th append: before the append if n is odd, after the append if n is even. Later appends get no answer. */
function killer(world: () => World, point: number): Intercept {
  let seen = 0;
  return async (_, send) => {
    seen++;
    if (seen < point) return send();
    if (seen === point) {
      if (point % 2 === 0) await send();
      world().die();
    }
    return new Promise(() => {});
  };
}

/** The result of a tree, without values that differ in each test run. */
async function leftBehind(world: World, runId: string) {
  const family = await familyOf(world, runId);
  const runs = await Promise.all(
    family.map(async ({ id, agent, trigger, status, stopReason, summary, parentKey }) => {
      const events = await world.events(id);
      const thoughts = typesOf(events).filter((type) => type === "AGENT_THOUGHT").length;
      return { agent, trigger, status, stopReason, summary, parentKey, thoughts };
    }),
  );
  const { summary } = (await world.state(runId)).end!;
  return { summary, runs };
}

function decisionAfter(
  events: readonly JournalEvent[],
  { definition, steps }: Pick<RunView, "definition" | "steps">,
): unknown {
  const state = fold(runStateProjection, events);
  const transcript = fold(transcriptProjection, events);
  return decide(
    { state, transcript, definition, steps },
    { now: 1, contextWindow: 100_000, readsResults: true },
  );
}

async function agentOf(world: World, events: readonly JournalEvent[]) {
  const [start] = payloadsOf(events, "RUN_STARTED");
  const definition = await loadDefinition(world.runtime.store, start!.definition);
  return { definition, steps: definition.steps && (await world.runtime.parts.loadSteps(definition.steps)) };
}
