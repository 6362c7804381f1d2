import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { z } from "zod";
import { delegate, payloadsOf, roles, scenario, turns } from "../../../test/support/scenario.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { fakeClock } from "../../clock.ts";
import type { Model } from "../../models/model.ts";
import { createScriptedModel } from "../../models/scripted/model.ts";
import { defineTool } from "../../tools/tool.ts";
import { cancelRun } from "../commands/person-commands.ts";
import { checkOnRuns, SILENT_MS } from "./check-on-runs.ts";

type StreamPart = LanguageModelV4StreamPart;

const waits = {
  agent: "agents: [helper]",
  cast: { helper: "tools: { allow: [charge], ask: [charge] }" },
  script: roles({
    tester: turns({ calls: [delegate("helper")] }),
    helper: turns({ calls: [{ tool: "charge", input: { what: "x" } }] }),
  }),
};

testDamagedTree(
  "[S0-65] [S0-66] a child whose parent has ended fails, and its journal says why",
  async (world) => {
    const runId = await world.run("see to it");
    const { waitingOn, seq } = await world.settled(runId);
    const [child] = waitingOn!.blockers!;
    const { store } = world.runtime;
    await checkOnRuns(world.runtime.parts);
    expect((await world.state(child!)).end, "its parent waits for it").toBeUndefined();

    const [end] = payloadsOf(await driveToEnd(world, "RUN_FAILED"), "RUN_FAILED");
    await store.journal.append({ runId, after: seq, events: [{ type: "RUN_FAILED", payload: end! }] });
    await checkOnRuns(world.runtime.parts);
    expect((await world.state(child!)).end).toMatchObject({ status: "failed", stopReason: "orphaned" });
    expect(payloadsOf(await world.events(child!), "SYSTEM_ERROR")).toMatchObject([
      { code: "ORPHANED", fatal: true },
    ]);
    expect(await store.runs.orphans()).toEqual([]);
  },
);

testDamagedTree("[S0-65] an orphan that was being cancelled ends as cancelled", async (world) => {
  const runId = await world.run("see to it");
  const { waitingOn, seq } = await world.settled(runId);
  const [child] = waitingOn!.blockers!;
  await world.runtime.stop();
  const { store } = world.runtime;
  await cancelRun(child!, "maria", undefined, world.runtime.people);
  const [end] = payloadsOf(await driveToEnd(world, "RUN_FAILED"), "RUN_FAILED");
  await store.journal.append({ runId, after: seq, events: [{ type: "RUN_FAILED", payload: end! }] });
  await checkOnRuns(world.runtime.parts);
  expect((await world.state(child!)).end).toMatchObject({ status: "cancelled", stopReason: "orphaned" });
});

testDamagedTree(
  "[P9] an orphan that cannot be read is reported, and the other orphans are still ended",
  async (world) => {
    const { store, parts } = world.runtime;
    const [end] = payloadsOf(await driveToEnd(world, "RUN_FAILED"), "RUN_FAILED");
    const children: string[] = [];
    for (const task of ["see to it", "and to that"]) {
      const runId = await world.run(task);
      const { waitingOn, seq } = await world.settled(runId);
      children.push(...waitingOn!.blockers!);
      await store.journal.append({ runId, after: seq, events: [{ type: "RUN_FAILED", payload: end! }] });
    }
    const [bad, good] = await store.runs.orphans();
    expect(children).toEqual(expect.arrayContaining([bad, good]));
    await world.runtime.stop();
    const db = new DatabaseSync(join(world.folder, ".cadre", "cadre.db"));
    db.prepare("UPDATE events SET ts = 0 WHERE seq = 2 AND run = (SELECT n FROM runs WHERE id = ?)").run(
      bad!,
    );
    db.close();
    const problems: { runId: string; message: string }[] = [];
    await checkOnRuns({ ...parts, onProblem: (problem) => problems.push(problem) });
    expect((await world.state(good!)).end).toMatchObject({ stopReason: "orphaned" });
    expect(problems).toMatchObject([{ runId: bad, message: expect.stringContaining(bad!) }]);
  },
);

/** Registers a test about a child whose parent has ended. Cadre itself never leaves such a child behind. */
function testDamagedTree(title: string, body: (world: World) => Promise<void>): void {
  test(title, async () => {
    const world = await makeWorld(waits);
    try {
      await body(world);
    } finally {
      await world.close();
    }
  });
}

const hangs = defineTool({
  name: "hang",
  description: "Never ends by itself.",
  input: z.object({}),
  effect: "read",
  reaches: [],
  execute: (_, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve({ output: "stopped", isError: true }), { once: true });
    }),
});

