// Tests workers as separate processes on one Postgres database. No other process drives runs.

import { readFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { type CadreClient, createClient } from "../../api/client/client.ts";
import { startPostgres, type TestPostgres, test } from "../../stores/postgres/postgres.fixture.ts";
import { agent, type Project, project } from "../cli.fixture.ts";

const FILES = {
  "agents/tidy.md": agent("tidy"),
  "tidy.script.yaml": "turns:\n  - report: { summary: All is well. }\n",
};

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres("fsync=off");
});
afterAll(() => postgres.end());

async function createPostgresProject(files: Record<string, string> = FILES): Promise<Project> {
  const p = await project(files);
  Object.assign(p.env, {
    CADRE_STORE: await postgres.newStore(),
    CADRE_ENGINE: "pg-boss",
    CADRE_TRUST: "1",
  });
  return p;
}

/** Starts a server that drives no runs. */
async function startServer(p: Project): Promise<CadreClient> {
  const [, base] = await p
    .startHere("up", "--no-worker", "--port", "0", "--no-open")
    .shows(/up at (http:\/\/[\d.:]+)[\s\S]*Ctrl-C stops the server; workers continue unfinished runs/);
  const token = readFileSync(join(p.folder, ".cadre", "token"), "utf8").trim();
  return createClient({
    baseUrl: base!,
    fetch(url, init) {
      const headers = new Headers(init?.headers);
      headers.set("Authorization", `Bearer ${token}`);
      return fetch(url, { ...init, headers });
    },
  });
}

const statusOf = async (client: CadreClient, runId: string) =>
  (await client.get("/api/runs/{id}", { id: runId })).status;

test("[E9] a server without a worker accepts runs, and a separate worker process drives them", async () => {
  await using p = await createPostgresProject();
  const client = await startServer(p);
  expect((await client.get("/api/workers")).workers).toEqual([]);
  expect((await client.get("/api/health")).drives).toBe(false);
  expect((await p.cadre("workers")).stdout).toContain("No process drives runs here");
  const { runId } = await client.post("/api/runs", { body: { agent: "tidy", task: "look" } });

  const worker = p.start("worker", "--concurrency", "2");
  await worker.shows(/Worker \S+ takes runs of the pool default/);
  await expect.poll(() => statusOf(client, runId)).toBe("completed");
  const { pid } = worker.process;
  expect((await p.cadre("workers", "--json")).lines()).toMatchObject([
    { pid, pool: "default", silent: false },
  ]);
  expect((await client.get("/api/health")).drives).toBe(true);
  const next = await client.post("/api/runs", { body: { agent: "tidy", task: "again" } });
  await expect.poll(() => statusOf(client, next.runId)).toBe("completed");

  worker.process.kill("SIGTERM");
  expect((await worker.end()).code).toBe(0);
  expect((await client.get("/api/workers")).workers).toEqual([]);
}, 120_000);

test("[E9] a command names the process that will continue the run; a worker with an expired lease is shown as silent", async () => {
  await using p = await createPostgresProject();
  const client = await startServer(p);
  const { runId } = await client.post("/api/runs", { body: { agent: "tidy", task: "look" } });
  expect((await p.cadre("pause", runId)).stdout).toContain(
    "no process drives runs here: it stays paused until",
  );
  const worker = p.start("worker");
  await worker.shows(/takes runs/);
  expect((await p.cadre("resume", runId)).stdout).toContain(`process ${worker.process.pid} continues it`);
  await expect.poll(() => statusOf(client, runId)).toBe("completed");
  worker.process.kill("SIGKILL");
  await worker.end();
  // Makes the worker's lease expire.
  await postgres.query("UPDATE workers SET expires_at = expires_at - 60000", p.env["CADRE_STORE"]);
  const other = p.start("worker");
  await other.shows(/takes runs/);
  expect(
    (await client.get("/api/workers")).workers.map(({ silent }) => silent),
    "those who work stand first",
  ).toEqual([false, true]);
  other.process.kill("SIGTERM");
  await other.end();
  const idle = await p.cadre("workers");
  expect([idle.code, idle.stdout]).toEqual([0, expect.stringMatching(/silent, last seen .* ago/)]);
  expect(idle.stdout).toMatch(/^No process drives runs here: start `.*worker`/m);
  const doctor = (await p.cadre("doctor")).stdout;
  expect(doctor).toMatch(/warn +workers: .*silent/);
  expect(doctor).toMatch(/ok +workers: no process drives runs here$/m);
  expect(idle.stdout + doctor).not.toContain("others take its runs");
}, 120_000);

const ASKS = `turns:
  - { when: { turn: 1 }, calls: [{ tool: Write, input: { path: a.txt, content: hello } }] }
  - report: { summary: All is well. }
`;
const SLOW = `turns:
  - { when: { turn: 1, task: slow }, text: I take my time., delay: 6000, calls: [{ tool: LS, input: { path: . } }] }
  - report: { summary: All is well. }
`;

