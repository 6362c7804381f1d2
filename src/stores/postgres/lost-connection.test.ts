// Simulates a database connection that breaks at a random moment and is restored later.
// No acknowledged event is lost, no event is written twice, and callers see no error.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, connect as dial, type Socket } from "node:net";
import { inspect } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { startProxy } from "../../../test/scale/proxy.ts";
import { follow } from "../contract/follow.fixture.ts";
import { acquireRun, admit, contextAdded, expectInvariants, sendSignal } from "../contract/kit.contract.ts";
import type { Store } from "../store.ts";
import { DUE_OF } from "./feed.ts";
import { openDatabase } from "./open.ts";
import { PASSWORD, startPostgres, type TestPostgres, test } from "./postgres.fixture.ts";
import { statementName } from "./sql.ts";
import { openPostgresStore } from "./store.ts";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.end());

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore({ url });
  onTestFinished(() => store.close());
  return store;
}

test.each(["network", "socket"] as const)(
  "[F34] writers, readers and followers continue after a restart of Postgres; they connect over the %s",
  async (by) => {
    const store = await open(await postgres.newStore(by));
    await admit(store, "r1");
    const stop = new AbortController();
    const pages = follow(store, { after: 0, signal: stop.signal });
    const seen: string[] = [];
    const hear = async (count: number) => {
      while (seen.length < count) seen.push(...(await pages.next()).value!.map(({ key }) => key));
    };
    await hear(1);
    await postgres.stop();
    const written = sendSignal(store, "r1", contextAdded("while it was away"));
    const read = store.journal.read("r1");
    await postgres.start();
    expect((await written).refused).toBeUndefined();
    expect((await read).length).toBeGreaterThan(0);
    await hear(2);
    expect(seen).toEqual(["start", "context/while it was away"]);
    stop.abort();
    await pages.return();
    await expectInvariants(store);
  },
);

test("[F34] if the database restarts repeatedly under load, no acknowledged event is lost or repeated", async () => {
  const url = await postgres.newStore();
  const store = await open(url);
  await admit(store, "r1");
  const acknowledged: string[] = [];
  let done = false;
  const writing = (async () => {
    for (let i = 0; !done; i++) {
      const answer = await sendSignal(store, "r1", contextAdded(`${i}`)).catch(() => undefined);
      if (answer) acknowledged.push(`context/${i}`);
    }
  })();
  for (let i = 0; i < 3; i++) {
    const before = acknowledged.length;
    while (acknowledged.length < before + 5) await new Promise((resolve) => setImmediate(resolve));
    await postgres.stop();
    const opening = openPostgresStore({ url });
    await postgres.start();
    await (await opening).close();
  }
  done = true;
  await writing;
  const keys = (await store.journal.read("r1")).map(({ key }) => key);
  expect(keys.filter((key) => acknowledged.includes(key))).toEqual(acknowledged);
  expect(new Set(keys).size).toBe(keys.length);
  await expectInvariants(store);
});

