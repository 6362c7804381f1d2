// A fleet on one machine: Postgres, Restate, a balancer, worker processes, and a server that admits and drives nothing.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { programPath } from "../../src/config/program.fixture.ts";
import { scratchFolder } from "../../src/config/scratch.fixture.ts";
import { freePorts, startRestate, type TestRestate } from "../../src/engines/restate/restate.fixture.ts";
import { createRuntime, type Runtime } from "../../src/runtime.ts";
import { startPostgres, type TestPostgres } from "../../src/stores/postgres/postgres.fixture.ts";
import { beThePerson } from "../support/honest-person.ts";
import { checkInvariants } from "../support/invariants.ts";
import { type Effect, effects, oracleTools } from "../support/oracle.ts";
import { type Balancer, startBalancer } from "./balancer.ts";
import { AGENTS, script } from "./trees.ts";

export interface Fleet {
  restate: TestRestate;
  postgres: TestPostgres;
  /** The address of the store. */
  store: string;
  balancer: Balancer;
  server: Runtime;
  workers: ChildProcess[];
  /** Starts the worker of this number. */
  hire(index: number): Promise<void>;
  admit(agent: string, task: string): Promise<string>;
  /** A run that stays in the middle of a read: resolves when a worker is there. */
  waiter(name: string): Promise<{ runId: string; begun(): Effect[] }>;
  /** Lets it go on, wherever it is. */
  letGo(name: string): void;
  /** Every tree ended as it should, whoever had to be asked, and nothing happened twice. */
  allEnd(runIds: readonly string[]): Promise<void>;
  end(): Promise<void>;
}

export async function startFleet(size: number): Promise<Fleet> {
  const folder = scratchFolder("cadre-fleet-");
  const oracle = join(folder, "effects.log");
  const [postgres, restate] = await Promise.all([startPostgres("fsync=off"), startRestate()]);
  const store = await postgres.newStore();
  const [front, ...ports] = (await freePorts(size + 1)) as [number, ...number[]];
  writeProject(folder, restate, front);
  const env = { CADRE_TRUST: "1", CADRE_STORE: store, CADRE_ENGINE: "restate" };
  const workers: ChildProcess[] = [];
  const hire = async (index: number): Promise<void> => {
    const worker = fork(programPath("fleet-worker"), [folder], {
      env: { ...process.env, ...env, CADRE_RESTATE_LISTEN: `127.0.0.1:${ports[index]}` },
    });
    workers[index] = worker;
    await Promise.race([once(worker, "message"), once(worker, "exit").then(() => expect.fail("it ended"))]);
  };
  const balancer = await startBalancer(front, ports);
  await Promise.all(ports.map((_, index) => hire(index)));
  const server = await createRuntime({
    folder,
    env,
    home: join(folder, "home"),
    scripts: { fleet: script },
    tools: oracleTools(oracle),
  });
  const admit = async (agent: string, task: string) =>
    (await server.admit({ agent, task, attended: true })).runId;
  return {
    restate,
    postgres,
    store,
    balancer,
    server,
    workers,
    hire,
    admit,
    async waiter(name) {
      const runId = await admit("waiter", `wait for ${name}`);
      const begun = () => effects(oracle).filter((effect) => effect.runId === runId);
      await expect.poll(begun).toHaveLength(1);
      return { runId, begun };
    },
    letGo: (name) => writeFileSync(join(folder, `${name}.go`), ""),
    async allEnd(runIds) {
      await expect
        .poll(
          async () => {
            await beThePerson(server, oracle);
            const rows = await Promise.all(runIds.map((runId) => server.store.run(runId)));
            return rows
              .filter((row) => row?.status !== "completed")
              .map((row) => `${row?.id} ${row?.status}`);
          },
          { timeout: 60_000, interval: 200 },
        )
        .toEqual([]);
      await checkInvariants(server.store, oracle);
    },
    async end() {
      await Promise.all(workers.map(dismiss));
      await server.stop();
      await Promise.all([balancer.end(), restate.end(), postgres.end()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeProject(folder: string, { ingress, admin }: TestRestate, front: number): void {
  mkdirSync(join(folder, "agents"));
  for (const [name, text] of Object.entries(AGENTS))
    writeFileSync(join(folder, "agents", `${name}.md`), text);
  const at = { ingress, admin, workers: `http://127.0.0.1:${front}` };
  writeFileSync(join(folder, "cadre.yaml"), `concurrency: 100\nrestate: ${JSON.stringify(at)}\n`);
}

async function dismiss(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  worker.kill("SIGCONT");
  worker.kill("SIGKILL");
  await once(worker, "exit");
}