test("[E9] [U55] without workers Cadre says how many runs wait and which command starts a worker", async () => {
  await using p = await createPostgresProject({ ...FILES, "tidy.script.yaml": ASKS });
  const client = await startServer(p);
  const worker = p.start("worker");
  await worker.shows(/takes runs/);
  const { runId } = await client.post("/api/runs", { body: { agent: "tidy", task: "look", attended: true } });
  await expect
    .poll(async () => (await client.get("/api/approvals")).approvals.length, { timeout: 20_000 })
    .toBe(1);
  worker.process.kill("SIGKILL");
  await worker.end();
  await postgres.query("UPDATE workers SET expires_at = expires_at - 60000", p.env["CADRE_STORE"]);
  expect((await p.cadre("workers")).code).toBe(0);

  const approved = await p.cadre("approve", (await client.get("/api/approvals")).approvals[0]!.id);
  expect(approved.stdout).toMatch(
    /^Approved; no process drives runs here: the run continues at the next `.*worker` or `.*up`\.$/m,
  );
  expect(await client.get("/api/runs/{id}", { id: runId })).toMatchObject({
    status: "suspended",
    answered: true,
  });
  expect((await client.get("/api/health")).due).toBe(1);
  const idle = await p.cadre("workers");
  expect([idle.code, idle.stdout]).toEqual([
    1,
    expect.stringMatching(/^No process drives runs here, and 1 run waits for one: start `.*worker`, /m),
  ]);
  const said = [
    (await p.cadre("runs")).stdout,
    (await p.cadre("show", runId)).stdout,
    (await p.cadre("tail", runId)).stdout,
  ];
  for (const text of said) expect(text).toMatch(/No process drives runs here[:,] .*worker`/);
  expect(said.join()).not.toContain("No Cadre process");
  expect((await p.cadre("run", "--json")).code).toBe(0);
  expect(await statusOf(client, runId)).toBe("completed");
}, 120_000);

test("[E6] [U55] runs in a pool without a worker are reported as waiting, even if other pools have workers", async () => {
  await using p = await createPostgresProject({ ...FILES, "agents/tidy.md": agent("tidy", "pool: gpu\n") });
  await p.write("cadre.yaml", `pools: { web: ["${p.folder}"], gpu: [] }\n`);
  const client = await startServer(p);
  await p.start("worker").shows(/takes runs of the pool web/);
  expect((await p.cadre("workers")).code).toBe(0);
  const { runId } = await client.post("/api/runs", { body: { agent: "tidy", task: "look" } });
  const idle = await p.cadre("workers");
  expect([idle.code, idle.stdout]).toEqual([
    1,
    expect.stringMatching(
      /^No worker drives runs of the pool gpu, and 1 run waits for one: start `.*worker --pool gpu`/m,
    ),
  ]);
  expect(await client.get("/api/health")).toMatchObject({
    drives: true,
    idlePools: [{ pool: "gpu", due: 1 }],
  });
  expect((await p.cadre("why", runId)).stdout).toContain("No process is working on it.");
  p.start("worker", "--pool", "gpu");
  await expect.poll(() => statusOf(client, runId)).toBe("completed");
  expect((await p.cadre("workers")).code).toBe(0);
}, 120_000);

test("[E6] a worker that lacks a run's folder leaves the run to a worker that has the folder", async () => {
  await using p = await createPostgresProject();
  await using other = await createPostgresProject();
  other.env["CADRE_STORE"] = p.env["CADRE_STORE"]!;
  const client = await startServer(p);
  const { runId } = await client.post("/api/runs", { body: { agent: "tidy", task: "look" } });
  const away = `${p.folder}-away`;
  await rename(p.folder, away);
  await other.start("worker").shows(/FOLDER_MISSING|is not there on/);
  await expect
    .poll(async () => (await client.events(runId)).map(({ type }) => type))
    .toEqual(["RUN_STARTED", "SYSTEM_ERROR"]);
  expect((await client.get("/api/runs/{id}", { id: runId })).worker).toBeUndefined();
  await rename(away, p.folder);
  other.start("worker");
  await expect.poll(() => statusOf(client, runId)).toBe("completed");
}, 120_000);

test("[U55] doctor recognises this folder's `cadre up` on Postgres", async () => {
  await using p = await createPostgresProject();
  const up = p.start("up", "--no-worker", "--port", "0", "--no-open");
  const [, port] = await up.shows(/up at http:\/\/[\d.]+:(\d+)/);
  p.env["CADRE_PORT"] = port!;
  const { stdout } = await p.cadre("doctor");
  expect(stdout).toMatch(new RegExp(`^ok +port: cadre up answers at 127\\.0\\.0\\.1:${port}$`, "m"));
  expect(stdout).toMatch(new RegExp(`^ok +store: process ${up.process.pid} serves it, started`, "m"));
  expect(stdout).toMatch(/^ok +workers: no process drives runs here$/m);
  expect(stdout).not.toContain("no Cadre process is running here");
}, 120_000);

test("[E9] `workers` and `runs` show which worker drives which run; `tail` follows a run that another process drives", async () => {
  await using p = await createPostgresProject({ ...FILES, "tidy.script.yaml": SLOW });
  const client = await startServer(p);
  const worker = p.start("worker");
  await worker.shows(/takes runs/);
  const { runId } = await client.post("/api/runs", { body: { agent: "tidy", task: "slow" } });
  await expect
    .poll(async () => (await client.get("/api/runs/{id}", { id: runId })).worker, { timeout: 20_000 })
    .toBeDefined();
  const { name } = (await client.get("/api/workers")).workers[0]!;
  const [listed, shown, json] = await Promise.all([
    p.cadre("workers"),
    p.cadre("show", runId),
    p.cadre("show", runId, "--json"),
  ]);
  expect(listed.stdout).toContain(`${name} drives ${runId}\n`);
  expect(shown.stdout).toMatch(new RegExp(`^driven by ${name}$`, "m"));
  expect(json.lines()).toMatchObject([{ worker: name }]);
  const tail = await p.cadre("tail", runId);
  expect([tail.code, tail.stdout]).toEqual([0, expect.stringContaining("All is well.")]);
  expect((await client.get("/api/runs/{id}", { id: runId })).worker).toBeUndefined();
  expect((await p.cadre("workers", "--json")).lines()).toMatchObject([{ name, runs: 0, holds: [] }]);
}, 120_000);

test("[E6] a worker takes only the runs of its pool", async () => {
  await using p = await createPostgresProject({ ...FILES, "cadre.yaml": "pools: { here: [.] }\n" });
  const unknown = await p.cadre("worker", "--pool", "nowhere");
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("names default, here")]);
  const client = await startServer(p);
  const other = p.start("worker", "--pool", "default");
  await other.shows(/the pool default/);
  const { runId } = await client.post("/api/runs", { body: { agent: "tidy", task: "look" } });
  const own = p.start("worker");
  await own.shows(/the pool here/);
  await expect.poll(() => statusOf(client, runId)).toBe("completed");
  expect((await client.get("/api/workers")).workers.map(({ pool }) => pool).toSorted()).toEqual([
    "default",
    "here",
  ]);
  const events = await client.events(runId);
  expect(events.filter(({ type }) => type === "MODEL_CALL_STARTED")).toHaveLength(1);
}, 120_000);

test("[E6] if an agent names a pool, only workers of that pool drive the agent's runs, even if the parent run is in another pool", async () => {
  await using p = await createPostgresProject({
    ...FILES,
    "cadre.yaml": "pools: { gpu: [] }\n",
    "agents/lead.md": agent("lead", "agents: [painter]\n"),
    "agents/painter.md": agent("painter", "pool: gpu\n"),
    "lead.script.yaml":
      "turns:\n  - when: { turn: 1 }\n    calls: [{ tool: delegate, input: { agent: painter, task: paint it } }]\n  - report: { summary: Painted. }\n",
    "painter.script.yaml": "turns:\n  - report: { summary: Done. }\n",
  });
  const client = await startServer(p);
  const usual = p.start("worker");
  await usual.shows(/the pool default/);
  const { runId } = await client.post("/api/runs", { body: { agent: "lead", task: "a picture" } });
  await expect
    .poll(async () => (await client.get("/api/runs/{id}/tree", { id: runId })).children?.length ?? 0)
    .toBe(1);
  const [child] = (await client.get("/api/runs/{id}/tree", { id: runId })).children!;
  // Runs two more tasks, one after the other. When the second has ended, the worker has had time to take every due run.
  for (const task of ["look", "again"]) {
    const next = await client.post("/api/runs", { body: { agent: "tidy", task } });
    await expect.poll(() => statusOf(client, next.runId)).toBe("completed");
  }
  expect(await statusOf(client, child!.id)).toBe("pending");
  const gpu = p.start("worker", "--pool", "gpu");
  await gpu.shows(/the pool gpu/);
  await expect.poll(() => statusOf(client, runId)).toBe("completed");
}, 120_000);

test("[E9] if the store is a file, `up --no-worker` and a second worker are refused", async () => {
  await using p = await project(FILES);
  const bare = await p.cadre("up", "--no-worker", "--port", "0", "--no-open");
  expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("needs a store on Postgres")]);
  const first = p.start("worker");
  await first.shows(/takes runs/);
  const second = await p.cadre("worker");
  expect(second.stderr).toContain(`Process ${first.process.pid} owns this folder's store`);
}, 60_000);