test("[F34] a commit whose connection is killed is retried, and takes effect once", async () => {
  const url = await postgres.newStore();
  const store = await open(url);
  await admit(store, "r1");
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query("BEGIN; SELECT 1 FROM runs FOR UPDATE");
  const written = sendSignal(store, "r1", contextAdded("x"));
  const stuck =
    "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'cadre'";
  while ((await postgres.query(stuck)).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await postgres.query(`SELECT pg_terminate_backend(pid) FROM (${stuck}) AS writer`);
  await holder.query("ROLLBACK");
  await holder.end();
  expect((await written).events.map(({ key }) => key)).toEqual(["start", "context/x"]);
  await expectInvariants(store);
});

for (const when of ["before it arrives", "after it was made"] as const)
  test(`[J1] [F34] if the connection is cut at a commit ${when}, the caller still gets the right answer`, async () => {
    const url = await postgres.newStore();
    const line = await cuttable(url);
    const store = await open(line.url);
    await admit(store, "r1");
    const { writer } = await acquireRun(store, "r1");
    line.cutCommit(when);
    const answer = await sendSignal(store, "r1", contextAdded("x"));
    expect(line.cuts()).toBe(1);
    expect(answer.events.map(({ key }) => key)).toEqual(["start", "context/x"]);
    line.cutCommit(when);
    await store.leases.release("r1", writer);
    line.cutCommit(when);
    expect((await acquireRun(store, "r1")).lease.epoch, "taken once").toBe(2);
    expect(line.cuts()).toBe(3);
    expect((await store.journal.read("r1")).map(({ key }) => key)).toEqual(["start", "context/x"]);
    await expectInvariants(store);
  });

test("[J1] [P10] a commit with an unknown outcome is reported as an error; later its events are announced, and a repeated append adds nothing", async () => {
  const url = await postgres.newStore();
  const line = await cuttable(url);
  const [near, far] = [await open(line.url), await open(url)];
  await admit(far, "r1");
  const heard = await following(near, far);
  line.cutCommit("after it was made", "and let nobody in");
  await expect(sendSignal(near, "r1", contextAdded("x"))).rejects.toThrow(
    "not known whether this was written",
  );
  expect(heard.at(-1)).toBe("context/before");
  line.letIn();
  await expect.poll(() => heard.at(-1)).toBe("context/x");
  const again = await sendSignal(near, "r1", contextAdded("x"));
  expect(again.events.filter(({ key }) => key === "context/x")).toHaveLength(1);
  await expectInvariants(far);
});

test("[P10] [F34] a follower that loses its connection while it reads still gets the last event", async () => {
  const url = await postgres.newStore();
  const line = await cuttable(url);
  const [near, far] = [await open(line.url), await open(url)];
  await admit(far, "r1");
  const heard = await following(near, far);
  // The feed runs this query for events that it has read but not announced yet.
  line.cutRead(statementName(DUE_OF)!);
  await sendSignal(far, "r1", contextAdded("the end"));
  await expect.poll(() => heard.at(-1)).toBe("context/the end");
  expect(line.cuts()).toBe(1);
});

test("[F39] a process of an older version continues after a newer version has added columns", async () => {
  const url = await postgres.newStore();
  const store = await open(url);
  await admit(store, "r1");
  const use = async (id: string) => {
    await Promise.all(Array.from({ length: 20 }, () => store.runs.get("r1")));
    await sendSignal(store, "r1", contextAdded(id));
    return (await store.journal.read("r1")).map(({ key }) => key);
  };
  await use("before");
  for (const table of ["runs", "events"])
    await postgres.query(`ALTER TABLE ${table} ADD COLUMN newer TEXT`, url);
  expect(await use("after")).toEqual(["start", "context/before", "context/after"]);
});

test("[J9] [F34] a blob whose commit failed is written when the caller puts it again", async () => {
  const url = await postgres.newStore();
  const store = await open(url);
  await postgres.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'a bad day'; END $$;
     CREATE CONSTRAINT TRIGGER bad AFTER INSERT ON blobs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`,
    url,
  );
  await expect(store.blobs.put("a definition")).rejects.toMatchObject({ code: "STORAGE_UNUSABLE" });
  await postgres.query("DROP TRIGGER bad ON blobs", url);
  expect(await store.blobs.get(await store.blobs.put("a definition"))).toBe("a definition");
});

test("[F34] connections that die silently are abandoned after a while, and other connections do the work", async () => {
  const url = await postgres.newStore();
  const proxy = await startProxy(url);
  onTestFinished(() => proxy.close());
  const store = await open(`${proxy.url}&query_timeout=1000`);
  await admit(store, "r1");
  await Promise.all([store.runs.get("r1"), store.runs.get("r1"), store.runs.get("r1")]);
  proxy.deaden();
  const read = store.runs.get("r1");
  expect((await sendSignal(store, "r1", contextAdded("x"))).events.map(({ key }) => key)).toEqual([
    "start",
    "context/x",
  ]);
  expect((await read)?.id).toBe("r1");
  await expectInvariants(store);
  const { pool } = await openDatabase(url);
  onTestFinished(() => pool.end());
  const { query_timeout: bound, statement_timeout: own } = pool.options;
  expect(bound, "later than Postgres gives up itself").toBeGreaterThan(own as number);
});

test("[A61] no error contains the password, whatever is wrong with the address", async () => {
  const url = await postgres.newStore();
  const secret = encodeURIComponent(PASSWORD);
  const broken = [
    url.replace(secret, "wr0ng-pass"),
    url.replace("/postgres?", "/nowhere?"),
    url.replace(/:(\d+)\//, ":1/"),
    url.replace(secret, "wr0ng%pass"),
    `postgres://u:wr0ng-pass@[::1/x`,
    `postgres://u:wr0ng-pass@host:notaport/x`,
  ];
  for (const address of broken) {
    const error = await openPostgresStore({ url: address }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error, address).toBeInstanceOf(Error);
    const told = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error);
    for (const password of [PASSWORD, secret, "wr0ng-pass", "wr0ng%pass"])
      expect(told.includes(password), `${address} tells ${password}`).toBe(false);
  }
}, 60_000);