const saying = Promise.withResolvers<(word: string) => void>();

const chatty = defineTool({
  name: "chatty",
  description: "Shows output for as long as the test wants.",
  input: z.object({}),
  effect: "read",
  reaches: [],
  execute: (_, { progress }) =>
    new Promise((resolve) => {
      saying.resolve((word) => (word === "end" ? resolve({ output: "all said" }) : progress!(word)));
    }),
});

const clock = fakeClock();

scenario(
  "[S1-71] a running run that is silent for ten minutes is interrupted, and continues afterwards",
  {
    agent: "limits: { toolTimeout: 1h }",
    tools: [hangs],
    script: turns({ calls: [{ tool: "hang", input: {} }] }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.seen(runId, "TOOL_STARTED");
    const { parts } = world.runtime;
    const later = (ms: number) => ({
      ...parts,
      clock: { ...parts.clock, now: () => parts.clock.now() + ms },
    });
    await checkOnRuns(later(SILENT_MS));
    expect(payloadsOf(await world.events(runId), "SYSTEM_ERROR"), "its tool has an hour").toEqual([]);
    await checkOnRuns(later(2 * 3_600_000));
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed" });
    expect(payloadsOf(await world.events(runId), "SYSTEM_ERROR")).toMatchObject([
      { code: "STUCK", message: expect.stringContaining("for 120 minutes") },
    ]);
  },
);

scenario(
  "[S1-71] an answer that streams for longer than ten minutes is kept; an answer that falls silent is interrupted",
  { idle: true, clock, script: turns() },
  async (world) => {
    const { parts } = world.runtime;
    const chunks = new TransformStream<StreamPart, StreamPart>();
    const words = chunks.writable.getWriter();
    const streams: Model = {
      ...createScriptedModel(turns()),
      doStream: async () => ({ stream: chunks.readable }),
    };
    parts.models = { resolve: () => streams, contextWindow: () => undefined, acceptedFiles: () => new Set() };
    const runId = await world.run("tell me everything");
    const driven = world.drive(runId);
    await world.seen(runId, "MODEL_CALL_STARTED");
    for (const id of ["a call", "a call", "a call"]) {
      clock.advance(SILENT_MS - 1);
      // The input of a call can be long, and the user sees nothing while the input streams.
      await words.write({ type: "tool-input-delta", id, delta: "x" });
      await checkOnRuns(parts);
    }
    expect(payloadsOf(await world.events(runId), "SYSTEM_ERROR")).toEqual([]);
    clock.advance(parts.patience.silence + 60_000);
    await checkOnRuns(parts);
    await driven;
    expect(payloadsOf(await world.events(runId), "SYSTEM_ERROR")).toMatchObject([{ code: "STUCK" }]);
    expect(payloadsOf(await world.events(runId), "MODEL_CALL_FAILED")).toMatchObject([
      { cause: "interrupted" },
    ]);
  },
);

scenario(
  "[S1-71] a tool can run for the time that it requests, and longer while it produces output",
  {
    idle: true,
    clock,
    tools: [{ ...hangs, timeout: 20 * 60_000 }, chatty],
    script: turns({ calls: [{ tool: "hang", input: {} }] }, { calls: [{ tool: "chatty", input: {} }] }),
  },
  async (world) => {
    const { parts } = world.runtime;
    const runId = await world.run("see to it");
    const stuck = async () => payloadsOf(await world.events(runId), "SYSTEM_ERROR").length;
    const first = world.drive(runId);
    await world.seen(runId, "TOOL_STARTED");
    clock.advance(20 * 60_000);
    await checkOnRuns(parts);
    expect(await stuck(), "it has twenty minutes, and a little to stop").toBe(0);
    clock.advance(60_000);
    await checkOnRuns(parts);
    await first;
    expect(await stuck()).toBe(1);

    const second = world.drive(runId);
    const say = await saying.promise;
    for (const word of ["a", "b", "c"]) {
      clock.advance(SILENT_MS - 1);
      say(word);
      await checkOnRuns(parts);
    }
    expect(await stuck()).toBe(1);
    say("end");
    expect((await second).end).toMatchObject({ status: "completed" });
  },
);

/** Drives another run to its end, and returns its journal. */
async function driveToEnd(world: World, type: "RUN_FAILED") {
  const other = await world.run("fail", { limits: { maxTurns: 0 } });
  await world.runtime.parts.store.runs.get(other);
  const { drive } = await import("./drive.ts");
  await drive(other, world.runtime.parts, new AbortController().signal);
  await world.seen(other, type);
  return world.events(other);
}
