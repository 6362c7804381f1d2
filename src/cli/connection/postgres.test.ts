// Tests commands on Postgres. Each command opens the database itself, and leases decide which process drives a run.

import { afterAll, beforeAll, expect } from "vitest";
import { enterByLink } from "../../../test/support/enter-by-link.ts";
import { PASSWORD, startPostgres, type TestPostgres, test } from "../../stores/postgres/postgres.fixture.ts";
import { agent, project } from "../cli.fixture.ts";
import { connectionsCheck } from "../doctor/store-checks.ts";

const SCRIPT =
  "turns:\n  - when: { turn: 1 }\n    calls: [{ tool: Read, input: { path: note.txt } }]\n  - report: { summary: All is well. }\n";
const FILES = { "agents/tidy.md": agent("tidy"), "tidy.script.yaml": SCRIPT, "note.txt": "hello\n" };

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres("fsync=off");
});
afterAll(() => postgres.end());

test("[E1] [F32] processes work in parallel on one database, and each process sees all runs", async () => {
  await using p = await project(FILES);
  p.env["CADRE_STORE"] = await postgres.newStore();
  const runs = await Promise.all([1, 2].map((n) => p.spawn("run", "--json", `look ${n}`)));
  expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  const listed = (await p.cadre("runs", "--json")).lines();
  expect(listed.map(({ task, status }) => `${String(task)} ${String(status)}`).toSorted()).toEqual([
    "look 1 completed",
    "look 2 completed",
  ]);
  const id = String(listed[0]!["id"]);
  expect((await p.cadre("show", id)).stdout).toContain("All is well.");
  expect((await p.cadre("verify", id)).stdout).toMatch(/^Whole: \d+ events/);
  expect((await p.cadre("prune", "--run", id, "--yes")).stdout).toMatch(
    /^Deleted 1 tree.*\. Postgres reuses the space/,
  );
}, 120_000);

test("[A16] [J7] [J9] [I3] `verify` reports deleted and forged rows, even if all hash chains are intact", async () => {
  await using p = await project({
    ...FILES,
    "agents/lead.md": agent("lead", "agents: [tidy]\n"),
    "lead.script.yaml":
      "turns:\n  - when: { turn: 1 }\n    calls: [{ tool: delegate, input: { agent: tidy, task: look } }]\n  - report: { summary: Led. }\n",
  });
  const url = await postgres.newStore();
  p.env["CADRE_STORE"] = url;
  const root = String((await p.cadre("run", "--json", "--yes", "lead", "see to it")).lines()[0]!["runId"]);
  const { stdout } = await p.cadre("show", root, "--events", "--json");
  const [, child] = /"child_run_id":"(\w+)"/.exec(stdout)!;
  const runVerify = async () => (await p.cadre("verify", root)).stdout;
  expect(await runVerify()).toMatch(/^Whole: \d+ events of 2 runs/);
  await postgres.query(`UPDATE runs SET summary = '"Forged."' WHERE id = '${child}'`, url);
  expect(await runVerify()).toContain(`The listed row of run ${child} (summary) differs from its journal`);
  const pinned = `SELECT born::json ->> 'definition' FROM runs WHERE id = '${child}'`;
  await postgres.query(`DELETE FROM blobs WHERE hash = (${pinned})`, url);
  expect(await runVerify()).toMatch(
    new RegExp(`which event 1 of run ${child} refers to, is missing or damaged`),
  );
  await postgres.query(`DELETE FROM runs WHERE id = '${child}'`, url);
  expect(await runVerify()).toMatch(new RegExp(`^Not whole: Run ${child}, which event \\d+ of run ${root}`));
}, 120_000);

test("[U55] doctor prints the version of Postgres and the number of free connections", async () => {
  await using p = await project(FILES);
  p.env["CADRE_STORE"] = await postgres.newStore();
  const { code, stdout } = await p.cadre("doctor");
  expect(stdout).toMatch(/^(ok|warn) +Postgres: [\d.]+.*, \d+ of \d+ connections left/m);
  expect(code).toBe(0);
  expect(connectionsCheck({ version: "18.4", used: 95, most: 97 })).toMatchObject({
    state: "warn",
    text: expect.stringContaining("2 of 97 connections left"),
    fix: expect.stringContaining("raise max_connections"),
  });
}, 120_000);

