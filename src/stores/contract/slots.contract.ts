// B4: slots in a workspace. An intent takes a slot, and a rest or an end frees the slot.
// A run that gets no slot waits in a queue. The oldest run in the queue gets the next free slot.

import { expect } from "vitest";
import type { FakeClock } from "../../clock.ts";
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
  sendSignal,
  toolResult,
  toolStarted,
} from "./kit.contract.ts";

type Driver = Awaited<ReturnType<typeof acquireRun>>;

export function slotsContract(open: Open): void {
  const scenario = scenarios(open);

  scenario(
    "[B4] [S1-69] a root run that finds no free slot cannot start its first call, and joins the queue",
    async (opened) => {
      const { store, clock } = opened;
      const [one, two, three] = await roots(store, "r1", "r2", "r3");
      expect(await works(one!, 2)).toBe(true);
      expect(await works(two!, 2)).toBe(true);
      expect(await works(three!, 2), "r1 and r2 are at work").toBe(false);
      expect(await store.journal.read("r3"), "the refused intent is not written").toHaveLength(1);
      await queue(three!, 2);
      expect(await store.runs.get("r3")).toMatchObject({ status: "waiting", waitingOn: { kind: "slot" } });
      expect(await store.leases.due(clock.now(), 10)).toEqual([]);
      expect(await store.leases.nextDue(), "a queued run asks again after a second").toBe(
        clock.now() + 1_000,
      );
    },
  );

  scenario("[B4] a run with a slot keeps it from one intent to the next", async ({ store }) => {
    const [one, two] = await roots(store, "r1", "r2");
    expect(await works(one!, 1)).toBe(true);
    await one!.append([agentThought("m0")]);
    expect(await works(two!, 1)).toBe(false);
    expect((await one!.append([toolStarted("m0.0")], { concurrent: 1 })).refused).toBeUndefined();
    await one!.append([toolResult("m0.0")]);
    expect(await works(one!, 1, "m1")).toBe(true);
  });

  for (const [how, leave] of WAYS_TO_LEAVE) {
    scenario(
      `[B4] when a run ${how}, the run that has queued longest is due immediately`,
      async ({ store, clock }) => {
        const announced: string[][] = [];
        store.journal.onCommit((_, woken) => void (woken.length > 0 && announced.push([...woken])));
        const [holder, first, second] = await roots(store, "r1", "r2", "r3");
        await works(holder!, 1);
        await works(first!, 1);
        await queue(first!, 1);
        await works(second!, 1);
        await queue(second!, 1);
        await leave(holder!, store);
        const due = (await store.leases.due(clock.now(), 10)).filter((runId) => runId !== "r1");
        expect(due).toEqual(["r2"]);
        // A second announcement does no harm: on Postgres, the feed might read the event before the commit announces it.
        expect(new Set(announced.flat()), "the store announces r2, although no event was written").toEqual(
          new Set(["r2"]),
        );
        expect(await works(await acquireRun(store, "r2"), 1)).toBe(true);
      },
    );
  }

  scenario(
    "[B4] no run takes a slot that an older run is waiting for, even if the newer run requests it first",
    async ({ store }) => {
      const [holder, waiting, newer] = await roots(store, "r1", "r2", "r3");
      await works(holder!, 1);
      await works(waiting!, 1);
      await queue(waiting!, 1);
      await holder!.append([runEnded()]);
      expect(await works(newer!, 1), "r2 was first").toBe(false);
      await queue(newer!, 1);
      const next = await acquireRun(store, "r2");
      expect(await works(next, 1)).toBe(true);
      await next.append([runEnded()]);
      expect(await works(await acquireRun(store, "r3"), 1)).toBe(true);
    },
  );

  scenario(
    "[B4] a queued run that asks again and gets no slot keeps its place in the queue, and nothing is written",
    async ({ store, clock }) => {
      const [holder, first, second] = await roots(store, "r1", "r2", "r3");
      await works(holder!, 1);
      await works(first!, 1);
      await queue(first!, 1);
      await works(second!, 1);
      await queue(second!, 1);
      for (let time = 0; time < 3; time++) {
        clock.advance(1_000);
        await store.leases.heartbeat("w1", []);
        const again = await acquireRun(store, "r2");
        expect(await works(again, 1)).toBe(false);
        await again.append([], { guard: "signals", rest: { wakeAt: undefined, queue: 1 } });
      }
      expect(await store.journal.read("r2")).toHaveLength(2);
      await holder!.append([runEnded()]);
      expect(await store.leases.due(clock.now(), 1)).toEqual(["r2"]);
    },
  );

  scenario("[B4] a run far back in the queue asks for a slot less often", async ({ store, clock }) => {
    const drivers = await roots(store, ...Array.from({ length: 7 }, (_, index) => `r${index}`));
    for (const driver of drivers.slice(0, 2)) await works(driver, 2);
    for (const driver of drivers.slice(2)) {
      await works(driver, 2);
      await queue(driver, 2);
    }
    const wakes = [];
    for (let second = 1; second <= 3; second++) {
      clock.advance(1_000);
      wakes.push((await store.leases.due(clock.now(), 10)).length);
    }
    expect(wakes).toEqual([2, 4, 5]);
  });

  scenario("[B4] a run does not miss a slot that becomes free before the run can rest", async (opened) => {
    const { store, clock } = opened;
    const [holder, late] = await roots(store, "r1", "r2");
    await works(holder!, 1);
    expect(await works(late!, 1)).toBe(false);
    await holder!.append([runEnded()]);
    const told: string[] = [];
    store.journal.onCommit((_, woken) => void told.push(...woken));
    await queue(late!, 1);
    expect(await store.leases.due(clock.now(), 10)).toEqual(["r2"]);
    expect(told).toEqual(["r2"]);
  });

  scenario(
    "[B4] [P7] a cancelled run in the queue does not block the other queued runs",
    async ({ store, clock }) => {
      const [holder, first, second] = await roots(store, "r1", "r2", "r3");
      await works(holder!, 1);
      for (const driver of [first!, second!]) {
        await works(driver, 1);
        await queue(driver, 1);
      }
      await holder!.append([runEnded()]);
      await store.runs.cancel("r2", { by: "maria" });
      expect((await store.leases.due(clock.now(), 10)).toSorted()).toEqual(["r2", "r3"]);
      expect(await works(await acquireRun(store, "r3"), 1), "although r2 has not ended yet").toBe(true);
      const cancelled = await acquireRun(store, "r2");
      expect(
        (await cancelled.append([runEnded("RUN_CANCELLED")], { guard: "signals" })).refused,
      ).toBeUndefined();
    },
  );

  scenario("[B4] a queued run that is paused gives up its turn", async ({ store, clock }) => {
    const [holder, first, second] = await roots(store, "r1", "r2", "r3");
    await works(holder!, 1);
    for (const driver of [first!, second!]) {
      await works(driver, 1);
      await queue(driver, 1);
    }
    await sendSignal(store, "r2", runSuspended("p", { kind: "paused" }));
    await (await acquireRun(store, "r2")).append([], { rest: { wakeAt: undefined } });
    await holder!.append([runEnded()]);
    expect(await store.leases.due(clock.now(), 10)).toEqual(["r3"]);
  });

  scenario(
    "[B4] [F01] [F04] a run whose worker was killed keeps its slot for the next worker",
    async (opened) => {
      const { clock } = opened;
      const [holder, other] = await roots(opened.store, "r1", "r2");
      await works(holder!, 1);
      await works(other!, 1);
      await queue(other!, 1);
      clock.advance(16_000);
      let next = await acquireRun(opened.store, "r1", "w2");
      expect(await works(await acquireRun(opened.store, "r2", "w2"), 1)).toBe(false);
      expect(await works(next, 1, "m1"), "r1 still has its slot").toBe(true);
      await opened.reopen();
      expect(await works(await acquireRun(opened.store, "r2", "w3"), 1)).toBe(false);
      next = await acquireRun(opened.store, "r1", "w3");
      expect(await works(next, 1, "m2")).toBe(true);
      await next.append([runEnded()]);
      await opened.reopen();
      expect(await works(await acquireRun(opened.store, "r2", "w4"), 1)).toBe(true);
    },
  );

  scenario("[B4] a run that a worker releases at shutdown keeps its slot", async (opened) => {
    const { store, clock } = opened;
    const [holder, other] = await roots(store, "r1", "r2");
    await works(holder!, 1);
    await works(other!, 1);
    await queue(other!, 1);
    await store.leases.release("r1", holder!.writer);
    expect(await store.leases.due(clock.now(), 10)).toEqual(["r1"]);
    expect(await works(await acquireRun(store, "r1", "w2"), 1, "m1")).toBe(true);
  });

  scenario(
    "[B4] a queued run that only a newer version can drive does not block the queue",
    async ({ store }) => {
      const [holder, first, second] = await roots(store, "r1", "r2", "r3");
      await works(holder!, 1);
      await works(first!, 1);
      await queue(first!, 1);
      await holder!.append([runEnded()]);
      await store.leases.release("r2", (await acquireRun(store, "r2")).writer, { wakeAt: 0 });
      expect(await works(second!, 1)).toBe(true);
    },
  );

  scenario(
    "[B4] each workspace has its own slots; a child in a worktree uses the slots of its root's workspace",
    async ({ store }) => {
      await admit(store, "r1");
      await admit(store, "r2", { workspace: "/elsewhere" });
      const [one, two] = [await acquireRun(store, "r1"), await acquireRun(store, "r2")];
      expect([await works(one, 1), await works(two, 1)]).toEqual([true, true]);
      const child = childSpawn("c1", "r1");
      const apart = { ...child, start: { ...child.start, workspace: "/w/.cadre/worktrees/c1" } };
      await one.append([childStarted("c1")], { spawn: { ...apart, slot: "queues" } });
      expect(await works(await acquireRun(store, "c1"), 1)).toBe(false);
    },
  );

  scenario("[B4] a parent passes its slot to the first child that it waits for", async ({ store, clock }) => {
    const [parent, other] = await roots(store, "r1", "r2");
    await works(parent!, 1);
    expect(await starts(parent!, "c1", "parents")).toBeUndefined();
    expect(await starts(parent!, "c2", "free"), "c1 has the only slot").toBe("slots");
    await parent!.append([waitsFor("c1")], { rest: { wakeAt: undefined } });
    expect(await works(other!, 1)).toBe(false);
    const child = await acquireRun(store, "c1");
    expect(await works(child, 1), "c1 already has a slot").toBe(true);
    await queue(other!, 1);
    await child.append([runEnded()]);
    expect((await store.leases.due(clock.now(), 10)).toSorted()).toEqual(["r1", "r2"]);
    const again = await acquireRun(store, "r1");
    expect(await works(again, 1, "m9"), "r2 has waited longer than the resumed parent").toBe(false);
    await queue(again, 1);
    const next = await acquireRun(store, "r2");
    expect(await works(next, 1)).toBe(true);
    await next.append([runEnded()]);
    expect(await works(await acquireRun(store, "r1"), 1, "m9")).toBe(true);
  });

  scenario(
    "[B4] a parent without a slot waits for a slot before it starts its first child",
    async ({ store, clock }) => {
      const [parent, other] = await roots(store, "r1", "r2");
      await works(other!, 1);
      expect(await starts(parent!, "c1", "parents")).toBe("slots");
      expect(await store.runs.get("c1")).toBeUndefined();
      await queue(parent!, 1);
      await other!.append([runEnded()]);
      expect(await store.leases.due(clock.now(), 10)).toEqual(["r1"]);
      expect(await starts(await acquireRun(store, "r1"), "c1", "parents")).toBeUndefined();
      expect(await works(await acquireRun(store, "c1"), 1)).toBe(true);
    },
  );

  scenario(
    "[B4] a child that is allowed to queue is admitted even without a free slot, and waits in the queue",
    async ({ store, clock }) => {
      const [parent] = await roots(store, "r1");
      await works(parent!, 1);
      expect(await starts(parent!, "c1", "parents")).toBeUndefined();
      expect(await starts(parent!, "c2", "queues")).toBeUndefined();
      expect(await starts(parent!, "c3", "queues")).toBeUndefined();
      await parent!.append([waitsFor("c1", "c2", "c3")], { rest: { wakeAt: undefined } });
      for (const id of ["c2", "c3"]) {
        const child = await acquireRun(store, id);
        expect(await works(child, 1)).toBe(false);
        await queue(child, 1);
      }
      for (const [id, next] of [
        ["c1", "c2"],
        ["c2", "c3"],
      ] as const) {
        const child = await acquireRun(store, id);
        expect(await works(child, 1)).toBe(true);
        await child.append([runEnded()]);
        expect(await dueOf(store, clock, "c")).toEqual([next]);
      }
    },
  );

  scenario("[B4] a quarantined run has no slot", async ({ store }) => {
    const [holder, other] = await roots(store, "r1", "r2");
    await works(holder!, 1);
    await store.leases.quarantine({ runId: "r1", reason: "It cannot be read.", seq: 1 });
    expect(await works(other!, 1)).toBe(true);
  });
}

