// The tests that every engine must pass against its real server (E6).
// The tests require only what an engine guarantees: after each wake, at least one drive begins.
// The store's epoch makes superfluous drives harmless (E4). No test sleeps: each test waits for events that must happen.
// Some tests show that nothing happens. They wait until the engine has carried out a later request, and then check.

import { afterEach, describe, expect, test } from "vitest";
import type { RunId } from "../ids.ts";
import type { Drive, Engine } from "./engine.ts";

export interface EngineUnderTest {
  /** An engine that has not been started yet, with a concurrency of at least four. Several engines can share a server. */
  engine: Engine;
  /** Stops everything that was started for this engine, except the engine itself. */
  stop?(): Promise<void>;
}

export interface EngineContractOptions {
  /** True if the engine also guarantees that a run never has two drives at the same time. */
  exclusive?: boolean;
}

export function engineContract(
  name: string,
  create: () => Promise<EngineUnderTest>,
  { exclusive = false }: EngineContractOptions = {},
): void {
  const opened: { under: EngineUnderTest; recorder: Recorder }[] = [];

  async function open() {
    const under = await create();
    const recorder = createRecorder();
    opened.push({ under, recorder });
    await under.engine.start(recorder.drive);
    return { engine: under.engine, ...recorder };
  }

  afterEach(async () => {
    for (const { under, recorder } of opened.splice(0)) {
      recorder.releaseAll();
      await under.engine.stop();
      await under.stop?.();
    }
  });

  describe(`${name} is an engine`, () => {
    test("[E3] a wake starts a drive of its run, with a signal that is not aborted", async () => {
      const { engine, until, begun, on } = await open();
      const run = freshRun();
      const aborted: boolean[] = [];
      on(run, async (signal) => void aborted.push(signal.aborted));
      await engine.wake(run);
      await until(() => begun(run) > 0);
      expect(aborted[0]).toBe(false);
    });

    test("[E3] a run that has been driven is driven again when it is woken again", async () => {
      const { engine, until, begun, returned } = await open();
      const run = freshRun();
      for (let round = 0; round < 3; round++) {
        const before = begun(run);
        await engine.wake(run);
        await until(() => begun(run) > before && returned(run) === begun(run));
      }
    });

    test("[J6] after a wake that arrives during a drive, another drive begins", async () => {
      const { engine, until, begun, hold } = await open();
      const run = freshRun();
      const release = hold(run);
      await engine.wake(run);
      await until(() => begun(run) > 0);
      await Promise.all(Array.from({ length: 20 }, () => engine.wake(run)));
      const before = begun(run);
      await engine.wake(run);
      release();
      await until(() => begun(run) > before);
    });

    test("[E3] the engine drives several runs at the same time", async () => {
      const { engine, until, underWay, hold } = await open();
      const runs = [freshRun(), freshRun(), freshRun(), freshRun()];
      const releases = runs.map(hold);
      await Promise.all(runs.map((run) => engine.wake(run)));
      await until(() => runs.every((run) => underWay(run) > 0));
      for (const release of releases) release();
    });

    test.runIf(exclusive)("[E4] a run never has two drives at the same time", async () => {
      const { engine, until, begun, mostAtOnce, hold } = await open();
      const [run, other] = [freshRun(), freshRun()];
      const release = hold(run);
      await Promise.all(Array.from({ length: 20 }, () => engine.wake(run)));
      await until(() => begun(run) > 0);
      await engine.wake(run);
      await engine.wake(other);
      await until(() => begun(other) > 0);
      expect(begun(run)).toBe(1);
      release();
      await until(() => begun(run) > 1);
      expect(mostAtOnce(run)).toBe(1);
    });

    test("[E4] a drive that fails blocks neither later wakes of its run nor other runs", async () => {
      const { engine, until, begun, returned, on } = await open();
      const [run, other] = [freshRun(), freshRun()];
      let broken = true;
      on(run, async () => {
        if (broken) throw new Error("this drive breaks its contract");
      });
      await engine.wake(run);
      await until(() => returned(run) > 0);
      broken = false;
      await engine.wake(other);
      await until(() => begun(other) > 0);
      const before = begun(run);
      await engine.wake(run);
      await until(() => begun(run) > before);
    });

    test("[E4] if a thousand runs are woken at once, each of them is driven", {
      timeout: 60_000,
    }, async () => {
      const { engine, until, begun } = await open();
      const runs = Array.from({ length: 1_000 }, freshRun);
      await Promise.all(runs.map((run) => engine.wake(run)));
      await until(() => runs.every((run) => begun(run) > 0));
    });

    test("[F10] stop aborts the current drives and waits until they have returned", async () => {
      const { engine, until, underWay, on } = await open();
      const run = freshRun();
      let heard = false;
      on(run, async (signal) => {
        await waitForAbort(signal);
        heard = true;
        for (let turn = 0; turn < 10; turn++) await nextTurn();
      });
      await engine.wake(run);
      await until(() => underWay(run) > 0);
      expect(heard).toBe(false);
      await engine.stop();
      expect({ heard, underWay: underWay(run) }).toEqual({ heard: true, underWay: 0 });
      await engine.stop();
    });

    test("[F10] a wake after stop does nothing and does not fail", async () => {
      const [first, second] = [await open(), await open()];
      const [early, late] = [freshRun(), freshRun()];
      await first.engine.stop();
      await first.engine.wake(early);
      await second.engine.wake(late);
      await second.until(() => second.begun(late) > 0);
      expect(first.begun(early)).toBe(0);
    });

    test("[F10] if an engine is stopped during a drive, the next engine drives the run", async () => {
      const first = await open();
      const run = freshRun();
      first.on(run, waitForAbort);
      await first.engine.wake(run);
      await first.until(() => first.underWay(run) > 0);
      await first.engine.stop();
      const next = await open();
      await next.engine.wake(run);
      await next.until(() => next.begun(run) > 0);
    });
  });
}

