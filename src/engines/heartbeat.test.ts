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

test("[E2] a worker renews its leases immediately and then every five seconds, so it keeps its runs", async () => {
  const { waitForRenewals } = begin();
  await waitForRenewals(1);
  await take("a");
  for (let beat = 2; beat <= 12; beat++) {
    await pass(4_999);
    await pass(1);
    await waitForRenewals(beat);
    expect(await store.leases.due(clock.now(), 10)).toEqual([]);
  }
  expect(clock.elapsed()).toBe(55_000);
});

test("[E2] fifteen seconds after the heartbeat stops, the worker's runs are due again", async () => {
  const { heart, waitForRenewals } = begin();
  await waitForRenewals(1);
  await take("a");
  await heart.stop();
  await pass(14_999);
  expect(await store.leases.due(clock.now(), 10)).toEqual([]);
  await pass(1);
  expect(await store.leases.due(clock.now(), 10)).toEqual(["a"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("[P7] a heartbeat reports the cancelled runs of its worker, and no other runs", async () => {
  const { heart, waitForRenewals } = begin();
  await waitForRenewals(1);
  await take("a");
  await take("b");
  await heart.beat();
  expect(cancelled).toEqual([]);
  await store.runs.cancel("b", { by: "ann", reason: "user" });
  await heart.beat();
  expect(cancelled).toEqual([["b"]]);
  expect(lost).toEqual([]);
});

test("[E2] a heartbeat reports the runs that another worker has taken over", async () => {
  const { heart, waitForRenewals } = begin();
  await waitForRenewals(1);
  await take("a");
  clock.advance(15_000);
  await store.leases.heartbeat("other", []);
  expect(await store.leases.acquire("a", "other")).toMatchObject({ epoch: 2 });
  await heart.beat();
  expect(lost).toEqual([["a"]]);
});

test("[E2] a run is not reported as lost if its worker released it and took it again during the heartbeat", async () => {
  const { heart, waitForRenewals } = begin({
    before: async () => {
      if (held.length === 0) return;
      await store.leases.release("a", { worker: "me", epoch: 1 });
      const lease = await store.leases.acquire("a", "me");
      held = [{ runId: "a", epoch: lease!.epoch }];
    },
  });
  await waitForRenewals(1);
  await take("a");
  await heart.beat();
  expect(held).toEqual([{ runId: "a", epoch: 2 }]);
  expect(lost).toEqual([]);
});

test("[E2] the deadline for starting effects is fifteen seconds after the last renewal was sent, however late its answer arrived", async () => {
  const { heart, waitForRenewals } = begin({ before: async () => clock.advance(4_000) });
  expect(heart.deadline()).toBe(Number.NEGATIVE_INFINITY);
  await waitForRenewals(1);
  expect(clock.elapsed()).toBe(4_000);
  expect(heart.deadline()).toBe(15_000);
  await pass(1_000);
  await waitForRenewals(2);
  expect(heart.deadline()).toBe(20_000);
});

test("[F36] the deadline does not move when the wall clock jumps", async () => {
  const { heart, waitForRenewals } = begin();
  await waitForRenewals(1);
  clock.set(clock.now() + 7_200_000);
  expect(heart.deadline()).toBe(15_000);
  await heart.beat();
  clock.set(clock.now() - 14_400_000);
  expect(heart.deadline() - clock.elapsed()).toBe(15_000);
});

test("[E2] a worker that cannot reach its store reports this once and retries every second; its deadline passes, and later it recovers", async () => {
  const gone = new Error("the connection is gone");
  const reported: unknown[] = [];
  let broken = false;
  let tried = 0;
  const { heart, waitForRenewals } = begin({
    onError: (error) => reported.push(error),
    before: async () => {
      tried++;
      if (broken) throw gone;
    },
  });
  await waitForRenewals(1);
  broken = true;
  for (let second = 1; second <= 20; second++) await pass(1_000);
  expect(tried).toBe(1 + 16);
  expect(reported).toEqual([gone]);
  expect(heart.deadline()).toBe(15_000);

  broken = false;
  await pass(1_000);
  await waitForRenewals(2);
  expect(heart.deadline()).toBe(21_000 + 15_000);
});

test("while the store does not answer, no second renewal is sent, and the deadline passes", async () => {
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

/** A heartbeat on the real store. A hook runs before each renewal, and a test can wait for the n-th renewal. */
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
  async function waitForRenewals(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = () => renewals >= count && resolve();
      waiting.add(look);
      look();
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(renewals).toBe(count);
  }
  return { heart, waitForRenewals };
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
