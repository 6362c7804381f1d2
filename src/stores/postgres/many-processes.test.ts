// Several stores use one database. Each store has its own connection pool and cache, like a separate process.

import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, vi } from "vitest";
import type { JournalEvent } from "../../journal/events.ts";
import { follow } from "../contract/follow.fixture.ts";
import {
  acquireRun,
  admit,
  agentThought,
  contextAdded,
  expectInvariants,
  modelCallStarted,
  readEverything,
  runEnded,
  sendSignal,
} from "../contract/kit.contract.ts";
import { MIGRATIONS as SQLITE } from "../sqlite/schema.ts";
import { LEASE_MS, type Store } from "../store.ts";
import { startPostgres, type TestPostgres, test } from "./postgres.fixture.ts";
import { MIGRATIONS } from "./schema.ts";
import { openPostgresStore } from "./store.ts";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres("fsync=off");
});
afterAll(() => postgres.end());

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore({ url });
  onTestFinished(() => store.close());
  return store;
}

async function openMany(count: number): Promise<{ url: string; stores: Store[] }> {
  const url = await postgres.newStore();
  return { url, stores: await Promise.all(Array.from({ length: count }, () => open(url))) };
}

/** Locks rows until the returned function is called. This simulates a slow disk or network. */
async function hold(url: string, rows: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`BEGIN; SELECT 1 FROM ${rows} FOR UPDATE`);
  return async () => {
    await client.query("ROLLBACK");
    await client.end();
  };
}

const waitingBackends = async (url: string): Promise<number> =>
  Number(
    (
      await postgres.query(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'cadre'",
        url,
      )
    )[0]!["count"],
  );

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}

test("eight processes that open a new database at the same time create its tables once", async () => {
  const { url, stores } = await openMany(8);
  expect(new Set(stores.map(({ id }) => id)).size).toBe(1);
  expect(await postgres.query("SELECT value FROM meta WHERE name = 'version'", url)).toEqual([
    { value: String(MIGRATIONS.length) },
  ]);
  await Promise.all(stores.map((store, i) => admit(store, `r${i}`)));
  await expectInvariants(stores[0]!);
});

test("[J8] a follower that reads by position misses no event, even if one of many writers is slow", async () => {
  const { url, stores } = await openMany(3);
  const [slow, fast, reader] = stores as [Store, Store, Store];
  for (const runId of ["slow", "fast"]) await admit(slow, runId);
  const letGo = await hold(url, "runs WHERE id = 'slow'");
  const written = sendSignal(slow, "slow", contextAdded("x"));
  await until(async () => (await waitingBackends(url)) === 1);
  const later = Promise.all(
    Array.from({ length: 50 }, (_, i) => sendSignal(fast, "fast", contextAdded(`${i}`))),
  );
  await until(async () => (await waitingBackends(url)) === 2);
  expect(
    (await readEverything(reader)).map(({ key }) => key),
    "nobody overtakes",
  ).toEqual(["start", "start"]);
  const seen = await reader.journal.position();
  await letGo();
  await Promise.all([written, later]);
  const rest = await reader.journal.readAll(seen, 100);
  expect(rest.map(({ runId }) => runId)).toEqual(["slow", ...Array.from({ length: 50 }, () => "fast")]);
  await expectInvariants(reader);
});

test("[J8] a cursor over four concurrent writers reads every position once and in order", async () => {
  const { stores } = await openMany(5);
  const reader = stores.pop()!;
  await Promise.all(stores.map((store, i) => admit(store, `r${i}`)));
  const seen: number[] = [];
  let done = false;
  const reading = (async () => {
    for (let last = false; !last; ) {
      last = done;
      const page = await reader.journal.readAll(seen.at(-1) ?? 0, 100);
      seen.push(...page.map(({ position }) => position));
    }
  })();
  await Promise.all(
    stores.map(async (store, i) => {
      for (let n = 0; n < 40; n++) await sendSignal(store, `r${(i + n) % 4}`, contextAdded(`${i}-${n}`));
    }),
  );
  done = true;
  await reading;
  expect(seen).toEqual(Array.from({ length: 164 }, (_, i) => i + 1));
  await expectInvariants(reader);
});

test("[J1] if two processes append the same event at the same time, it is stored once; an event with the same key and another payload is a conflict", async () => {
  const { stores } = await openMany(2);
  const [one, two] = stores as [Store, Store];
  await admit(one, "r1");
  await sendSignal(two, "r1", contextAdded("before"));
  const same = await Promise.all([one, two].map((store) => sendSignal(store, "r1", contextAdded("x"))));
  expect(same.map(({ refused }) => refused)).toEqual([undefined, undefined]);
  const other = await Promise.all(
    [one, two].map((store, i) => sendSignal(store, "r1", contextAdded("y", `${i}`))),
  );
  expect(new Set(other.map(({ refused }) => refused))).toEqual(new Set(["conflict", undefined]));
  expect((await one.journal.read("r1")).map(({ key }) => key)).toEqual([
    "start",
    "context/before",
    "context/x",
    "context/y",
  ]);
});

