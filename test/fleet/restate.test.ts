// Faults of a fleet on Restate: two worker processes behind a health-checked balancer.

import { afterAll, beforeAll, expect, test } from "vitest";
import { describe } from "../../src/engines/restate/restate.fixture.ts";
import { describe as onPostgres } from "../../src/stores/postgres/postgres.fixture.ts";
import { type Fleet, startFleet } from "./fleet.ts";

const TREES = Number(process.env["CADRE_TEST_TREES"] ?? 20) / 4;
const RESTARTS = Number(process.env["CADRE_TEST_RESTARTS"] ?? 3);

describe("a fleet on Restate", () => {
  onPostgres("and on Postgres", () => {
    let fleet: Fleet;
    beforeAll(async () => {
      fleet = await startFleet(2);
    });
    afterAll(() => fleet.end());

    const trees = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, i) => fleet.admit("lead", `tree ${i}`)));
    const workerOf = (pid: number) => fleet.workers.findIndex((worker) => worker.pid === pid);

    test("[E2] [F08] after kill -9 another worker has the run before the lease runs out", async () => {
      const { runId, begun } = await fleet.waiter("first");
      const others = await trees(10);
      const { pid } = begun()[0]!;
      const killed = performance.now();
      process.kill(pid, "SIGKILL");
      await expect.poll(begun, { interval: 10 }).toHaveLength(2);
      say("kill -9", killed);
      expect(begun()[1]!.pid).not.toBe(pid);
      const isOld = `name LIKE '%-${pid}-%' AND expires_at > extract(epoch FROM clock_timestamp()) * 1000`;
      expect(await fleet.postgres.query(`SELECT name FROM workers WHERE ${isOld}`, fleet.store)).toHaveLength(
        1,
      );
      fleet.letGo("first");
      await fleet.allEnd([runId, ...others]);
      await fleet.hire(workerOf(pid));
    });

    test("[E4] [F33] a frozen worker is taken over when its lease runs out, and begins nothing when it thaws", async () => {
      const { runId, begun } = await fleet.waiter("second");
      const others = await trees(10);
      const { pid } = begun()[0]!;
      const frozen = performance.now();
      process.kill(pid, "SIGSTOP");
      await expect.poll(begun, { interval: 10, timeout: 60_000 }).toHaveLength(2);
      say("SIGSTOP", frozen);
      process.kill(pid, "SIGCONT");
      fleet.letGo("second");
      await fleet.allEnd([runId, ...others]);
      expect(begun()).toHaveLength(2);
    });

    test("[E4] Restate killed and started again loses no run, and takes none from a worker that lives", async () => {
      const { runId, begun } = await fleet.waiter("third");
      const before = await trees(5);
      await fleet.restate.kill();
      const during = await trees(5);
      await fleet.allEnd([...before, ...during]);
      await fleet.restate.start();
      await fleet.allEnd(await trees(5));
      expect(begun()).toHaveLength(1);
      fleet.letGo("third");
      await fleet.allEnd([runId]);
    });

    test("[F34] Postgres restarts again and again while trees run, also while they are recovered", async () => {
      const planted: string[] = [];
      for (let restart = 0; restart < RESTARTS; restart++) {
        planted.push(...(await trees(TREES)));
        await fleet.postgres.stop();
        await fleet.postgres.start();
      }
      await fleet.allEnd(planted);
    });

    function say(fault: string, since: number): void {
      const seconds = ((performance.now() - since) / 1_000).toFixed(2);
      console.log(`${fault} of a worker: another one went on after ${seconds} s (${fleet.balancer.name})`);
    }
  });
});
