// Worker processes with either engine, on a Postgres and a Restate that several crews share: each has a store of its own, and
// with Restate a balancer.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { programPath } from "../../src/config/program.fixture.ts";
import { scratchFolder } from "../../src/config/scratch.fixture.ts";
import { freePorts, type TestRestate } from "../../src/engines/restate/restate.fixture.ts";
import { createRuntime, type Runtime } from "../../src/runtime.ts";
import type { TestPostgres } from "../../src/stores/postgres/postgres.fixture.ts";
import { beThePerson } from "../support/honest-person.ts";
import { checkInvariants } from "../support/invariants.ts";
import { type Effect, effects, oracleTools } from "../support/oracle.ts";
import { startBalancer } from "./balancer.ts";
import { AGENTS, script } from "./trees.ts";

export interface Ground {
  postgres: TestPostgres;
  restate: TestRestate;
}

export type EngineName = "pg-boss" | "restate";

export interface Crew {
  /** The address of its store. */
  url: string;
  /** Admits, and drives nothing. */
  server: Runtime;
  /** Of Node, and for the process. Two at most. */
  hire(flags?: readonly string[], env?: Record<string, string>): Promise<ChildProcess>;
  admit(agent: string, task: string): Promise<string>;
  /** What really began, of all runs or of one. */
  begun(runId?: string): Effect[];
  /** Lets a run go on that stays in the middle of a read. */
  letGo(name: string): void;
  /** Until each has ended as it should, whoever has to be asked. */
  completed(runIds: readonly string[]): Promise<void>;
  /** The same, and nothing happened twice. */
  allEnd(runIds: readonly string[]): Promise<void>;
  end(): Promise<void>;
}

export const SOON = { timeout: 60_000, interval: 50 };

const SOURCE = join(import.meta.dirname, "worker.ts");

export async function gather(engine: EngineName, { postgres, restate }: Ground): Promise<Crew> {
  const folder = scratchFolder("cadre-crew-");
  const oracle = join(folder, "effects.log");
  const url = await postgres.newStore();
  const [front, ...ports] = (await freePorts(3)) as [number, ...number[]];
  const balancer = engine === "restate" ? await startBalancer(front, ports) : undefined;
  const { ingress, admin } = restate;
  mkdirSync(join(folder, "agents"));
  for (const [name, text] of Object.entries(AGENTS))
    writeFileSync(join(folder, "agents", `${name}.md`), text);
  const at = { ingress, admin, workers: `http://127.0.0.1:${front}` };
  writeFileSync(join(folder, "cadre.yaml"), `concurrency: 100\nrestate: ${JSON.stringify(at)}\n`);
  const settings = { CADRE_TRUST: "1", CADRE_STORE: url, CADRE_ENGINE: engine };
  const server = await createRuntime({
    folder,
    env: settings,
    home: join(folder, "home"),
    scripts: { fleet: script },
    tools: oracleTools(oracle),
  });
  const workers: ChildProcess[] = [];
  const completed = async (runIds: readonly string[]): Promise<void> => {
    const open = async () => {
      await beThePerson(server, oracle);
      const rows = await Promise.all(runIds.map((runId) => server.store.run(runId)));
      return rows.filter((row) => row?.status !== "completed").map((row) => `${row?.id} ${row?.status}`);
    };
    await expect.poll(open, { ...SOON, interval: 200 }).toEqual([]);
  };
  return {
    url,
    server,
    async hire(flags = [], env = {}) {
      const listen = { CADRE_RESTATE_LISTEN: `127.0.0.1:${ports[workers.length]}` };
      // Flags may change modules as they are read.
      const program = flags.length > 0 ? SOURCE : programPath("fleet-worker");
      const worker = fork(program, [folder], {
        execArgv: [...flags],
        env: { ...process.env, ...settings, ...listen, ...env },
      });
      workers.push(worker);
      await Promise.race([once(worker, "message"), once(worker, "exit").then(() => expect.fail("it ended"))]);
      return worker;
    },
    admit: async (agent, task) => (await server.admit({ agent, task, attended: true })).runId,
    begun: (runId) => effects(oracle).filter((effect) => runId === undefined || effect.runId === runId),
    letGo: (name) => writeFileSync(join(folder, `${name}.go`), ""),
    completed,
    async allEnd(runIds) {
      await completed(runIds);
      await checkInvariants(server.store, oracle);
    },
    async end() {
      await Promise.all(workers.map(dismiss));
      await server.stop();
      await balancer?.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function dismiss(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  worker.kill("SIGKILL");
  await once(worker, "exit");
}
