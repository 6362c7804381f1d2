import { expect, test } from "vitest";
import { z } from "zod";
import { delegate, payloadsOf, roles, scenario, turns } from "../../test/support/scenario.ts";
import { makeWorld, type World } from "../../test/support/world.ts";
import { defineTool } from "../tools/tool.ts";
import { lookAfter, SILENT_MS } from "./look-after.ts";
import { cancelRun } from "./people.ts";

const waits = {
  agent: "agents: [helper]",
  cast: { helper: "tools: { allow: [charge], ask: [charge] }" },
  script: roles({
    tester: turns({ calls: [delegate("helper")] }),
    helper: turns({ calls: [{ tool: "charge", input: { what: "x" } }] }),
  }),
};

damaged(
  "[S0-65] [S0-66] a child whose parent has ended is failed, and its journal says why",
  async (world) => {
    const runId = await world.run("see to it");
    const { waitingOn, seq } = await world.settled(runId);
    const [child] = waitingOn!.blockers!;
    const { store } = world.runtime;
    await lookAfter(world.runtime.parts);
    expect((await world.state(child!)).end, "its parent waits for it").toBeUndefined();

    const [end] = payloadsOf(await ended(world, "RUN_FAILED"), "RUN_FAILED");
    await store.append({ runId, after: seq, events: [{ type: "RUN_FAILED", payload: end! }] });
    await lookAfter(world.runtime.parts);
    expect((await world.state(child!)).end).toMatchObject({ status: "failed", stopReason: "orphaned" });
    expect(payloadsOf(await world.events(child!), "SYSTEM_ERROR")).toMatchObject([
      { code: "ORPHANED", fatal: true },
    ]);
    expect(await store.orphans()).toEqual([]);
  },
);

damaged("[S0-65] one that was being cancelled ends as cancelled", async (world) => {
  const runId = await world.run("see to it");
  const { waitingOn, seq } = await world.settled(runId);
  const [child] = waitingOn!.blockers!;
  await world.runtime.stop();
  const { store } = world.runtime;
  await cancelRun(child!, "maria", undefined, world.runtime.people);
  const [end] = payloadsOf(await ended(world, "RUN_FAILED"), "RUN_FAILED");
  await store.append({ runId, after: seq, events: [{ type: "RUN_FAILED", payload: end! }] });
  await lookAfter(world.runtime.parts);
  expect((await world.state(child!)).end).toMatchObject({ status: "cancelled", stopReason: "orphaned" });
});

/** In a tree that is not as it can become: its parent was ended from outside. */
function damaged(title: string, body: (world: World) => Promise<void>): void {
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
  execute: (_, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve({ output: "stopped", isError: true }), { once: true });
    }),
});

scenario(
  "[S1-71] a run at work that says nothing for ten minutes is stopped where it hangs, and goes on",
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
    await lookAfter(later(SILENT_MS));
    expect(payloadsOf(await world.events(runId), "SYSTEM_ERROR"), "its tool has an hour").toEqual([]);
    await lookAfter(later(2 * 3_600_000));
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed" });
    expect(payloadsOf(await world.events(runId), "SYSTEM_ERROR")).toMatchObject([
      { code: "STUCK", message: expect.stringContaining("for 120 minutes") },
    ]);
  },
);

/** The journal of a run that ended so, for its last event. */
async function ended(world: World, type: "RUN_FAILED") {
  const other = await world.run("fail", { limits: { maxTurns: 0 } });
  await world.runtime.parts.store.run(other);
  const { drive } = await import("./drive.ts");
  await drive(other, world.runtime.parts, new AbortController().signal);
  await world.seen(other, type);
  return world.events(other);
}