test("a request that arrives at two processes starts only one run", async () => {
  const { stores } = await openMany(2);
  const start = async (store: Store, i: number) => {
    const [{ payload }] = (await store.journal.readAll(0, 1)) as [JournalEvent];
    return store.runs.start(`s${i}`, { ...(payload as object), rootRunId: `s${i}` } as never, {
      key: "k",
      body: "b",
    });
  };
  await admit(stores[0]!, "r1");
  const answers = await Promise.all(stores.map(start));
  expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
  expect(answers.filter(({ existed }) => existed)).toHaveLength(1);
});

test("[E2] [J2] only one of two processes acquires a run; the store refuses its intent after a signal or a takeover by the other process", async () => {
  const { url, stores } = await openMany(2);
  const [one, two] = stores as [Store, Store];
  await admit(one, "r1");
  const leases = await Promise.all(stores.map((store, i) => store.leases.acquire("r1", `w${i}`)));
  expect(leases.filter(Boolean)).toHaveLength(1);
  const winner = leases[0] ? 0 : 1;
  const writer = { worker: `w${winner}`, epoch: 1 };
  const [mine, other] = winner === 0 ? [one, two] : [two, one];
  await sendSignal(other, "r1", contextAdded("x"));
  const intent = {
    runId: "r1",
    writer,
    after: 1,
    events: [modelCallStarted("m1")],
    guard: "signals" as const,
  };
  expect(await mine.journal.append(intent)).toMatchObject({
    refused: "signals",
    events: [{ key: "context/x" }],
  });
  expect((await mine.journal.append({ ...intent, after: 2 })).refused).toBeUndefined();

  expect(await other.leases.due(Date.now(), 10)).toEqual([]);
  await postgres.query(`UPDATE workers SET expires_at = 0 WHERE name = 'w${winner}'`, url);
  expect(await other.leases.due(Date.now(), 10)).toEqual(["r1"]);
  expect((await other.leases.acquire("r1", "next"))?.epoch).toBe(2);
  expect((await mine.journal.append({ ...intent, after: 3, events: [modelCallStarted("m2")] })).refused).toBe(
    "epoch",
  );
  expect(
    (await mine.journal.append({ ...intent, after: 3, events: [agentThought("m1")] })).refused,
  ).toBeUndefined();
  expect(await mine.leases.heartbeat(`w${winner}`, [{ runId: "r1", epoch: 1 }])).toEqual({
    cancelled: [],
    lost: ["r1"],
  });
  await expectInvariants(other);
});

test("[J4] after an unrelated commit, a driver still sees events that another process wrote to its run", async () => {
  const { stores } = await openMany(2);
  const [one, two] = stores as [Store, Store];
  await admit(one, "r1");
  const driver = await acquireRun(one, "r1", "w1");
  await sendSignal(two, "r1", contextAdded("x"));
  await admit(one, "r2");
  expect((await driver.append([modelCallStarted("m1")], { guard: "signals" })).refused).toBe("signals");
  await sendSignal(two, "r1", contextAdded("y"));
  await sendSignal(one, "r2", contextAdded("z"));
  await one.leases.release("r1", driver.writer);
  expect((await two.journal.read("r1")).map(({ key }) => key)).toEqual(["start", "context/x", "context/y"]);
  await expectInvariants(two);
});

test("[J8] a commit that waited for another commit gets a later time, so times in a journal never decrease", async () => {
  const { url, stores } = await openMany(1);
  await admit(stores[0]!, "r1");
  const letGo = await hold(url, "head");
  const writing = sendSignal(stores[0]!, "r1", contextAdded("x"));
  await until(async () => (await waitingBackends(url)) === 1);
  const [held] = await postgres.query("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now");
  await letGo();
  expect((await writing).events.at(-1)!.ts).toBeGreaterThanOrEqual(Math.floor(Number(held!["now"])));
});

test("[P1] commits are synchronous even if the database is configured otherwise", async () => {
  const url = await postgres.newStore();
  const set = (value: string) => open(`${url}${encodeURIComponent(` -c synchronous_commit=${value}`)}`);
  await admit(await set("off"), "r1");
  await postgres.query(
    `CREATE TABLE seen (setting TEXT);
     CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
     CREATE TRIGGER see AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION see()`,
    url,
  );
  await sendSignal(await set("off"), "r1", contextAdded("x"));
  await sendSignal(await set("remote_write"), "r1", contextAdded("y"));
  expect((await postgres.query("SELECT setting FROM seen", url)).map(({ setting }) => setting)).toEqual([
    "on",
    "remote_write",
  ]);
});

test("[E2] leases use the database's clock", async () => {
  const { url, stores } = await openMany(1);
  await stores[0]!.leases.heartbeat("w1", []);
  const [row] = await postgres.query(
    "SELECT expires_at - extract(epoch FROM clock_timestamp()) * 1000 AS left FROM workers",
    url,
  );
  expect(Number(row!["left"])).toBeGreaterThan(LEASE_MS - 5_000);
  expect(Number(row!["left"])).toBeLessThanOrEqual(LEASE_MS);
});

