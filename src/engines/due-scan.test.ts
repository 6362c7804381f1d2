import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../clock.ts";
import { CadreError } from "../errors.ts";
import type { RunId } from "../ids.ts";
import { DEFAULT_LIMITS } from "../journal/definition.ts";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import type { Store } from "../stores/store.ts";
import { type DueScan, type DueScanOptions, startDueScan } from "./due-scan.ts";

const HOUR = 3_600_000;

let store: Store;
let scans: DueScan[];
let woken: RunId[];

beforeEach(() => {
  // Timers and the system clock are fake and move together. Everything else is real, including SQLite's commits.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: 1_700_000_000_000 });
  store = openSqliteStore({ path: ":memory:", clock: systemClock });
  scans = [];
  woken = [];
});

afterEach(async () => {
  await Promise.all(scans.map((scan) => scan.stop()));
  vi.useRealTimers();
  await store.close();
});

test("[E4] if a run's wake is lost, the first scan finds the run; later scans find such a run within about a second", async () => {
  await admit("early");
  await begin().scan();
  expect(woken).toContain("early");
  await drive("early");
  await pass(5_000);
  woken.length = 0;
  await admit("lost");
  await pass(1_000);
  expect(woken).toEqual(["lost"]);
});

test("[E4] a scan wakes runs in the order in which they became due, and returns how many it woke", async () => {
  const now = Date.now();
  for (const [run, at] of Object.entries({ c: now + 30, a: now + 10, b: now + 20 })) {
    await admit(run);
    await drive(run, at);
  }
  const scan = begin({ every: HOUR });
  expect(await scan.scan()).toBe(0);
  vi.setSystemTime(now + 30);
  expect(await scan.scan()).toBe(3);
  expect(woken).toEqual(["a", "b", "c"]);
});

test("[P8] a run with a timer is woken on time and not a millisecond earlier", async () => {
  await admit("timer");
  await drive("timer", Date.now() + 2_345);
  await begin().scan();
  await pass(2_344);
  expect(woken).toEqual([]);
  await pass(1);
  expect(woken).toEqual(["timer"]);
});

test("[P8] an explicit scan picks up a timer that was set after the previous scan", async () => {
  const scan = begin({ every: 60_000 });
  await scan.scan();
  await admit("retry");
  await drive("retry", Date.now() + 200);
  await scan.scan();
  await pass(200);
  expect(woken).toEqual(["retry"]);
});

test("[F36] when the clock jumps, no timer fires early and none is lost", async () => {
  await admit("timer");
  await drive("timer", Date.now() + HOUR);
  await begin().scan();
  vi.setSystemTime(Date.now() - 2 * HOUR);
  await pass(10_000);
  expect(woken).toEqual([]);
  vi.setSystemTime(Date.now() + 4 * HOUR);
  await pass(1_000);
  expect(new Set(woken)).toEqual(new Set(["timer"]));
});

test("[F37] runnable runs are woken, but not runs that wait for a person", async () => {
  const parked = Array.from({ length: 500 }, (_, index) => `p${index}`);
  await Promise.all(parked.map(admit));
  await Promise.all(parked.map((run) => drive(run)));
  await admit("runnable");
  expect(await begin().scan()).toBe(1);
  await drive("runnable");
  await pass(10_000);
  expect(new Set(woken)).toEqual(new Set(["runnable"]));
});

test("[E2] a dead worker's run is woken when its lease expires; a live worker's run is not woken", async () => {
  for (const worker of ["dead", "living"]) {
    await admit(worker);
    await store.leases.heartbeat(worker, []);
    await store.leases.acquire(worker, worker);
  }
  await begin().scan();
  await pass(14_000);
  expect(woken).toEqual([]);
  await store.leases.heartbeat("living", [{ runId: "living", epoch: 1 }]);
  await pass(2_000);
  expect(new Set(woken)).toEqual(new Set(["dead"]));
});

test.each([
  [0, 750],
  [1, 1_250],
])("[E4] with jitter %d the next scan starts after %d ms", async (jitter, length) => {
  await begin({ jitter: () => jitter }).scan();
  await admit("lost");
  await pass(length - 1);
  expect(woken).toEqual([]);
  await pass(1);
  expect(woken).toEqual(["lost"]);
});

test("a run that stays due is not woken again and again without a pause", async () => {
  const due = vi.fn((now: number, limit: number) => store.leases.due(now, limit));
  await admit("stuck");
  await begin({ store: { leases: { due, nextDue: store.leases.nextDue } } }).scan();
  due.mockClear();
  await pass(10_000);
  expect(due).toHaveBeenCalledTimes(10);
});

