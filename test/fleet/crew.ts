// A crew is a group of worker processes that use the same engine.
// All crews share a Postgres and a Restate server. Each crew has its own store, and with Restate also its own balancer.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { freePorts, type TestRestate } from "../../src/engines/restate/restate.fixture.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../src/runtime/assembly.ts";
import type { TestPostgres } from "../../src/stores/postgres/postgres.fixture.ts";
import { beThePerson } from "../support/honest-person.ts";
import { checkInvariants } from "../support/invariants.ts";
import { type Effect, effects, oracleTools } from "../support/oracle.ts";
import { programPath } from "../support/programs.ts";
import { scratchFolder } from "../support/scratch.ts";
import { startBalancer } from "./balancer.ts";
import { AGENTS, script } from "./trees.ts";

export interface Ground {
  postgres: TestPostgres;
  restate: TestRestate;
}

export type EngineName = "pg-boss" | "restate";

export interface Crew {
  /** The address of the crew's store. */
  url: string;
  /** A runtime that admits runs, but does not drive them. */
  server: RuntimeAssembly;
  /** Starts a worker with these Node flags and environment variables. At most three workers can run at the same time. */
  hire(flags?: readonly string[], env?: Record<string, string>): Promise<Hired>;
  /** Kills the worker with `kill -9` and waits for its end. */
  kill(pid: number): Promise<void>;
  /** Admits a run. A second call with the same key returns the same run. */
  admit(agent: string, task: string, key?: string): Promise<string>;
  /** Starts many small trees, to put load on the workers. */
  plant(trees: number): Promise<string[]>;
  /** Starts a run that pauses during a read. Resolves when a worker has reached this point. */
  waiter(name: string): Promise<Waiter>;
  /** Lists the effects that really began, for one run or for all runs. */
  begun(runId?: string): Effect[];
  /** Lets a waiting run continue. */
  letGo(name: string): void;
  /** Resolves when all these runs have completed. While it waits, it answers open items. */
  completed(runIds: readonly string[], within?: number): Promise<void>;
  /** Waits like `completed`, and also checks that no effect happened twice. */
  allEnd(runIds: readonly string[], within?: number): Promise<void>;
  /** Checks that there are exactly `trees` small trees. Each tree must be complete and must have charged once. */
  grown(trees: number): Promise<void>;
  end(): Promise<void>;
}

/** `readyAfter` is how many milliseconds the process took to start. `risenBy` is how much memory it allocated meanwhile. */
export type Hired = ChildProcess & { readyAfter: number; risenBy: number };

export interface Waiter {
  runId: string;
  name: string;
  begun(): Effect[];
}

export const SOON = { timeout: 60_000, interval: 50 };

const SOURCE = join(import.meta.dirname, "worker.ts");

export async function gather(engine: EngineName, { postgres, restate }: Ground): Promise<Crew> {
  const folder = scratchFolder("cadre-crew-");
  const oracle = join(folder, "effects.log");
  const url = await postgres.newStore();
  const [front, ...ports] = (await freePorts(4)) as [number, ...number[]];
  const balancer = engine === "restate" ? await startBalancer(front, ports) : undefined;
  const { ingress, admin } = restate;
  mkdirSync(join(folder, "agents"));
  for (const [name, text] of Object.entries(AGENTS))
    writeFileSync(join(folder, "agents", `${name}.md`), text);
  const at = { ingress, admin, workers: `http://127.0.0.1:${front}` };
  writeFileSync(join(folder, "cadre.yaml"), `concurrency: 1000\nrestate: ${JSON.stringify(at)}\n`);
  const settings = { CADRE_TRUST: "1", CADRE_STORE: url, CADRE_ENGINE: engine };
  const server = await assembleRuntime({
    folder,
    env: settings,
    home: join(folder, "home"),
    scripts: { fleet: script },
    tools: oracleTools(oracle),
  });
  /** The current or last worker on each port, in the order of `ports`. */
  const workers: (ChildProcess | undefined)[] = ports.map(() => undefined);
  const admit: Crew["admit"] = async (agent, task, key) =>
    (await server.admit({ agent, task, attended: true }, key)).runId;
  const begun: Crew["begun"] = (runId) =>
    effects(oracle).filter((effect) => runId === undefined || effect.runId === runId);
  const completed: Crew["completed"] = async (runIds, within = SOON.timeout) => {
    const open = [...runIds];
    // Polls one run at a time, because polling all runs together would put too much load on the store.
    const describeProgress = async () => {
      await beThePerson(server, oracle);
      for (let runId = open[0]; runId !== undefined; runId = open[0]) {
        const row = await server.store.runs.get(runId);
        if (row?.status !== "completed") return `${open.length} are open, and ${runId} is ${row?.status}`;
        open.shift();
      }
      return "all have ended";
    };
    await expect.poll(describeProgress, { timeout: within, interval: 200 }).toBe("all have ended");
  };
  return {
    url,
    server,
    async hire(flags = [], env = {}) {
      const place = workers.findIndex((worker) => worker === undefined || hasEnded(worker));
      const listen = { CADRE_RESTATE_LISTEN: `127.0.0.1:${ports[place]}` };
      // The flags can load hooks that change modules. Such hooks need the source files, not the bundle.
      const program = flags.length > 0 ? SOURCE : programPath("fleet-worker");
      const worker = fork(program, [folder], {
        execArgv: [...flags],
        env: { ...process.env, ...settings, ...listen, ...env },
      });
      workers[place] = worker;
      const ended = once(worker, "exit").then(() => expect.fail("it ended"));
      const [ready] = await Promise.race([once(worker, "message"), ended]);
      return Object.assign(worker, ready as Pick<Hired, "readyAfter" | "risenBy">);
    },
    kill: (pid) => dismiss(workers.find((worker) => worker?.pid === pid)),
    admit,
    plant: (trees) => Promise.all(Array.from({ length: trees }, (_, i) => admit("chief", `tree ${i}`))),
    async waiter(name) {
      const runId = await admit("waiter", `wait for ${name}`);
      await expect.poll(() => begun(runId), SOON).toHaveLength(1);
      return { runId, name, begun: () => begun(runId) };
    },
    begun,
    letGo: (name) => writeFileSync(join(folder, `${name}.go`), ""),
    completed,
    async allEnd(runIds, within) {
      await completed(runIds, within);
      await checkInvariants(server.store, oracle);
    },
    async grown(trees) {
      const runs = `SELECT agent, status, count(*)::int AS count FROM runs WHERE agent IN ('chief', 'buyer', 'stamper')
        GROUP BY agent, status ORDER BY agent`;
      expect(await postgres.query(runs, url)).toEqual(
        ["buyer", "chief", "stamper"].map((agent) => ({ agent, status: "completed", count: trees })),
      );
      const charges = begun().filter(({ tool }) => tool === "charge");
      expect(new Set(charges.map(({ runId, callId }) => `${runId}/${callId}`)).size, "all were charged").toBe(
        trees,
      );
      expect(charges.length, "no card is charged twice").toBe(trees);
    },
    async end() {
      await Promise.all(workers.map(dismiss));
      await server.stop();
      await balancer?.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

async function dismiss(worker: ChildProcess | undefined): Promise<void> {
  if (!worker || hasEnded(worker)) return;
  worker.kill("SIGCONT");
  worker.kill("SIGKILL");
  await once(worker, "exit");
}
