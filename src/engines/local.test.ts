import { expect, test } from "vitest";
import type { RunId } from "../ids.ts";
import { engineContract } from "./engine.contract.ts";
import type { Drive } from "./engine.ts";
import { createLocalEngine } from "./local.ts";

engineContract("local", async () => ({ engine: createLocalEngine({ concurrency: 4, onError: () => {} }) }), {
  exclusive: true,
});

test("[J6] any number of wakes during a drive cause exactly one more drive", async () => {
  const { engine, begun, release, settled } = await startEngine(4);
  await engine.wake("a");
  await settled();
  for (let wake = 0; wake < 50; wake++) await engine.wake("a");
  release("a");
  await settled();
  expect(begun).toEqual(["a", "a"]);
  release("a");
  await settled();
  expect(begun).toEqual(["a", "a"]);
});

test("several wakes of a queued run cause one drive", async () => {
  const { engine, begun, release, settled } = await startEngine(1);
  for (const run of ["a", "b", "b", "b"]) await engine.wake(run);
  for (const run of ["a", "b"]) {
    await settled();
    release(run);
  }
  await settled();
  expect(begun).toEqual(["a", "b"]);
});

test("if a drive wakes its own run, the run is driven once more after that drive has returned", async () => {
  const log: string[] = [];
  const engine = createLocalEngine({ concurrency: 4, onError: fail });
  await engine.start(async (runId) => {
    log.push("begun");
    if (log.length === 1) void engine.wake(runId);
    await nextTurn();
    log.push("returned");
  });
  await engine.wake("a");
  while (log.length < 4) await nextTurn();
  await engine.stop();
  expect(log).toEqual(["begun", "returned", "begun", "returned"]);
});

test("[F37] five hundred runnable runs start in order, and the number of running runs never exceeds the limit", async () => {
  const runs = Array.from({ length: 500 }, (_, index) => `r${index}`);
  const begun: RunId[] = [];
  const done = Promise.withResolvers<void>();
  let underWay = 0;
  let most = 0;
  const engine = createLocalEngine({ concurrency: 8, onError: fail });
  for (const run of runs) await engine.wake(run);
  await engine.start(async (runId) => {
    begun.push(runId);
    most = Math.max(most, ++underWay);
    await nextTurn();
    underWay--;
    if (begun.length === runs.length) done.resolve();
  });
  await done.promise;
  await engine.stop();
  expect(begun).toEqual(runs);
  expect(most).toBe(8);
});

test("a run that is woken all the time does not starve other runs", async () => {
  const { engine, begun, release, settled } = await startEngine(1);
  for (const run of ["busy", "quiet", "busy"]) await engine.wake(run);
  await settled();
  await engine.wake("busy");
  release("busy");
  await settled();
  release("quiet");
  await settled();
  expect(begun).toEqual(["busy", "quiet", "busy"]);
});

test("[P9] the engine reports a rejected drive with its run, does not retry it, and starts the next run", async () => {
  const reported: unknown[] = [];
  const begun: RunId[] = [];
  const engine = createLocalEngine({
    concurrency: 1,
    onError: (error, runId) => reported.push([runId, (error as Error).message]),
  });
  const drive: Drive = (runId) => {
    begun.push(runId);
    if (runId === "throws") throw new Error("before its first await");
    return runId === "rejects" ? Promise.reject(new Error("later")) : Promise.resolve();
  };
  await engine.start(drive);
  for (const run of ["throws", "rejects", "fine"]) await engine.wake(run);
  while (!begun.includes("fine")) await nextTurn();
  await engine.stop();
  expect(begun).toEqual(["throws", "rejects", "fine"]);
  expect(reported).toEqual([
    ["throws", "before its first await"],
    ["rejects", "later"],
  ]);
});

test("[F10] stop aborts all twenty current drives and waits for them; queued runs never start", async () => {
  const heard: RunId[] = [];
  const begun: RunId[] = [];
  const engine = createLocalEngine({ concurrency: 20, onError: fail });
  await engine.start(async (runId, signal) => {
    begun.push(runId);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await nextTurn();
    heard.push(runId);
  });
  const runs = Array.from({ length: 30 }, (_, index) => `r${index}`);
  for (const run of runs) await engine.wake(run);
  while (begun.length < 20) await nextTurn();
  await engine.wake("r0");
  await engine.stop();
  expect(begun).toEqual(runs.slice(0, 20));
  expect(heard).toEqual(begun);
});

test("a run that is woken right before stop does not start", async () => {
  const { engine, begun } = await startEngine(1);
  void engine.wake("a");
  await engine.stop();
  expect(begun).toEqual([]);
});

test("an engine can be started only once", async () => {
  const { engine } = await startEngine(1);
  await expect(engine.start(async () => {})).rejects.toThrow("create another one");
  await engine.stop();
  await expect(engine.start(async () => {})).rejects.toThrow("create another one");
});

/** An engine whose drives return only when the test releases them. */
async function startEngine(concurrency: number) {
  const begun: RunId[] = [];
  const held = new Map<RunId, () => void>();
  const engine = createLocalEngine({ concurrency, onError: fail });
  await engine.start(async (runId) => {
    begun.push(runId);
    await new Promise<void>((resolve) => held.set(runId, resolve));
  });
  return {
    engine,
    begun,
    release: (runId: RunId) => held.get(runId)?.(),
    /** Waits one turn of the event loop. After that, the engine has nothing left to do but wait for its drives. */
    settled: nextTurn,
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function fail(error: unknown): never {
  throw error;
}
