// `npm run bench scale` measures one, two and four worker processes on this machine, with each engine. Every row has its own
// store, engine and workers. Postgres and Restate are real and write to the disk as they do by default.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts, startRestate, type TestRestate } from "../src/engines/restate/restate.fixture.ts";
import { startPostgres, type TestPostgres } from "../src/stores/postgres/postgres.fixture.ts";
import { startBalancer } from "../test/fleet/balancer.ts";
import { cpuOfPostgres } from "./postgres-cpu.ts";
import type { Done, Order } from "./scale-worker.ts";
import { print, whole } from "./table.ts";

type EngineName = "local" | "pg-boss" | "restate";

const ROWS: { engine: EngineName; store: "SQLite" | "Postgres"; workers: number }[] = [
  { engine: "local", store: "SQLite", workers: 1 },
  ...(["local", "pg-boss", "restate"] as const).flatMap((engine) =>
    [1, 2, 4].map((workers) => ({ engine, store: "Postgres" as const, workers })),
  ),
];
const WORKER = fileURLToPath(new URL("scale-worker.ts", import.meta.url));
const PATIENCE_MS = 60_000;
/** Every worker drives some runs before the measurement starts, because code is slow until it is compiled. */
const WARM_UP: Order = { do: "steps", runs: 32, steps: 5, delay: 0 };
const QUICK = { do: "steps", runs: 80, steps: 10, delay: 0 } as const;
const SLOW = { do: "steps", runs: 64, steps: 4, delay: 200 } as const;

export async function scale(): Promise<void> {
  const [postgres, restate] = await Promise.all([startPostgres(), startRestate()]);
  const rows: string[][] = [];
  try {
    for (const row of ROWS) {
      const cells = await measure(row, postgres, restate);
      rows.push([row.engine, row.store, String(row.workers), ...cells]);
      process.stderr.write(`${rows.at(-1)!.join("  ")}\n`);
    }
  } finally {
    await Promise.all([postgres.end(), restate.end()]);
  }
  print("Worker processes on one machine, 16 runs at the same time in each", [HEADINGS, ...rows]);
}

const HEADINGS = [
  ...["engine", "store", "workers", "steps/s, instant model", "steps/s, model of 200 ms"],
  ...[
    "pick-up p50 / p95 ms",
    "CPU ms per step: workers",
    "Postgres",
    "appends/s, 1 / 50 runs",
    "wakes sent/s",
    "bytes per run of 10 steps / that waits",
  ],
];

async function measure(
  { engine, store, workers: size }: (typeof ROWS)[number],
  postgres: TestPostgres,
  restate: TestRestate,
): Promise<string[]> {
  const url = store === "Postgres" ? await postgres.newStore() : undefined;
  await using crew = await hire(size, { engine, url, restate });
  await crew.ask(WARM_UP);
  const spent = async () => ({
    workers: await crew.cpu(),
    postgres: url ? await cpuOfPostgres(postgres) : undefined,
    bytes: url ? await bytesOf(postgres, url) : undefined,
  });
  const before = await spent();
  const quick = await crew.ask(QUICK);
  const after = await spent();
  const slow = await crew.ask(SLOW);
  const { times = [] } = await crew.ask({ do: "pick up", times: 25 });
  const noneAsks = (await spent()).bytes;
  await crew.ask({ do: "suspend", runs: 100 });
  const manyAsk = (await spent()).bytes;
  const alone = await crew.ask({ do: "append", runs: 1, each: 60 });
  const appends = await crew.ask({ do: "append", runs: 50, each: 20 });
  const wakes = await crew.ask({ do: "wake", times: 500 });
  const per = (count: number, one: number | undefined, other: number | undefined) =>
    one === undefined || other === undefined ? undefined : (other - one) / count;
  const count = QUICK.runs * QUICK.steps;
  return [
    whole(quick.perSecond),
    whole(slow.perSecond),
    `${whole(at(times, 0.5))} / ${whole(at(times, 0.95))}`,
    per(count, before.workers, after.workers)!.toFixed(2),
    per(count, before.postgres, after.postgres)?.toFixed(2) ?? "–",
    `${whole(alone.perSecond)} / ${whole(appends.perSecond)}`,
    engine === "local" ? "–" : whole(wakes.perSecond),
    `${whole(per(QUICK.runs, before.bytes, after.bytes))} / ${whole(per(100, noneAsks, manyAsk))}`,
  ];
}

const at = (values: readonly number[], part: number): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)];

async function bytesOf(postgres: TestPostgres, url: string): Promise<number> {
  const [row] = await postgres.query(
    "SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace",
    url,
  );
  return Number(row!["bytes"]);
}

interface Crew extends AsyncDisposable {
  /** The first worker creates the load. */
  ask(order: Order): Promise<Done>;
  /** CPU milliseconds of all workers since their start. */
  cpu(): Promise<number>;
}

async function hire(
  size: number,
  { engine, url, restate }: { engine: EngineName; url: string | undefined; restate: TestRestate },
): Promise<Crew> {
  const folder = mkdtempSync(join(tmpdir(), "cadre-scale-"));
  const [front, ...ports] = (await freePorts(size + 1)) as [number, ...number[]];
  writeProject(folder, restate, front);
  const balancer = engine === "restate" ? await startBalancer(front, ports) : undefined;
  const workers = await Promise.all(
    ports.map(async (port) => {
      const env = { ...process.env, CADRE_TRUST: "1", CADRE_ENGINE: engine };
      const own = { CADRE_RESTATE_LISTEN: `127.0.0.1:${port}`, ...(url ? { CADRE_STORE: url } : {}) };
      const worker = fork(WORKER, [folder], { env: { ...env, ...own } });
      await answer(worker);
      return worker;
    }),
  );
  return {
    ask: (order) => ask(workers[0]!, order),
    async cpu() {
      const spent = await Promise.all(workers.map((worker) => ask(worker, { do: "cpu" })));
      return spent.reduce((sum, { cpu = 0 }) => sum + cpu, 0);
    },
    async [Symbol.asyncDispose]() {
      for (const worker of workers) worker.kill("SIGKILL");
      await balancer?.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeProject(folder: string, { ingress, admin }: TestRestate, front: number): void {
  mkdirSync(join(folder, "agents"));
  for (const [name, tools] of [
    ["adder", "[add]"],
    ["asker", "{ ask: [pay] }"],
  ])
    writeFileSync(
      join(folder, "agents", `${name}.md`),
      `---\ndescription: adds\nmodel: scripted/bench\ntools: ${tools}\n---\nYou add numbers.\n`,
    );
  const at = { ingress, admin, workers: `http://127.0.0.1:${front}` };
  writeFileSync(join(folder, "cadre.yaml"), `concurrency: 1000\nrestate: ${JSON.stringify(at)}\n`);
}

const ask = (worker: ChildProcess, order: Order): Promise<Done> => {
  worker.send(order);
  return answer(worker);
};

/** A worker that crashes or hangs ends the bench with an error. */
async function answer(worker: ChildProcess): Promise<Done> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const ended = once(worker, "exit", { signal }).then(() => Promise.reject(new Error("A worker ended.")));
  try {
    const [said] = (await Promise.race([once(worker, "message", { signal }), ended])) as [Done];
    return said;
  } finally {
    over.abort();
  }
}
