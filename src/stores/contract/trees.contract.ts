// J7: a change to several journals is one transaction.
// The journal of a parent records when a child starts, ends or needs a person.

import { expect } from "vitest";
import type { EventBody } from "../../journal/events.ts";
import type { Spawn, Store } from "../store.ts";
import {
  acquireRun,
  admit,
  agentThought,
  childSpawn,
  childStarted,
  modelCallStarted,
  type Open,
  runEnded,
  runSuspended,
  scenarios,
  toolProposed,
} from "./kit.contract.ts";

export function treeContract(open: Open): void {
  const scenario = scenarios(open);

  scenario("[J7] a child exists if, and only if, its parent's journal says so", async ({ store, clock }) => {
    await admit(store, "r1");
    const parent = await acquireRun(store, "r1");
    expect(
      await parent.append([childStarted("c1")], { guard: "signals", spawn: childSpawn("c1", "r1") }),
    ).toMatchObject({
      events: [{ type: "CHILD_RUN_STARTED" }],
    });
    expect(await store.journal.read("c1")).toMatchObject([
      { type: "RUN_STARTED", payload: { parentRunId: "r1" } },
    ]);
    expect(await store.leases.due(clock.now(), 10)).toEqual(["c1"]);

    await store.runs.cancel("r1", { by: "maria" });
    const late = await parent.append([childStarted("c2")], {
      guard: "signals",
      after: 2,
      spawn: childSpawn("c2", "r1"),
    });
    expect(late.refused).toBe("signals");
    expect(await store.runs.get("c2")).toBeUndefined();
  });

  scenario("[J1] [J10] a spawn that is repeated after a lost answer starts one child", async ({ store }) => {
    await admit(store, "r1");
    const parent = await acquireRun(store, "r1");
    const again = { guard: "signals" as const, after: 1, spawn: childSpawn("c1", "r1") };
    await parent.append([childStarted("c1")], again);
    const answer = await parent.append([childStarted("c1")], again);
    expect(answer.refused).toBeUndefined();
    expect(await store.journal.read("r1")).toHaveLength(2);
    expect(await store.journal.read("c1")).toHaveLength(1);
  });

  scenario(
    "[S1-69] the store limits the children of a run, the runs of a tree, and the runs that work at the same time",
    async ({ store }) => {
      await admit(store, "r1");
      const parent = await acquireRun(store, "r1");
      const begin = (id: string, more: Partial<Spawn>) =>
        parent.append([childStarted(id)], { guard: "signals", spawn: { ...childSpawn(id, "r1"), ...more } });
      const limits = { children: 2, runs: 3, concurrent: 2 };
      await parent.append([modelCallStarted("m0")], { concurrent: 2 });
      expect((await begin("c1", { limits })).refused).toBeUndefined();
      expect((await begin("c2", { limits })).refused, "the root and c1 are at work").toBe("slots");
      expect((await begin("c2", { limits: { ...limits, runs: 2, concurrent: 9 } })).refused).toBe("runs");
      expect((await begin("c2", { limits: { ...limits, concurrent: 9 } })).refused).toBeUndefined();
      expect((await begin("c3", { limits: { ...limits, runs: 9, concurrent: 9 } })).refused).toBe("children");
      expect(await store.runs.get("c3")).toBeUndefined();
    },
  );

  scenario(
    "[P6] a child's end is written to its parent's journal in the same transaction, and only once",
    async ({ store, clock }) => {
      const { parent, child } = await family(store);
      await parent.append([waitsFor("c1")], { guard: "signals", rest: { wakeAt: undefined } });
      expect(await store.leases.due(clock.now(), 10)).toEqual([]);
      await child.append([modelCallStarted("m1"), agentThought("m1")]);
      await child.append([runEnded()], { guard: "signals" });
      expect((await store.journal.read("r1")).at(-1)).toMatchObject({
        type: "CHILD_RUN_COMPLETED",
        payload: {
          child_run_id: "c1",
          success: true,
          summary: "It works.",
          key: "m1.0",
          usage: { input: 10, output: 5 },
          cost: 0.25,
        },
      });
      expect(await store.leases.due(clock.now(), 10)).toEqual(["r1"]);
      const positions = (await store.journal.readAll(0, 100)).filter(({ type }) => /COMPLETED/.test(type));
      expect(positions.map(({ type }) => type)).toEqual(["RUN_COMPLETED", "CHILD_RUN_COMPLETED"]);
    },
  );

  scenario(
    "[D4] the journal of a parent that has ended does not record its child's end",
    async ({ store }) => {
      const { parent, child } = await family(store);
      await parent.append([runEnded("RUN_FAILED")]);
      await child.append([runEnded()]);
      expect((await store.journal.read("r1")).at(-1)).toMatchObject({ type: "RUN_FAILED" });
    },
  );

  scenario(
    "[S0-61] [S0-62] when a child needs a person, all waiting ancestors are suspended, too",
    async ({ store, clock }) => {
      const { parent, child } = await family(store);
      await child.append([childStarted("g1", "m1.0")], { spawn: childSpawn("g1", "c1") });
      await parent.append([waitsFor("c1")], { rest: { wakeAt: undefined } });
      await child.append([waitsFor("g1")], { rest: { wakeAt: undefined } });
      const grandchild = await acquireRun(store, "g1");
      await grandchild.append([toolProposed("m1.0"), runSuspended("s1")], { rest: { wakeAt: undefined } });

      for (const [id, direct] of [
        ["c1", "g1"],
        ["r1", "c1"],
      ] as const) {
        expect(await store.runs.get(id)).toMatchObject({
          status: "suspended",
          waitingOn: { kind: "child_hitl", items: [direct], blockers: ["g1"] },
        });
        expect((await store.journal.read(id)).at(-1)).toMatchObject({
          type: "RUN_SUSPENDED",
          payload: { blockers: ["g1"], blocked_by_child_run_id: direct },
        });
      }
      expect(await store.leases.due(clock.now(), 10), "no run is due").toEqual([]);

      const again = await takeDue(store, "g1");
      await again.append([{ type: "RUN_RESUMED", payload: { by: "maria" }, key: "x" }]);
      expect(await store.runs.get("r1")).toMatchObject({ status: "running" });
      expect((await store.journal.read("r1")).at(-1)).toMatchObject({ type: "RUN_RESUMED" });
    },
  );

  scenario(
    "[S0-61] a run that starts to wait for a child is suspended if that child already needs a person",
    async ({ store }) => {
      const { parent, child } = await family(store);
      await child.append([toolProposed("m1.0"), runSuspended("s1")], { rest: { wakeAt: undefined } });
      expect(await store.runs.get("r1"), "r1 does not wait for its child yet").toMatchObject({
        status: "running",
      });
      const answer = await parent.append([waitsFor("c1")], { guard: "signals", rest: { wakeAt: undefined } });
      expect(answer.events.map(({ type }) => type)).toEqual(["RUN_SUSPENDED", "RUN_SUSPENDED"]);
      expect(await store.runs.get("r1")).toMatchObject({
        status: "suspended",
        waitingOn: { blockers: ["c1"] },
      });
    },
  );

  scenario(
    "a parent with two children that need a person resumes after both decisions, in any order",
    async ({ store }) => {
      const { parent, child } = await family(store);
      await parent.append([childStarted("c2", "m1.1")], { spawn: childSpawn("c2", "r1", "m1.1") });
      await parent.append([waitsFor("c1", "c2")], { rest: { wakeAt: undefined } });
      const other = await acquireRun(store, "c2");
      await child.append([runSuspended("s1")], { rest: { wakeAt: undefined } });
      await other.append([runSuspended("s1")], { rest: { wakeAt: undefined } });
      expect((await store.runs.get("r1"))?.waitingOn?.blockers).toEqual(["c1", "c2"]);
      const resumed = await takeDue(store, "c2");
      await resumed.append([runEnded("RUN_FAILED")]);
      expect((await store.runs.get("r1"))?.waitingOn).toMatchObject({ kind: "child_hitl", blockers: ["c1"] });
      expect((await store.journal.read("r1")).at(-2)).toMatchObject({
        type: "CHILD_RUN_COMPLETED",
        payload: { child_run_id: "c2", success: false },
      });
    },
  );

  scenario(
    "[E5] [36.1] a parent waits for a quarantined child and names it, and learns of the child's real end",
    async ({ store }) => {
      const { parent, child } = await family(store);
      await parent.append([runSuspended("w", { kind: "child", items: ["c1"] })], {
        rest: { wakeAt: undefined },
      });
      await child.append([runSuspended("q", { kind: "quarantine", detail: "It ends its process." })], {
        rest: { wakeAt: undefined },
      });
      expect((await store.runs.get("r1"))?.waitingOn).toMatchObject({ kind: "child_hitl", blockers: ["c1"] });
      await (await takeDue(store, "c1")).append([runEnded()]);
      const told = (await store.journal.read("r1")).filter(({ type }) => type === "CHILD_RUN_COMPLETED");
      expect(told).toMatchObject([{ payload: { child_run_id: "c1", success: true } }]);
    },
  );

  scenario(
    "[E5] [36.1] a parent waits for a child that cannot be read and names it, until the child is cancelled",
    async (opened) => {
      const { store } = opened;
      const { parent } = await family(store);
      await parent.append([runSuspended("w", { kind: "child", items: ["c1"] })], {
        rest: { wakeAt: undefined },
      });
      await store.leases.quarantine({ runId: "c1", reason: "Event 2 is malformed.", seq: 2 });
      expect((await store.runs.get("r1"))?.waitingOn).toMatchObject({ kind: "child_hitl", blockers: ["c1"] });
      expect((await store.journal.read("r1")).map(({ type }) => type)).not.toContain("CHILD_RUN_COMPLETED");
      await store.runs.cancel("c1", { by: "maria" });
      expect((await store.journal.read("r1")).at(-1)).toMatchObject({
        type: "CHILD_RUN_COMPLETED",
        payload: { child_run_id: "c1", success: false, quarantined: true },
      });
    },
  );
}

/** Starts a root and its child, and acquires both. */
async function family(store: Store) {
  await admit(store, "r1");
  const parent = await acquireRun(store, "r1");
  await parent.append([modelCallStarted("m0"), agentThought("m0"), childStarted("c1")], {
    spawn: childSpawn("c1", "r1"),
  });
  return { parent, child: await acquireRun(store, "c1") };
}

/** Makes a run due by a signal, and acquires it. */
async function takeDue(store: Store, runId: string) {
  await store.journal.append({
    runId,
    after: 0,
    events: [{ type: "CONTEXT_ADDED", payload: { id: "wake", source: "person", text: "now" } }],
  });
  return acquireRun(store, runId);
}

const waitsFor = (...items: string[]): EventBody =>
  runSuspended(`waits/${items.join()}`, { kind: "child", items });