test("the errors for an unreachable database and a closed store are understandable", async () => {
  const error = await openPostgresStore({ url: "postgres://u@127.0.0.1:1/x" }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: "STORAGE_UNUSABLE" });
  expect(String(error)).toContain("postgres://127.0.0.1:1/x cannot be reached");
  expect(String(error)).toContain("Nothing was done");
  expect(String(error)).not.toContain("goes on");
  const store = await openPostgresStore({ url: await postgres.newStore() });
  await store.close();
  await expect(store.journal.position()).rejects.toMatchObject({ code: "STORAGE_UNUSABLE" });
  await expect(admit(store, "r1")).rejects.toMatchObject({ code: "STORAGE_UNUSABLE" });
});

/** Collects the keys of the events that `near` announces. Returns once `near` has announced the events that `far` wrote to r1. */
async function following(near: Store, far: Store): Promise<string[]> {
  const heard: string[] = [];
  near.journal.onCommit((events) => heard.push(...events.map(({ key }) => key)));
  for (let i = 0; heard.length === 0; i++) await sendSignal(far, "r1", contextAdded(`${i}`));
  await sendSignal(far, "r1", contextAdded("before"));
  await expect.poll(() => heard.at(-1)).toBe("context/before");
  return heard;
}

/**
 * A proxy to the database. It can cut the connection before a commit arrives, or before the answer to the commit.
 * After a cut, the proxy can refuse all connections except the one that listens for notifications.
 */
async function cuttable(url: string) {
  const target = new URL(url);
  const port = Number(target.port);
  let armed: "before it arrives" | "after it was made" | undefined;
  let reading: string | undefined;
  let cuts = 0;
  let closes = false;
  let isClosed = false;
  const sockets = new Set<Socket>();
  const listening = new Set<Socket>();
  const server = createServer((near) => {
    if (isClosed) return near.destroy();
    const far = dial(port, target.hostname);
    let cutting = false;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    const cut = () => {
      for (const socket of isClosed ? sockets : [near, far]) if (!listening.has(socket)) socket.destroy();
    };
    near.on("data", (chunk) => {
      if (chunk.includes("LISTEN")) for (const socket of [near, far]) listening.add(socket);
      if (reading && chunk.includes(reading)) {
        cuts++;
        reading = undefined;
        return cut();
      }
      if (armed && chunk.includes("COMMIT\0")) {
        cuts++;
        const now = armed;
        armed = undefined;
        isClosed = closes;
        if (now === "before it arrives") return cut();
        cutting = true;
      }
      far.write(chunk);
    });
    far.on("data", (chunk) => (cutting ? cut() : near.write(chunk)));
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  target.port = String((server.address() as AddressInfo).port);
  return {
    url: target.href,
    cuts: () => cuts,
    cutCommit: (when: NonNullable<typeof armed>, then?: "and let nobody in") => {
      armed = when;
      closes = then !== undefined;
    },
    letIn: () => {
      isClosed = false;
    },
    /** Cuts the next connection that sends the given text. */
    cutRead: (text: string) => {
      reading = text;
    },
  };
}
