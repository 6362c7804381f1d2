import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { fakeClock } from "../../clock.ts";
import {
  acquireRun,
  admit,
  agentThought,
  childSpawn,
  childStarted,
  contextAdded,
  modelCallStarted,
  runEnded,
  runSuspended,
  sendSignal,
} from "../contract/kit.contract.ts";
import { storeContract } from "../store.contract.ts";
import { MIGRATIONS } from "./schema.ts";
import { openSqliteStore } from "./store.ts";

const folder = scratchFolder("cadre-store-");
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

storeContract("SQLite", async () => {
  const options = { path: join(folder, `${count++}.db`), clock: fakeClock() };
  let store = openSqliteStore(options);
  return {
    store,
    clock: options.clock,
    close: () => store.close(),
    async reopen() {
      await store.close();
      store = openSqliteStore(options);
      return store;
    },
  };
});

test("[Q3] [36.11] after a slow commit, a busy event loop puts the writes of several turns into the next one; an idle event loop commits at once", async () => {
  const time = { now: 0, step: 5 };
  const clock = { ...fakeClock(), elapsed: () => (time.now += time.step) };
  const store = openSqliteStore({ path: join(folder, `${count++}.db`), clock });
  const commits: string[][] = [];
  store.journal.onCommit((events) => commits.push(events.map(({ runId }) => runId)));
  const inTwoTurns = (first: string, second: string) =>
    Promise.all([
      admit(store, first),
      nextTurn()
        .then(nextTurn)
        .then(() => admit(store, second)),
    ]);
  await admit(store, "slow");
  await inTwoTurns("r1", "r2");
  expect(commits).toEqual([["slow"], ["r1", "r2"]]);
  // From now on no turn takes time, so the event loop is idle.
  time.step = 0;
  await inTwoTurns("r3", "r4");
  expect(commits.slice(2)).toEqual([["r3"], ["r4"]]);
  await store.close();
});

test("the store keeps a run in memory if it has just started or waits for a child, but not if it waits for a person", async () => {
  const store = openSqliteStore({ path: join(folder, `${count++}.db`), clock: fakeClock() });
  const keys = async (runId: string) => (await acquireRun(store, runId)).lease.events?.map(({ key }) => key);
  await admit(store, "r1");
  const parent = await acquireRun(store, "r1");
  expect(parent.lease.events).toEqual(await store.journal.read("r1"));
  await parent.append([childStarted("c1")], { guard: "signals", spawn: childSpawn("c1", "r1") });
  await parent.append([runSuspended("s1", { kind: "child", items: ["c1"] })], {
    rest: { wakeAt: undefined },
  });
  const child = await acquireRun(store, "c1");
  expect(child.lease.events).toEqual(await store.journal.read("c1"));
  await child.append([runEnded()]);
  expect(await keys("r1")).toEqual(["start", "c1/s", "s1", "c1/e"]);

  await admit(store, "r2");
  await (await acquireRun(store, "r2")).append([runSuspended("s1")], { rest: { wakeAt: undefined } });
  await sendSignal(store, "r2", contextAdded("x"));
  expect(await keys("r2")).toBeUndefined();
  await store.close();
});

test("[28.9] [S2-72] [S2-73] another program sees a row in `messages` when a model call starts, and its answer when the call ends", async () => {
  const path = join(folder, `${count++}.db`);
  const store = openSqliteStore({ path, clock: fakeClock() });
  const reader = new DatabaseSync(path, { readOnly: true });
  const read = (text: string) => reader.prepare(text).all();
  const STATUS = "SELECT session_id, agent_role, status, response_content FROM messages";
  expect(read("SELECT * FROM messages")).toEqual([]);
  await admit(store, "r1", { sessionId: "s1" });
  const driver = await acquireRun(store, "r1");
  await driver.append([modelCallStarted("m1")]);
  const row = { session_id: "s1", agent_role: "coder" };
  expect(read(STATUS)).toMatchObject([{ ...row, status: "running", response_content: null }]);
  await driver.append([agentThought("m1")]);
  expect(read(STATUS)).toMatchObject([{ ...row, status: "completed", response_content: "hm" }]);
  await driver.append([runEnded()]);
  expect(read("SELECT s.* FROM messages m JOIN sessions s ON s.session_id = m.session_id")).toMatchObject([
    { session_id: "s1", agent_role: "coder", run_count: 1, completed_at: expect.any(String) },
  ]);
  reader.close();
  await store.close();
});

test("[28.9] [S2-29] a query of `messages` by session, run or role finds its rows by an index", async () => {
  const path = join(folder, `${count++}.db`);
  await openSqliteStore({ path, clock: fakeClock() }).close();
  const reader = new DatabaseSync(path, { readOnly: true });
  for (const column of ["session_id", "run_id", "agent_role"]) {
    const plan = reader.prepare(`EXPLAIN QUERY PLAN SELECT * FROM messages WHERE ${column} = 'x'`).all();
    expect([column, plan[0]!["detail"]]).toEqual([column, expect.stringMatching(/^SEARCH run USING INDEX/)]);
  }
  reader.close();
});

test("[28.9] [F39] a store of format 2, where `messages` was a table, gets the view and keeps its runs", async () => {
  const path = join(folder, `${count++}.db`);
  const old = new DatabaseSync(path);
  old.exec(`${MIGRATIONS.slice(0, 2).join(";")}; PRAGMA user_version = 2`);
  old.exec("INSERT INTO messages (id, session_id, started_at) VALUES (1, 's', '')");
  old.exec("INSERT INTO recordings VALUES ('r0', '{}'); INSERT INTO meta VALUES ('messages', '1')");
  old.close();
  const store = openSqliteStore({ path, clock: fakeClock() });
  await admit(store, "r1");
  await (await acquireRun(store, "r1")).append([modelCallStarted("m1")]);
  expect((await store.usage.messages({})).messages).toMatchObject([{ id: 2, session_id: "r1" }]);
  await store.close();
});

test("[28.9] [P9] a damaged event does not hide the other rows of `messages`", async () => {
  const path = join(folder, `${count++}.db`);
  const store = openSqliteStore({ path, clock: fakeClock() });
  await admit(store, "r1");
  await (await acquireRun(store, "r1")).append([
    modelCallStarted("m1"),
    agentThought("m1"),
    modelCallStarted("m2"),
    agentThought("m2"),
  ]);
  const vandal = new DatabaseSync(path);
  vandal.exec("UPDATE events SET payload = '{' WHERE seq = 3");
  expect(vandal.prepare("SELECT status, response_content FROM messages").all()).toMatchObject([
    { status: "completed", response_content: "" },
    { status: "completed", response_content: "hm" },
  ]);
  vandal.close();
  await store.close();
});
