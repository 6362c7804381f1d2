// Compares recorded runs with each other.

import { expect } from "vitest";
import { charge, delegate, look, payloadsOf, roles, scenario } from "../../../test/support/scenario.ts";
import type { World } from "../../../test/support/world.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { Script } from "../../models/scripted/script.ts";
import { type ComparedTree, compareTrees } from "../../projections/views/compare.ts";
import { eventsBefore } from "../drive/run-journal.ts";

async function treeOf(world: World, runId: string): Promise<ComparedTree> {
  const { store } = world.runtime;
  const runs = new Map<string, readonly JournalEvent[]>();
  for (const { id } of (await store.runs.list({ root: runId })).runs)
    runs.set(id, await store.journal.read(id));
  const before = await eventsBefore(store, payloadsOf(runs.get(runId)!, "RUN_STARTED")[0]!);
  return { runId, before, runs };
}

const compareRuns = async (world: World, a: string, b: string) =>
  compareTrees(await treeOf(world, a), await treeOf(world, b));

const script: Script = ({ lastTool, lastUser }) => {
  const what = lastUser?.includes("other") ? "card 2" : "card 1";
  if (lastTool === undefined) return { text: "First I look.", calls: [look("orders")] };
  return lastTool === "look" ? { calls: [charge(what)] } : { report: { summary: `Charged ${what}.` } };
};
const TOOLS = { agent: "tools: [look, charge]", config: "permissions: { allow: [look, charge] }" };

scenario(
  "[FK7] [U39] a fork that repeats its origin shows no difference, and has its own cost",
  { script, ...TOOLS },
  async (world) => {
    const runId = await world.run("charge the card");
    const ended = await world.seen(runId, "RUN_COMPLETED");
    const fork = await world.runtime.fork(runId, { seq: 7 });
    await world.seen(fork.runId, "RUN_COMPLETED");
    const { nodes, first, a, b } = await compareRuns(world, runId, fork.runId);
    expect(first).toBeUndefined();
    expect(nodes[0]!.rows.map((row) => row.a?.title)).toEqual([
      "charge the card",
      "First I look.",
      expect.stringMatching(/^look .*orders/),
      expect.stringMatching(/^charge .*card 1/),
      "Charged card 1.",
    ]);
    expect(nodes[0]!.rows[3]!.b!.recorded).toMatchObject({ runId });
    expect(ended.seq).toBeGreaterThan(7);
    expect(b.tokens).toBeLessThan(a.tokens);
  },
);

scenario(
  "[FK7] [U39] the first row that differs is the divergence, and later rows are aligned again",
  { script, ...TOOLS },
  async (world) => {
    const one = await world.run("charge the card");
    const other = await world.run("charge the other card");
    await world.seen(one, "RUN_COMPLETED");
    await world.seen(other, "RUN_COMPLETED");
    const { nodes, first } = await compareRuns(world, one, other);
    expect(first).toEqual({ node: 0, row: 0 });
    expect(nodes[0]!.rows.map(({ same }) => same)).toEqual([false, true, true, false, false]);
    expect(nodes[0]!.rows[3]).toMatchObject({
      a: { title: expect.stringMatching(/card 1/) },
      b: { title: expect.stringMatching(/card 2/) },
    });
  },
);

let flaky = false;

scenario(
  "[FK7] a difference that began in a child is shown in the child; a run that exists in only one tree is listed alone",
  {
    agent: "agents: [worker, helper]\ntools: []",
    cast: { worker: "", helper: "" },
    script: roles({
      tester: ({ turn }) => {
        if (turn === 1) return { calls: [delegate("worker")] };
        return flaky && turn === 2 ? { calls: [delegate("helper")] } : { text: "all done" };
      },
      worker: () => ({ text: flaky ? "I failed somehow" : "I did it" }),
      helper: () => ({ text: "helped" }),
    }),
  },
  async (world) => {
    flaky = false;
    const one = await world.run("do it");
    await world.seen(one, "RUN_COMPLETED");
    flaky = true;
    const other = await world.run("do it");
    await world.seen(other, "RUN_COMPLETED");
    const { nodes, first } = await compareRuns(world, one, other);
    expect(nodes.map(({ agent, depth, a, b }) => [agent, depth, a !== undefined, b !== undefined])).toEqual([
      ["tester", 0, true, true],
      ["worker", 1, true, true],
      ["helper", 1, false, true],
    ]);
    expect(nodes[first!.node]).toMatchObject({ agent: "worker" });
    expect(nodes[1]!.rows[first!.row]).toMatchObject({
      a: { title: "I did it" },
      b: { title: "I failed somehow" },
    });
  },
);

scenario(
  "[FK2] [FK7] a child whose recorded result was used again causes no difference, and is listed in one tree only",
  {
    agent: "agents: [worker]\ntools: []",
    cast: { worker: "" },
    script: roles({
      tester: ({ lastTool }) =>
        lastTool === undefined ? { calls: [delegate("worker")] } : { text: "all done" },
    }),
  },
  async (world) => {
    const runId = await world.run("do it");
    await world.seen(runId, "RUN_COMPLETED");
    const fork = await world.runtime.fork(runId, { seq: 1 });
    await world.seen(fork.runId, "RUN_COMPLETED");
    const { nodes, first } = await compareRuns(world, runId, fork.runId);
    expect(first).toBeUndefined();
    expect(nodes.map(({ agent, a, b }) => [agent, a !== undefined, b !== undefined])).toEqual([
      ["tester", true, true],
      ["worker", true, false],
    ]);
  },
);