type Recorder = ReturnType<typeof createRecorder>;
type Behaviour = (signal: AbortSignal) => Promise<void>;

/** A drive function that counts its calls and lets a test wait for them. It ignores late deliveries from other tests. */
function createRecorder() {
  const counts = new Map<RunId, { begun: number; returned: number; mostAtOnce: number }>();
  const behaviours = new Map<RunId, Behaviour>();
  const watchers = new Set<() => void>();
  const releases = new Set<() => void>();
  const countsOf = (run: RunId) => counts.get(run) ?? { begun: 0, returned: 0, mostAtOnce: 0 };
  const underWay = (run: RunId) => countsOf(run).begun - countsOf(run).returned;

  const drive: Drive = async (run, signal) => {
    const count = countsOf(run);
    counts.set(run, count);
    count.begun++;
    count.mostAtOnce = Math.max(count.mostAtOnce, underWay(run));
    notify();
    try {
      await behaviours.get(run)?.(signal);
    } finally {
      count.returned++;
      notify();
    }
  };

  function notify(): void {
    for (const watcher of watchers) watcher();
  }

  function until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!condition()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  }

  /** Blocks every drive of a run until the returned function is called. */
  function hold(run: RunId): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    behaviours.set(run, () => promise);
    releases.add(resolve);
    return resolve;
  }

  return {
    drive,
    until,
    hold,
    underWay,
    on: (run: RunId, behaviour: Behaviour): void => void behaviours.set(run, behaviour),
    begun: (run: RunId): number => countsOf(run).begun,
    returned: (run: RunId): number => countsOf(run).returned,
    mostAtOnce: (run: RunId): number => countsOf(run).mostAtOnce,
    releaseAll(): void {
      for (const release of releases) release();
    },
  };
}

const freshRun = (): RunId => `r-${crypto.randomUUID()}`;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