test("scans never overlap: a scan that is requested during another scan starts after the other scan has ended", async () => {
  const gate = Promise.withResolvers<void>();
  let underWay = 0;
  let most = 0;
  let begun = 0;
  const due = async (now: number, limit: number) => {
    begun++;
    most = Math.max(most, ++underWay);
    await gate.promise;
    underWay--;
    return store.leases.due(now, limit);
  };
  const scan = begin({ store: { leases: { due, nextDue: store.leases.nextDue } } });
  await pass(5_000);
  await admit("late");
  const asked = [scan.scan(), scan.scan()];
  gate.resolve();
  expect(await Promise.all(asked)).toEqual([1, 1]);
  expect({ begun, most }).toEqual({ begun: 2, most: 1 });
});

test("[P9] a failing store is reported once, and scanned less and less often; after it recovers, its due runs are woken", async () => {
  const full = new CadreError("STORAGE_FULL", "There is no space left.");
  const reported: unknown[] = [];
  let broken = true;
  let asked = 0;
  const due = async (now: number, limit: number) => {
    asked++;
    if (broken) throw full;
    return store.leases.due(now, limit);
  };
  const scan = begin({
    store: { leases: { due, nextDue: store.leases.nextDue } },
    onError: (error) => reported.push(error),
  });
  await admit("waiting");
  expect(await scan.scan()).toBe(0);
  asked = 0;
  await pass(60_000);
  expect(asked).toBeGreaterThanOrEqual(4);
  expect(asked).toBeLessThanOrEqual(8);
  expect(reported).toEqual([full]);

  broken = false;
  await pass(15_000);
  expect(woken).toContain("waiting");
  broken = true;
  await pass(1_000);
  expect(reported).toEqual([full, full]);
});

test("[P9] if waking one run fails, the other runs are still woken, and a later scan tries the failed wake again", async () => {
  const reported: unknown[] = [];
  const refused = new Error("the queue refused");
  let broken = true;
  await admit("bad");
  await admit("good");
  begin({
    onError: (error) => reported.push(error),
    wake: async (runId) => {
      if (runId === "bad" && broken) throw refused;
      woken.push(runId);
    },
  });
  await pass(0);
  expect(woken).toEqual(["good"]);
  expect(reported).toEqual([refused]);
  broken = false;
  await pass(2_500);
  expect(woken).toContain("bad");
});

test("stop waits for the current scan, and no run is woken afterwards", async () => {
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  await admit("a");
  const scan = begin({
    wake: async () => {
      order.push("waking");
      await gate.promise;
      order.push("woken");
    },
  });
  await pass(0);
  const stopped = scan.stop().then(() => order.push("stopped"));
  await pass(0);
  gate.resolve();
  await stopped;
  expect(order).toEqual(["waking", "woken", "stopped"]);
  expect(vi.getTimerCount()).toBe(0);
  expect(await scan.scan()).toBe(0);
  await pass(10_000);
  expect(order).toHaveLength(3);
});

test("a due-scan does not keep its process alive", async () => {
  const script = `
    import { startDueScan } from ${JSON.stringify(new URL("due-scan.ts", import.meta.url))};
    const clock = { now: Date.now, elapsed: Date.now };
    const store = { due: async () => [], nextDue: async () => undefined };
    await startDueScan({ store, clock, wake: async () => {}, onError: console.error, every: 60_000 }).scan();
    console.log("scanned");`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    timeout: 20_000,
  });
  expect(stdout).toBe("scanned\n");
});

function begin(options: Partial<DueScanOptions> = {}): DueScan {
  const scan = startDueScan({
    store,
    clock: systemClock,
    jitter: () => 0.5,
    wake: async (runId) => void woken.push(runId),
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  scans.push(scan);
  return scan;
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Acquires and releases the lease of a run. The run then waits until `wakeAt` or, if `wakeAt` is absent, for a signal. */
async function drive(runId: RunId, wakeAt?: number): Promise<void> {
  const lease = await store.leases.acquire(runId, "worker");
  const { refused } = await store.journal.append({
    runId,
    writer: { worker: "worker", epoch: lease!.epoch },
    after: lease!.row.seq,
    events: [],
    guard: "signals",
    rest: { wakeAt },
  });
  expect(refused).toBeUndefined();
}

async function admit(runId: RunId): Promise<void> {
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
}
