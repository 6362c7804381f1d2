import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type FakeClock, fakeClock } from "../clock.ts";
import type { RunId } from "../ids.ts";
import { DEFAULT_LIMITS } from "../journal/definition.ts";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import type { Store } from "../stores/store.ts";
import { type HeartbeatOptions, startHeartbeat, type WorkerHeartbeat } from "./heartbeat.ts";

let clock: FakeClock;
let store: Store;
let held: { runId: RunId; epoch: number }[];
let cancelled: RunId[][];
let lost: RunId[][];
let hearts: WorkerHeartbeat[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  clock = fakeClock();
  store = openSqliteStore({ path: ":memory:", clock });
  held = [];
  cancelled = [];
  lost = [];
  hearts = [];
});

afterEach(async () => {
  await Promise.all(hearts.map((heart) => heart.stop()));
  vi.useRealTimers();
  await store.close();
});

test("[E2] renews at once and then every five seconds, so its runs stay its own", async () => {
  const { renewed } = begin();
  await renewed(1);
  await take("a");
  for (let beat = 2; beat <= 12; beat++) {
    await pass(4_999);
    await pass(1);
    await renewed(beat);
    expect(await store.leases.due(clock.now(), 10)).toEqual([]);
  }
  expect(clock.elapsed()).toBe(55_000);
});

test("[E2] when it stops, its runs are free fifteen seconds later", async () => {
  const { heart, renewed } = begin();
  await renewed(1);
  await take("a");
  await heart.stop();
  await pass(14_999);
  expect(await store.leases.due(clock.now(), 10)).toEqual([]);
  await pass(1);
  expect(await store.leases.due(clock.now(), 10)).toEqual(["a"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("[P7] hands over the runs that others have cancelled, and no others", async () => {
  const { heart, renewed } = begin();
  await renewed(1);
  await take("a");
  await take("b");
  await heart.beat();
  expect(cancelled).toEqual([]);
  await store.runs.cancel("b", { by: "ann", reason: "user" });
  await heart.beat();
  expect(cancelled).toEqual([["b"]]);
  expect(lost).toEqual([]);
});

test("[E2] hands over the runs that another worker has taken", async () => {
  const { heart, renewed } = begin();
  await renewed(1);
  await take("a");
  clock.advance(15_000);
  await store.leases.heartbeat("other", []);
  expect(await store.leases.acquire("a", "other")).toMatchObject({ epoch: 2 });
  await heart.beat();
  expect(lost).toEqual([["a"]]);
});

test("[E2] a run that rested during a beat and was taken again is not aborted for its old epoch", async () => {
  const { heart, renewed } = begin({
    before: async () => {
      if (held.length === 0) return;
      await store.leases.release("a", { worker: "me", epoch: 1 });
      const lease = await store.leases.acquire("a", "me");
      held = [{ runId: "a", epoch: lease!.epoch }];
    },
  });
  await renewed(1);
  await take("a");
  await heart.beat();
  expect(held).toEqual([{ runId: "a", epoch: 2 }]);
  expect(lost).toEqual([]);
});

test("[E2] an effect may begin until fifteen seconds after the last renewal was sent, not after it was answered", async () => {
  const { heart, renewed } = begin({ before: async () => clock.advance(4_000) });
  expect(heart.deadline()).toBe(Number.NEGATIVE_INFINITY);
  await renewed(1);
  expect(clock.elapsed()).toBe(4_000);
  expect(heart.deadline()).toBe(15_000);
  await pass(1_000);
  await renewed(2);
  expect(heart.deadline()).toBe(20_000);
});

test("[F36] the deadline does not move when the wall clock jumps", async () => {
  const { heart, renewed } = begin();
  await renewed(1);
  clock.set(clock.now() + 7_200_000);
  expect(heart.deadline()).toBe(15_000);
  await heart.beat();
  clock.set(clock.now() - 14_400_000);
  expect(heart.deadline() - clock.elapsed()).toBe(15_000);
});

test("[E2] cut off from its store it says so once, tries every second, and its deadline passes; then it goes on", async () => {
  const gone = new Error("the connection is gone");
  const reported: unknown[] = [];
  let broken = false;
  let tried = 0;
  const { heart, renewed } = begin({
    onError: (error) => reported.push(error),
    before: async () => {
      tried++;
      if (broken) throw gone;
    },
  });
  await renewed(1);
  broken = true;
  for (let second = 1; second <= 20; second++) await pass(1_000);
  expect(tried).toBe(1 + 16);
  expect(reported).toEqual([gone]);
  expect(heart.deadline()).toBe(15_000);

  broken = false;
  await pass(1_000);
  await renewed(2);
  expect(heart.deadline()).toBe(21_000 + 15_000);
});

test("a store that does not answer is asked once, and the deadline passes", async () => {
  const gate = Promise.withResolvers<void>();
  let tried = 0;
  const { heart } = begin({
    before: () => {
      tried++;
      return gate.promise;
    },
  });
  await pass(60_000);
  expect(tried).toBe(1);
  expect(heart.deadline()).toBeLessThan(clock.elapsed());
  gate.resolve();
  await heart.beat();
  expect(heart.deadline()).toBe(75_000);
});

/** A heartbeat on the real store, with a moment before each renewal, and a way to wait for the n-th. */
function begin({ before, ...options }: Partial<HeartbeatOptions> & { before?: () => Promise<void> } = {}) {
  const waiting = new Set<() => void>();
  let renewals = 0;
  const heart = startHeartbeat({
    store: {
      leases: {
        async heartbeat(worker, holds) {
          await before?.();
          const answer = await store.leases.heartbeat(worker, holds);
          renewals++;
          for (const look of waiting) look();
          return answer;
        },
      },
    },
    worker: "me",
    clock,
    held: () => held,
    onCancelled: (runIds) => cancelled.push(runIds),
    onLost: (runIds) => lost.push(runIds),
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  hearts.push(heart);
  async function renewed(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = () => renewals >= count && resolve();
      waiting.add(look);
      look();
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(renewals).toBe(count);
  }
  return { heart, renewed };
}

async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await vi.advanceTimersByTimeAsync(ms);
}

async function take(runId: RunId): Promise<void> {
  await store.runs.start(runId, {
    agent: "coder",
    definition: "d",
    kind: "main",
    depth: 0,
    trigger: "user",
    task: "work",
    mode: "auto",
    attended: true,
    rootRunId: runId,
    workspace: "w",
    limits: DEFAULT_LIMITS,
    approvals: { onTimeout: "reject", unattended: "park" },
  });
  const lease = await store.leases.acquire(runId, "me");
  held.push({ runId, epoch: lease!.epoch });
}