test("[E1] `cadre up` continues a run that another process left unfinished, and makes sign-in links for browsers", async () => {
  await using p = await project(FILES);
  await using q = await project(FILES);
  const url = await postgres.newStore();
  for (const { env } of [p, q]) env["CADRE_STORE"] = url;
  expect((await q.cadre("users", "link")).stderr).toMatch(
    /^cadre: No `cadre up` answers at 127\.0\.0\.1:\d+ /,
  );
  const up = q.start("up", "--port", "0", "--no-open");
  const [, port] = await up.shows(/Cadre is up at http:\/\/127\.0\.0\.1:(\d+)/);
  q.env["CADRE_PORT"] = port!;
  await q.cadre("users", "add", "vera", "--role", "viewer");
  for (const whose of [[], ["vera"]]) {
    const { stdout } = await q.cadre("users", "link", ...whose);
    expect((await enterByLink(/http:\S+/.exec(stdout)![0])).cookie).toContain("=");
  }
  const started = await p.cadre("run", "--json", "look");
  expect(started.code).toBe(0);
  up.process.kill("SIGTERM");
  expect((await up.end()).code).toBe(0);
}, 120_000);

test("[A61] the database address can come from an environment variable, and no error contains its password", async () => {
  await using p = await project({ ...FILES, "cadre.yaml": "store: env:DATABASE_URL\n" });
  p.env["CADRE_TRUST"] = "1";
  const missing = await p.cadre("runs");
  expect(missing.stderr).toContain("DATABASE_URL, which is not set");
  p.env["DATABASE_URL"] = (await postgres.newStore()).replace("/postgres?", "/nowhere?");
  const wrong = await p.cadre("runs");
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('database "nowhere" does not exist');
  for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)])
    expect(wrong.stdout + wrong.stderr).not.toContain(secret);
  p.env["DATABASE_URL"] = await postgres.newStore();
  expect((await p.cadre("run", "look")).stdout).toMatch(/Completed\nAll is well\./);
}, 120_000);

const SLOW = `turns:
  - when: { turn: 1 }
    text: I take my time.
    delay: 4000
    calls: [{ tool: Read, input: { path: note.txt } }]
  - report: { summary: All is well. }
`;

