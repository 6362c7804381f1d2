// Tests which worker is allowed to drive a run, and when. Covers due runs, leases, wake-ups and cancelled branches.

import { describe, expect } from "vitest";
import type { PoolFilter } from "../store.ts";
import {
  acquireRun,
  admit,
  admitChild,
  agentThought,
  contextAdded,
  modelCallFailed,
  modelCallStarted,
  type Open,
  runEnded,
  runSuspended,
  scenarios,
  sendSignal,
  toolResult,
  toolStarted,
} from "./kit.contract.ts";

const HOUR = 3_600_000;
const LEASE = 15_000;

export function leaseContract(open: Open): void {
  const scenario = scenarios(open);

  describe("runs that rest and wake up", () => {
    scenario(
      "[J6] a run is due when it is admitted and when its rest ends, but not while it is driven",
      async ({ store, clock }) => {
        await admit(store, "r1");
        expect(await store.leases.due(clock.now(), 10)).toEqual(["r1"]);
        const driver = await acquireRun(store, "r1");
        expect(await store.leases.due(clock.now(), 10)).toEqual([]);
        const wakeAt = clock.now() + 5000;
        await driver.append([runSuspended("s1", { kind: "timer", until: wakeAt })], { rest: { wakeAt } });
        expect(await store.leases.nextDue()).toBe(wakeAt);
        expect(await store.leases.due(wakeAt - 1, 10)).toEqual([]);
        expect(await store.leases.acquire("r1", "w1")).toBeUndefined();
        clock.advance(5000);
        expect(await store.leases.due(clock.now(), 10)).toEqual(["r1"]);
        expect((await acquireRun(store, "r1")).lease.row).toMatchObject({ status: "waiting", seq: 2 });
      },
    );

    scenario("[J9] the journal that comes with a lease equals the stored journal", async (opened) => {
      const { store } = opened;
      await admit(store, "r1");
      await sendSignal(store, "r1", contextAdded("x"));
      const { lease, append } = await acquireRun(store, "r1");
      if (lease.events) expect(lease.events).toEqual(await store.journal.read("r1"));
      await append([runSuspended("s1")], { rest: { wakeAt: undefined } });
      await sendSignal(store, "r1", contextAdded("y"));
      const again = (await acquireRun(store, "r1")).lease;
      if (again.events) expect(again.events).toEqual(await store.journal.read("r1"));
      await store.leases.release("r1", again);
      const later = await opened.reopen();
      const { events } = (await acquireRun(later, "r1")).lease;
      if (events) expect(events).toEqual(await later.journal.read("r1"));
    });

    scenario(
      "[J6] the store does not let a run rest until its driver has folded every signal, with or without a guard",
      async ({ store }) => {
        await admit(store, "r1");
        const driver = await acquireRun(store, "r1");
        await sendSignal(store, "r1", contextAdded("x"));
        const rest = await driver.append([runSuspended("s1")], { rest: { wakeAt: undefined } });
        expect(rest.refused).toBe("signals");
        expect((await driver.append([], { rest: { wakeAt: undefined } })).refused).toBeUndefined();
        expect((await store.journal.read("r1")).map(({ key }) => key)).toEqual(["start", "context/x"]);
      },
    );

    scenario("[J6] a signal wakes the resting run it is for, and no other run", async ({ store, clock }) => {
      for (const runId of ["r1", "r2"]) {
        await admit(store, runId);
        await (await acquireRun(store, runId)).append([runSuspended("s1")], { rest: { wakeAt: undefined } });
      }
      expect(await store.leases.due(clock.now(), 10)).toEqual([]);
      expect(await store.leases.nextDue()).toBeUndefined();
      await sendSignal(store, "r2", contextAdded("x"));
      expect(await store.leases.due(clock.now(), 10)).toEqual(["r2"]);
    });

    scenario(
      "[J6] if one commit contains a rest and a signal, the run is due, whichever comes first",
      async ({ store, clock }) => {
        await admit(store, "r1");
        await admit(store, "r2");
        const [first, second] = [await acquireRun(store, "r1"), await acquireRun(store, "r2")];
        const [rested, , , refused] = await Promise.all([
          first.append([runSuspended("s1")], { rest: { wakeAt: undefined } }),
          sendSignal(store, "r1", contextAdded("x")),
          sendSignal(store, "r2", contextAdded("x")),
          second.append([runSuspended("s1")], { rest: { wakeAt: undefined } }),
        ]);
        expect([rested.refused, refused.refused]).toEqual([undefined, "signals"]);
        expect(await store.leases.due(clock.now(), 10)).toEqual(["r1"]);
      },
    );

    scenario(
      "[J6] only the current driver can rest a run; a driver with a stale lease does not change the current lease",
      async ({ store, clock }) => {
        await admit(store, "r1");
        const old = await acquireRun(store, "r1", "w1");
        await old.append([toolStarted("m0.0")]);
        clock.advance(LEASE + 1);
        const next = await acquireRun(store, "r1", "w2");
        expect((await old.append([], { rest: { wakeAt: undefined } })).refused).toBe("epoch");
        expect((await old.append([toolResult("m0.0")], { rest: { wakeAt: 0 } })).refused).toBeUndefined();
        await store.journal.append({
          runId: "r1",
          after: 99,
          events: [contextAdded("x")],
          rest: { wakeAt: 0 },
        });
        await store.leases.release("r1", old.writer);
        expect(await store.leases.due(clock.now(), 10)).toEqual([]);
        expect((await next.append([modelCallStarted("m1")], { guard: "signals" })).refused).toBe("signals");
        expect((await next.append([modelCallStarted("m1")], { guard: "signals" })).refused).toBeUndefined();
      },
    );

    scenario(
      "[P8] [F36] when the clock jumps, no timer is lost and none fires early",
      async ({ store, clock }) => {
        await admit(store, "r1");
        const wakeAt = clock.now() + HOUR;
        await (await acquireRun(store, "r1")).append([runSuspended("s1")], { rest: { wakeAt } });
        clock.set(clock.now() - 2 * HOUR);
        expect(await store.leases.due(clock.now(), 10)).toEqual([]);
        await sendSignal(store, "r1", contextAdded("x"));
        const times = (await store.journal.read("r1")).map(({ ts }) => ts);
        expect(times[2]).toBeLessThan(times[1]!);
        await (await acquireRun(store, "r1")).append([], { rest: { wakeAt } });
        expect(await store.leases.nextDue()).toBe(wakeAt);
        clock.set(wakeAt - 1);
        expect(await store.leases.due(clock.now(), 10)).toEqual([]);
        clock.set(wakeAt + 2 * HOUR);
        expect(await store.leases.due(clock.now(), 10)).toEqual(["r1"]);
      },
    );

    scenario("[P8] [F37] timers survive a restart, and resting runs stay at rest", async (opened) => {
      const { clock } = opened;
      const wakeAt = clock.now() + HOUR;
      for (const [runId, at] of [
        ["r1", wakeAt],
        ["r2", undefined],
      ] as const) {
        await admit(opened.store, runId);
        await (await acquireRun(opened.store, runId)).append([runSuspended("s1")], { rest: { wakeAt: at } });
      }
      const store = await opened.reopen();
      expect(await store.leases.due(clock.now(), 10)).toEqual([]);
      expect(await store.leases.nextDue()).toBe(wakeAt);
      expect(await store.leases.due(wakeAt, 10)).toEqual(["r1"]);
    });

    scenario("[F37] 10,000 suspended runs are not due, before and after a restart", async (opened) => {
      const { clock } = opened;
      const ids = Array.from({ length: 10_000 }, (_, i) => `r${i}`);
      await Promise.all(ids.map((runId) => admit(opened.store, runId)));
      await Promise.all(
        ids.slice(500).map(async (runId) => {
          await (await acquireRun(opened.store, runId)).append([runSuspended("s1")], {
            rest: { wakeAt: undefined },
          });
        }),
      );
      expect(await opened.store.leases.due(clock.now(), 20_000)).toHaveLength(500);
      const store = await opened.reopen();
      expect(await store.leases.due(clock.now(), 20_000)).toEqual(ids.slice(0, 500));
      expect(await store.leases.due(clock.now(), 3)).toEqual(ids.slice(0, 3));
      expect(await store.journal.position()).toBe(19_500);
    });
  });

  describe("leases", () => {
    scenario(
      "[E2] when several workers try to acquire a run, one of them gets the lease",
      async ({ store }) => {
        await admit(store, "r1");
        const leases = await Promise.all(["a", "b", "c"].map((worker) => store.leases.acquire("r1", worker)));
        expect(leases.map((lease) => lease?.epoch)).toEqual([1, undefined, undefined]);
        expect(await store.leases.acquire("none", "a")).toBeUndefined();
      },
    );

    scenario(
      "[E2] a worker keeps its lease by heartbeats; without them it loses the lease, and its old epoch is refused",
      async ({ store, clock }) => {
        await admit(store, "r1");
        const old = await acquireRun(store, "r1", "w1");
        clock.advance(LEASE - 1);
        expect(await store.leases.heartbeat("w1", [{ runId: "r1", epoch: 1 }])).toEqual({
          cancelled: [],
          lost: [],
        });
        clock.advance(LEASE - 1);
        expect(await store.leases.due(clock.now(), 10)).toEqual([]);
        expect(await store.leases.acquire("r1", "w2")).toBeUndefined();
        clock.advance(2);
        expect(await store.leases.due(clock.now(), 10)).toEqual(["r1"]);
        const next = await acquireRun(store, "r1", "w2");
        expect(next.lease.epoch).toBe(2);
        expect(await store.leases.heartbeat("w1", [{ runId: "r1", epoch: 1 }])).toEqual({
          cancelled: [],
          lost: ["r1"],
        });
        expect((await old.append([modelCallStarted("m1")])).refused).toBe("epoch");
        expect((await next.append([modelCallStarted("m1")])).refused).toBeUndefined();
      },
    );

    scenario(
      "[E2] another worker acquires a lost worker's run immediately, and the new lease says when the old lease ends",
      async (opened) => {
        const { store, clock } = opened;
        await admit(store, "r1");
        const old = await acquireRun(store, "r1", "w1");
        clock.advance(1_000);
        expect(await store.leases.acquire("r1", "w2")).toBeUndefined();
        expect(await store.leases.acquire("r1", "w1", { workers: ["w1"] })).toBeUndefined();
        expect(await store.leases.acquire("r1", "w3", { workers: ["w2"] })).toBeUndefined();
        const lease = await store.leases.acquire("r1", "w2", { workers: ["w0", "w1"] });
        expect(lease).toMatchObject({ epoch: 2, previousUntil: clock.now() - 1_000 + LEASE });
        expect((await old.append([modelCallStarted("m1")], { guard: "signals" })).refused).toBe("epoch");
        await store.leases.release("r1", lease!, { wakeAt: clock.now() + 100 });
        expect(await store.leases.acquire("r1", "w3", { workers: ["w2"] })).toBeUndefined();
        clock.advance(LEASE);
        await acquireRun(store, "r1", "w3");
        clock.advance(LEASE + 1);
        expect((await store.leases.acquire("r1", "w4", { workers: ["w3"] }))?.previousUntil).toBeUndefined();
      },
    );

    scenario(
      "[E2] a new lease says when the previous lease ends, unless that lease has already expired",
      async ({ store, clock }) => {
        await admit(store, "r1");
        await acquireRun(store, "r1", "w1");
        const until = clock.now() + LEASE;
        clock.advance(1_000);
        const second = (await store.leases.acquire("r1", "w2", { workers: ["w1"] }))!;
        expect(second.previousUntil).toBe(until);
        const rest = { wakeAt: until };
        await store.journal.append({ runId: "r1", writer: second, after: second.row.seq, events: [], rest });
        await expect(
          store.transfers.move("r1", "t1"),
          "the other store would start the run again",
        ).rejects.toMatchObject({
          code: "CONFLICT",
        });
        await sendSignal(store, "r1", contextAdded("hurry"));
        const third = await acquireRun(store, "r1", "w3");
        expect(third.lease.previousUntil, "after a rest that a signal has ended").toBe(until);
        await store.leases.release("r1", third.writer);
        expect((await store.leases.acquire("r1", "w4"))?.previousUntil, "after a release").toBe(until);
        clock.advance(1_000);
        const fifth = (await store.leases.acquire("r1", "w5", { workers: ["w4"] }))!;
        expect(fifth.previousUntil, "the latest end of several leases").toBe(until + 1_000);
        clock.advance(LEASE);
        await store.leases.release("r1", fifth);
        expect(
          (await store.leases.acquire("r1", "w6"))?.previousUntil,
          "the previous lease has expired",
        ).toBeUndefined();
      },
    );

    scenario(
      "[E2] with `silentFor`, every worker that has been silent for that long counts as lost",
      async ({ store, clock }) => {
        await admit(store, "r1");
        await acquireRun(store, "r1", "w1");
        const takeEarly = () => store.leases.acquire("r1", "w2", { silentFor: 7_000 });
        clock.advance(6_999);
        expect(await takeEarly()).toBeUndefined();
        await store.leases.heartbeat("w1", []);
        clock.advance(6_999);
        expect(await takeEarly(), "w1 has sent a heartbeat").toBeUndefined();
        clock.advance(1);
        expect(await takeEarly()).toMatchObject({ epoch: 2 });
      },
    );

    scenario("[E9] workers are listed with their descriptions and their runs", async ({ store, clock }) => {
      const card = { host: "a", pid: 7, pool: "default", version: "1.2.3", since: clock.now() };
      await admit(store, "r1");
      await store.leases.heartbeat("w1", [], card);
      await store.leases.heartbeat("w2", [], { ...card, pid: 8, since: clock.now() + 1 });
      await acquireRun(store, "r1", "w1");
      await store.leases.heartbeat("nobody", []);
      const seenAt = clock.now();
      const first = { name: "w1", ...card, seenAt, silent: false, runs: 1, holds: ["r1"] };
      expect(await store.leases.workers()).toEqual([
        first,
        expect.objectContaining({ name: "w2", runs: 0, holds: [] }),
      ]);
      expect(await store.leases.driverOf("r1")).toBe("w1");
      clock.advance(LEASE);
      expect(await store.leases.driverOf("r1"), "w1 has fallen silent").toBeUndefined();
      await store.leases.heartbeat("w2", [], { ...card, pid: 8, since: card.since + 1, tooNew: 3 });
      await store.leases.heartbeat("w2", []);
      expect(await store.leases.workers()).toMatchObject([
        { ...first, silent: true },
        { pid: 8, silent: false, seenAt: clock.now(), tooNew: 3 },
      ]);
      for (const id of ["r2", "r3", "r4", "r5", "r6", "r7"]) {
        await admit(store, id);
        await acquireRun(store, id, "w2");
      }
      expect((await store.leases.workers())[1], "at most five runs are named").toMatchObject({
        runs: 6,
        holds: ["r2", "r3", "r4", "r5", "r6"],
      });
      expect([await store.leases.driverOf("r7"), await store.leases.driverOf("nobody")]).toEqual([
        "w2",
        undefined,
      ]);
    });

    scenario(
      "[E6] a worker gets the due runs of its pool; it gets a run without a pool only if it has the run's workspace",
      async ({ store, clock }) => {
        const due = (pool: string, workspaces: PoolFilter["workspaces"]) =>
          store.leases.due(clock.now(), 10, { pool, pools: ["default", "gpu"], workspaces });
        await admit(store, "r1", { workspace: "/a" });
        await admitChild(store, "c1", "r1", "r1", { pool: "gpu" });
        await admit(store, "r2", { workspace: "/b", pool: "nobody's" });
        expect(await due("gpu", { in: [] })).toEqual(["c1"]);
        expect(await due("gpu", { in: ["/a"] })).toEqual(["r1", "c1"]);
        expect(await due("default", { notIn: [] })).toEqual(["r1", "r2"]);
        expect(await store.runs.get("c1")).toMatchObject({ pool: "gpu" });
      },
    );

    scenario("[E6] due runs are filtered by the workspace of their root", async ({ store, clock }) => {
      await admit(store, "r1", { workspace: "/a" });
      await admit(store, "r2", { workspace: "/b" });
      const due = (workspaces: PoolFilter["workspaces"]) =>
        store.leases.due(clock.now(), 10, { pool: "p", pools: ["p"], workspaces });
      expect(await due({ in: ["/a", "/c"] })).toEqual(["r1"]);
      expect(await due({ notIn: ["/a", "/c"] })).toEqual(["r2"]);
      await acquireRun(store, "r1", "w1");
      await acquireRun(store, "r2", "w1");
      clock.advance(LEASE + 1);
      expect(await due({ in: ["/b"] })).toEqual(["r2"]);
      expect(await due({ notIn: ["/b"] })).toEqual(["r1"]);
    });

    scenario("[E2] the heartbeat names runs that are being cancelled", async ({ store }) => {
      await admit(store, "r1");
      await admit(store, "r2");
      await acquireRun(store, "r1");
      await acquireRun(store, "r2");
      await store.runs.cancel("r2", { by: "maria" });
      const holds = ["r1", "r2", "r3"].map((runId) => ({ runId, epoch: 1 }));
      expect(await store.leases.heartbeat("w1", holds)).toEqual({ cancelled: ["r2"], lost: ["r3"] });
    });

    scenario("[E1] a restart voids the leases of the previous process", async (opened) => {
      await admit(opened.store, "r1");
      await acquireRun(opened.store, "r1");
      const store = await opened.reopen();
      expect(await store.leases.due(opened.clock.now(), 10)).toEqual(["r1"]);
      expect((await acquireRun(store, "r1", "w2")).lease.epoch).toBe(2);
    });

    scenario(
      "[E4] a dead worker's runs are listed even if many other runs are due",
      async ({ store, clock }) => {
        for (const runId of ["r1", "r2", "r3", "r4", "r5"]) await admit(store, runId);
        await acquireRun(store, "r4", "dead");
        await acquireRun(store, "r5", "dead");
        clock.advance(LEASE + 1);
        expect(await store.leases.due(clock.now(), 3)).toEqual(["r4", "r5", "r1"]);
        expect(await store.leases.due(clock.now(), 1)).toEqual(["r4"]);
      },
    );

    scenario(
      "a released run is due immediately, or at a time that its driver chose",
      async ({ store, clock }) => {
        await admit(store, "r1");
        await store.leases.release("r1", (await acquireRun(store, "r1")).writer);
        expect(await store.leases.due(clock.now(), 10)).toEqual(["r1"]);
        await store.leases.release("r1", (await acquireRun(store, "r1")).writer, {
          wakeAt: clock.now() + 100,
        });
        expect(await store.leases.due(clock.now(), 10)).toEqual([]);
        expect(await store.leases.due(clock.now() + 100, 10)).toEqual(["r1"]);
      },
    );

    scenario("an ended run has no driver and is never due", async ({ store, clock }) => {
      await admit(store, "r1");
      const driver = await acquireRun(store, "r1");
      await driver.append([runEnded()], { rest: { wakeAt: 0 } });
      await store.leases.release("r1", driver.writer);
      expect(await store.leases.due(clock.now() + HOUR, 10)).toEqual([]);
      expect(await store.leases.acquire("r1", "w2")).toBeUndefined();
    });

    scenario(
      "[E5] the store counts how often a run is acquired, until the run rests or records an outcome",
      async (opened) => {
        let { store } = opened;
        await admit(store, "r1");
        const counts: number[] = [];
        for (let i = 0; i < 3; i++) {
          const { lease, append } = await acquireRun(store, "r1");
          counts.push(lease.acquisitions);
          await append([modelCallStarted(`m${i}`), modelCallFailed(`m${i}`, { cause: "interrupted" })]);
          store = await opened.reopen();
        }
        const given = await acquireRun(store, "r1");
        counts.push(given.lease.acquisitions);
        await store.leases.release("r1", given.writer);
        const fourth = await acquireRun(store, "r1");
        counts.push(fourth.lease.acquisitions);
        await fourth.append([modelCallStarted("m9")]);
        await fourth.append([agentThought("m9")]);
        await store.leases.release("r1", fourth.writer);
        const fifth = await acquireRun(store, "r1");
        counts.push(fifth.lease.acquisitions);
        await fifth.append([], { rest: { wakeAt: 0 } });
        counts.push((await acquireRun(store, "r1")).lease.acquisitions);
        expect(counts, "above three, only the driver counts").toEqual([1, 2, 3, 3, 3, 1, 1]);
      },
    );

    scenario(
      "[E5] [36.1] the driver counts how often it drives a suspect alone; a release, a rest and an outcome lower the count",
      async (opened) => {
        let { store } = opened;
        await admit(store, "r1");
        const driver = await acquireRun(store, "r1");
        await store.leases.recordAcquisitions("r1", driver.writer, 5);
        await store.leases.recordAcquisitions("r1", { ...driver.writer, epoch: 0 }, 7);
        store = await opened.reopen();
        const second = await acquireRun(store, "r1");
        expect(second.lease.acquisitions, "another driver does not count").toBe(5);
        await store.leases.release("r1", second.writer);
        const third = await acquireRun(store, "r1");
        expect(third.lease.acquisitions).toBe(4);
        await third.append([], { rest: { wakeAt: 0 } });
        expect((await acquireRun(store, "r1")).lease.acquisitions).toBe(1);
      },
    );

    scenario("[E5] [P9] a quarantined run is not due, even after a signal", async (opened) => {
      const { store, clock } = opened;
      await admit(store, "r1");
      await admit(store, "r2");
      const driver = await acquireRun(store, "r1");
      await store.leases.quarantine({ runId: "r1", reason: "it cannot be read", seq: 1 });
      expect((await driver.append([modelCallStarted("m1")])).refused).toBe("epoch");
      await sendSignal(store, "r1", contextAdded("x"));
      await store.runs.cancel("r1", { by: "maria" });
      expect(await store.leases.due(clock.now() + HOUR, 1)).toEqual(["r2"]);
      expect(await store.leases.acquire("r1", "w1")).toBeUndefined();
      await acquireRun(store, "r2");
      expect(await store.leases.nextDue()).toBeUndefined();
      const entry = { runId: "r1", reason: "it cannot be read", seq: 1 };
      expect(await store.leases.quarantined()).toEqual([entry]);
      await expect(store.leases.quarantine({ ...entry, runId: "none" })).rejects.toThrow();
      expect((await store.runs.get("r1"))?.waitingOn).toEqual({ kind: "quarantine", detail: entry.reason });

      const again = await opened.reopen();
      expect(await again.leases.quarantined(), "the new process may be able to read the run").toEqual([]);
      expect(await again.leases.due(clock.now(), 10)).toContain("r1");
    });
  });

  describe("cancelling a run", () => {
    scenario(
      "[P7] [J7] a cancel reaches all active descendants before any later intent",
      async ({ store }) => {
        await admit(store, "r1");
        await admitChild(store, "c1", "r1", "r1");
        await admitChild(store, "c2", "r1", "r1");
        await admitChild(store, "c11", "c1", "r1");
        await admitChild(store, "c21", "c2", "r1");
        await admit(store, "r2");
        const [grandchild, endedChild] = [await acquireRun(store, "c11"), await acquireRun(store, "c2")];
        await endedChild.append([runEnded()]);

        const [reached, intent] = await Promise.all([
          store.runs.cancel("r1", { by: "maria", reason: "enough" }),
          grandchild.append([toolStarted("m1.0")], { guard: "signals" }),
        ]);
        expect(reached.toSorted()).toEqual(["c1", "c11", "c21", "r1"]);
        expect(intent.refused).toBe("signals");
        expect(intent.events).toMatchObject([
          { type: "CANCEL_REQUESTED", payload: { by: "maria", reason: "enough", via: "r1" } },
        ]);
        const marks = (await store.journal.readAll(0, 100)).filter(({ type }) => type === "CANCEL_REQUESTED");
        expect(marks.map(({ runId }) => runId).toSorted()).toEqual(["c1", "c11", "c21", "r1"]);
        expect(await store.journal.read("r2")).toHaveLength(1);
      },
    );

    scenario(
      "[P7] if a run is cancelled twice, even at the same time, the second cancel writes nothing",
      async ({ store }) => {
        await admit(store, "r1");
        const answers = await Promise.all([
          store.runs.cancel("r1", { by: "maria" }),
          store.runs.cancel("r1", { by: "jon" }),
          sendSignal(store, "r1", contextAdded("x")),
        ]);
        expect(answers.slice(0, 2)).toEqual([["r1"], []]);
        expect(await store.runs.cancel("r1", { by: "maria" })).toEqual([]);
        await expect(store.runs.cancel("none", { by: "maria" })).rejects.toMatchObject({ code: "NOT_FOUND" });
      },
    );

    scenario(
      "[P7] a cancel wakes resting runs, and reaches a child that is admitted in the same commit",
      async ({ store, clock }) => {
        await admit(store, "r1");
        await (await acquireRun(store, "r1")).append([runSuspended("s1")], { rest: { wakeAt: undefined } });
        const [, reached] = await Promise.all([
          admitChild(store, "c1", "r1", "r1"),
          store.runs.cancel("r1", { by: "m" }),
        ]);
        expect(reached.toSorted()).toEqual(["c1", "r1"]);
        expect((await store.leases.due(clock.now(), 10)).toSorted()).toEqual(["c1", "r1"]);
      },
    );
  });
}