test("[E2] a process that shuts down releases only its own leases", async () => {
  const { url, stores } = await openMany(1);
  const stays = stores[0]!;
  for (const runId of ["r1", "r2"]) await admit(stays, runId);
  const leaves = await openPostgresStore({ url });
  await acquireRun(stays, "r1", "stays");
  await acquireRun(leaves, "r2", "leaves");
  await leaves.close();
  expect(await stays.leases.due(Date.now(), 10)).toEqual(["r2"]);
});

test("[P10] a follower gets the events of other processes, even after its connection was cut", async () => {
  const { url, stores } = await openMany(2);
  const [writer, reader] = stores as [Store, Store];
  await admit(writer, "r1");
  const stop = new AbortController();
  const pages = follow(reader, { after: 0, signal: stop.signal });
  const seen: string[] = [];
  const hear = async (count: number) => {
    while (seen.length < count) seen.push(...(await pages.next()).value!.map(({ key }) => key));
  };
  await hear(1);
  const listening =
    "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND application_name = 'cadre'";
  await until(async () => (await postgres.query(listening, url)).length === 1);
  for (const [index, id] of ["a", "a2", "a3"].entries()) {
    await sendSignal(writer, "r1", contextAdded(id));
    await hear(2 + index);
  }
  await postgres.query(`SELECT pg_terminate_backend(pid) FROM (${listening}) AS listener`, url);
  await sendSignal(writer, "r1", contextAdded("b"));
  await sendSignal(reader, "r1", contextAdded("c"));
  await hear(6);
  expect(seen.slice(3)).toEqual(["context/a3", "context/b", "context/c"]);
  stop.abort();
  await pages.return();
});

test("[P10] a follower keeps its connection as long as the database answers", async () => {
  const { url, stores } = await openMany(2);
  const [near, far] = stores as [Store, Store];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const heard: string[] = [];
  near.journal.onCommit((events) => heard.push(...events.map(({ key }) => key)));
  await admit(far, "r1");
  for (let i = 0; heard.length === 0; i++) await sendSignal(far, "r1", contextAdded(`${i}`));
  const backend = async (last: string) =>
    (await postgres.query(`SELECT pid FROM pg_stat_activity WHERE query LIKE '${last}'`, url))[0]?.["pid"];
  const listening = await backend("LISTEN%");
  vi.advanceTimersByTime(15_000);
  await expect.poll(() => backend("SELECT 1")).toBe(listening);
  vi.advanceTimersByTime(5_000);
  await sendSignal(far, "r1", contextAdded("later"));
  await expect.poll(() => heard.at(-1)).toBe("context/later");
  expect(await backend("SELECT 1")).toBe(listening);
});

test("listeners get every event of every process once and in order", async () => {
  const { stores } = await openMany(3);
  const heard: number[] = [];
  await Promise.all(stores.map((store, i) => admit(store, `r${i}`)));
  const first = (await stores[0]!.journal.position()) + 1;
  stores[0]!.journal.onCommit((events) => heard.push(...events.map(({ position }) => position)));
  // A process announces its own commits immediately. It announces the commits of other processes only once it listens.
  await sendSignal(stores[0]!, "r0", contextAdded("begin"));
  await Promise.all(
    stores.map(async (store, i) => {
      for (let n = 0; n < 20; n++) await sendSignal(store, `r${i}`, contextAdded(`${n}`));
    }),
  );
  await until(async () => heard.at(-1) === first + 60);
  for (const last of [61, 62, 63]) {
    await sendSignal(stores[1]!, "r1", contextAdded(`only others write ${last}`));
    await until(async () => heard.at(-1) === first + last);
  }
  expect(heard).toEqual(Array.from({ length: 64 }, (_, i) => first + i));
});

test("[P13] a process does not prune a blob that another process has stored but not used yet", async () => {
  const { stores } = await openMany(2);
  const [one, two] = stores as [Store, Store];
  const name = await one.blobs.put("a definition");
  await two.runs.prune({});
  expect(await two.blobs.get(name)).toBe("a definition");
  await admit(one, "r1", { definition: name });
  await (await acquireRun(one, "r1")).append([runEnded()]);
  await two.runs.prune({});
  expect(await one.blobs.get(name)).toBeUndefined();
});

test("the tables on Postgres have every column of the SQLite store", async () => {
  const { url } = await openMany(1);
  const db = new DatabaseSync(":memory:");
  db.exec(SQLITE.join(";"));
  const columns = db
    .prepare(
      `SELECT m.name || '.' || i.name AS name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS i
       WHERE m.type = 'table' AND m.name NOT LIKE 'search_%'`,
    )
    .all();
  const found = await postgres.query(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = current_schema()`,
    url,
  );
  const has = new Set(found.map(({ name }) => name));
  expect(columns.filter(({ name }) => !has.has(name))).toEqual([]);
  expect(columns.length).toBeGreaterThan(80);
});