test("[A61] an address with an ambiguous password is refused, and the error contains no part of the password", async () => {
  await using p = await project(FILES);
  for (const address of [
    "postgres://cadre:p@ss/w#rd@127.0.0.1:55432/cadre",
    "postgres://cadre:12/3456@127.0.0.1:55432/cadre",
    "postgres://cadre:12?3456@127.0.0.1:55432/cadre",
    "POSTGRES://cadre:12#3456@127.0.0.1:55432/cadre",
  ]) {
    p.env["CADRE_STORE"] = address;
    const { code, stdout, stderr } = await p.cadre("workers");
    expect(code).toBe(2);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain("special characters of the password as %XX");
    expect(stdout + stderr).not.toMatch(/ss\/w|w#rd|cadre:12|3456|127\.0\.0\.1/);
  }
});

test("[E8] the URL scheme of a store is case-insensitive; an unknown kind of store is refused", async () => {
  await using p = await project(FILES);
  const url = await postgres.newStore();
  p.env["CADRE_ENGINE"] = "pg-boss";
  p.env["CADRE_STORE"] = url.replace(/^postgres/, "POSTGRES");
  expect(await p.cadre("runs")).toMatchObject({ code: 0, stderr: "" });
  p.env["CADRE_STORE"] = "mysql://cadre:secret@127.0.0.1/cadre";
  const { stderr } = await p.cadre("runs");
  expect(stderr.replaceAll(/\s+/g, " ")).toContain("use sqlite:<file> or postgres://");
  expect(stderr).not.toMatch(/is a file|secret/);
});

test("[E8] a missing privilege or schema is reported with the SQL statement that adds it", async () => {
  await using p = await project(FILES);
  await postgres.query(
    "CREATE ROLE guest LOGIN PASSWORD 'of-a-guest'; CREATE SCHEMA half; GRANT USAGE ON SCHEMA half TO guest",
  );
  const as = async (schema: string) => {
    const url = (await postgres.newStore()).replace(/\/\/[^@]*@/, "//guest:of-a-guest@").replace(/\?.*/, "");
    p.env["CADRE_STORE"] = `${url}?options=-c%20search_path=${schema}`;
    return (await p.cadre("runs")).stderr.replaceAll(/\s+/g, " ");
  };
  expect(await as("nowhere")).toContain(
    'run: CREATE SCHEMA IF NOT EXISTS "nowhere"; GRANT USAGE, CREATE ON SCHEMA "nowhere" TO "guest"',
  );
  expect(await as("half")).toContain('run: GRANT USAGE, CREATE ON SCHEMA "half" TO "guest"');
  await postgres.query("GRANT CREATE ON SCHEMA half TO guest");
  expect(await as("half"), "looks, and does not drive").toBe("");
  p.env["CADRE_ENGINE"] = "pg-boss";
  const { code, stderr } = await p.cadre("worker");
  expect([code, stderr.replaceAll(/\s+/g, " ")]).toEqual([
    1,
    expect.stringContaining('run: GRANT CREATE ON DATABASE "postgres" TO "guest"'),
  ]);
});

test("[F33] if a process hangs until its lease expires, another process takes its run, and the first process can no longer append to it", async () => {
  await using p = await project({ ...FILES, "tidy.script.yaml": SLOW });
  p.env["CADRE_STORE"] = await postgres.newStore();
  const first = p.start("run", "--json", "look");
  await first.shows(/MODEL_CALL_STARTED/);
  first.process.kill("SIGSTOP");
  const second = p.startHere("up", "--port", "0", "--no-open");
  await second.shows(/Cadre is up at/);
  const runs = async () => (await p.cadre("runs", "--json")).lines() as { id: string; status: string }[];
  while ((await runs())[0]?.status !== "completed") await new Promise((resolve) => setTimeout(resolve, 500));
  const { id } = (await runs())[0]!;
  const events = async () => (await p.cadre("show", id, "--events", "--json")).lines();
  const before = await events();
  first.process.kill("SIGCONT");
  const { code, stdout } = await first.end();
  expect(code).toBe(0);
  expect(stdout).toContain("All is well.");
  expect(await events()).toEqual(before);
  expect(before.filter(({ type }) => type === "AGENT_THOUGHT")).toHaveLength(2);
  expect((await p.cadre("verify", id)).stdout).toMatch(/^Whole: /);
  await second.leave();
}, 120_000);

const LONG = `turns:
${[1, 2, 3, 4, 5, 6].map((turn) => `  - when: { turn: ${turn} }\n    delay: 300\n    calls: [{ tool: Read, input: { path: note.txt, offset: ${turn} } }]`).join("\n")}
  - report: { summary: All is well. }
`;

test("[F34] runs finish although the database restarts during a run and during the recovery of a killed run", async () => {
  await using p = await project({ ...FILES, "tidy.script.yaml": LONG });
  p.env["CADRE_STORE"] = await postgres.newStore();
  const restart = async () => {
    await postgres.stop();
    await postgres.start();
  };
  const first = p.start("run", "--json", "look");
  for (const turn of [1, 2]) {
    await first.shows(new RegExp(`"toolCallId":"m${turn}\\.0"[^\\n]*\\n[^\\n]*MODEL_CALL_STARTED`));
    await restart();
  }
  const { code, stdout } = await first.end();
  expect([code, stdout]).toEqual([0, expect.stringContaining("All is well.")]);

  const killed = p.start("run", "--json", "look again");
  await killed.shows(/TOOL_RESULT/);
  killed.process.kill("SIGKILL");
  await killed.end();
  await restart();
  // Makes the lease expire now. The test [F33] covers a lease that expires by itself.
  await postgres.query("UPDATE workers SET expires_at = 0", p.env["CADRE_STORE"]);
  const second = p.startHere("up", "--port", "0", "--no-open");
  await second.shows(/Cadre is up at/);
  await restart();
  const statuses = async () => (await p.cadre("runs", "--json")).lines().map(({ status }) => status);
  while ((await statuses())[0] !== "completed") {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  expect(await statuses()).toEqual(["completed", "completed"]);
  await second.leave();
}, 120_000);