const WAYS_TO_LEAVE: readonly [string, (driver: Driver, store: Store) => Promise<unknown>][] = [
  ["ends", (driver) => driver.append([runEnded()])],
  [
    "rests until a person answers",
    (driver) => driver.append([runSuspended("s")], { rest: { wakeAt: undefined } }),
  ],
  ["rests until a later time", (driver) => driver.append([], { rest: { wakeAt: 4e12 } })],
  ["is left to a newer version", ({ writer }, store) => store.leases.release("r1", writer, { wakeAt: 0 })],
  [
    "is released until a later time",
    ({ writer }, store) => store.leases.release("r1", writer, { wakeAt: 4e12 }),
  ],
  ["is quarantined", (_, store) => store.leases.quarantine({ runId: "r1", reason: "unreadable", seq: 1 })],
];

async function roots(store: Store, ...runIds: string[]): Promise<Driver[]> {
  for (const runId of runIds) await admit(store, runId);
  return Promise.all(runIds.map((runId) => acquireRun(store, runId)));
}

/** Starts a model call if a slot is free. Returns whether it was started. */
async function works(driver: Driver, concurrent: number, callId = "m0"): Promise<boolean> {
  const { refused } = await driver.append([modelCallStarted(callId)], { guard: "signals", concurrent });
  expect([undefined, "slots"]).toContain(refused);
  return refused === undefined;
}

const queue = (driver: Driver, slots: number) =>
  driver.append([runSuspended(`queue/${driver.lease.epoch}`, { kind: "slot" })], {
    guard: "signals",
    rest: { wakeAt: undefined, queue: slots },
  });

async function starts(parent: Driver, id: string, slot: Spawn["slot"]): Promise<string | undefined> {
  const limits = { children: 9, runs: 9, concurrent: 1 };
  const child = { ...childSpawn(id, "r1"), slot, limits };
  return (await parent.append([childStarted(id)], { guard: "signals", spawn: child })).refused;
}

const waitsFor = (...items: string[]): EventBody =>
  runSuspended(`waits/${items.join()}`, { kind: "child", items });

const dueOf = async (store: Store, clock: FakeClock, prefix: string): Promise<string[]> =>
  (await store.leases.due(clock.now(), 10)).filter((runId) => runId.startsWith(prefix));
