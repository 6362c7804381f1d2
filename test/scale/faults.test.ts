// Several workers on one Postgres with pg-boss, and what may happen to them. After each: every tree has ended right, what
// was done was done once, and the invariants hold. The time until a lost worker's runs were taken up is printed.

import { afterAll, beforeAll, expect } from "vitest";
import { startPostgres, type TestPostgres, test } from "../../src/stores/postgres/postgres.fixture.ts";
import { Fleet, type Worker } from "./fleet.ts";
import { startProxy } from "./proxy.ts";

const TREES = Number(process.env["CADRE_TEST_TREES"] ?? 20);
const RESTARTS = Number(process.env["CADRE_TEST_RESTARTS"] ?? 3);

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres("fsync=off", "max_connections=200");
});
afterAll(() => postgres.end());

async function failover(fleet: Fleet, worker: Worker, what: string): Promise<void> {
  const from = performance.now();
  await fleet.lostBy(worker);
  console.log(`${what}: its runs were taken up after ${((performance.now() - from) / 1000).toFixed(1)} s`);
}

test("[F07] [F08] kill -9 of a worker under load: its runs move to others", async () => {
  await using fleet = await new Fleet(await postgres.newStore()).open();
  const [victim] = await Promise.all([fleet.addWorker(), fleet.addWorker(), fleet.addWorker()]);
  await fleet.plant(TREES);
  await fleet.heldBy(victim);
  victim.process.kill("SIGKILL");
  await failover(fleet, victim, "kill -9");
  await fleet.endedRight();
});

test("[F33] a worker that is frozen past its lease loses its runs; thawed, it does nothing twice", async () => {
  await using fleet = await new Fleet(await postgres.newStore()).open();
  const [frozen] = await Promise.all([fleet.addWorker(), fleet.addWorker()]);
  await fleet.plant(TREES);
  await fleet.heldBy(frozen);
  frozen.process.kill("SIGSTOP");
  await failover(fleet, frozen, "SIGSTOP");
  await expect
    .poll(() => fleet.listed(), { timeout: 60_000 })
    .toContainEqual({ pid: frozen.pid, silent: true });
  frozen.process.kill("SIGCONT");
  await fleet.endedRight();
});

test("[F34] Postgres restarts again and again while trees run", async () => {
  await using fleet = await new Fleet(await postgres.newStore()).open();
  await Promise.all([fleet.addWorker(), fleet.addWorker()]);
  for (let restart = 0; restart < RESTARTS; restart++) {
    await fleet.plant(Math.ceil(TREES / RESTARTS));
    await fleet.busy();
    await postgres.stop();
    await postgres.start();
  }
  await fleet.endedRight();
});

test("[E2] a worker that is cut off from Postgres loses its runs; what it says when it is back comes too late", async () => {
  const store = await postgres.newStore();
  const proxy = await startProxy(store);
  await using fleet = await new Fleet(store).open();
  const [cut] = await Promise.all([fleet.addWorker(proxy.url), fleet.addWorker()]);
  await fleet.plant(TREES);
  await fleet.heldBy(cut);
  proxy.split();
  await failover(fleet, cut, "network split");
  proxy.heal();
  await fleet.endedRight();
  await proxy.close();
});
