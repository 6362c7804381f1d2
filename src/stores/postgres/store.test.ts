import { afterAll, beforeAll, expect } from "vitest";
import { fakeClock } from "../../clock.ts";
import { acquireRun, admit, agentThought, modelCallStarted } from "../contract/kit.contract.ts";
import { storeContract } from "../store.contract.ts";
import { describe, startPostgres, type TestPostgres, test } from "./postgres.fixture.ts";
import { MIGRATIONS } from "./schema.ts";
import { openPostgresStore } from "./store.ts";

let postgres: TestPostgres;
beforeAll(async () => {
  // These tests do not check durability on disk, which Postgres itself guarantees.
  postgres = await startPostgres("fsync=off");
}, 60_000);
afterAll(() => postgres.end());

describe("on a real Postgres server", () => {
  storeContract("Postgres", async () => {
    const options = { url: await postgres.newStore(), clock: fakeClock() };
    let store = await openPostgresStore(options);
    return {
      async close() {
        const events = await store.journal.position();
        await store.close();
        // Thousands of deleted rows would make every later test slower.
        if (events < 1_000) await postgres.giveBack(options.url);
      },
      store,
      clock: options.clock,
      async reopen() {
        await store.close();
        store = await openPostgresStore(options);
        return store;
      },
    };
  });
});

test("[F39] tables of a newer Cadre version are refused and left unchanged", async () => {
  const url = await postgres.newStore();
  const store = await openPostgresStore({ url });
  await admit(store, "r1");
  await store.close();
  const setVersion = (version: number) =>
    postgres.query(`UPDATE meta SET value = '${version}' WHERE name = 'version'`, url);
  await setVersion(99);
  await expect(openPostgresStore({ url })).rejects.toMatchObject({
    code: "JOURNAL_NEWER",
    message: expect.stringMatching(/written by a newer version of Cadre \(format 99.* It is unharmed/),
  });
  await setVersion(MIGRATIONS.length);
  const again = await openPostgresStore({ url });
  expect((await again.journal.read("r1")).map(({ type }) => type)).toEqual(["RUN_STARTED"]);
  await again.close();
});

test("[F39] tables of format 1 are brought up to date, and keep their runs", async () => {
  const url = await postgres.newStore();
  const store = await openPostgresStore({ url });
  await admit(store, "r1");
  await store.close();
  await postgres.query("ALTER TABLE runs DROP COLUMN kept_tokens, DROP COLUMN kept_cost", url);
  // Formats 1 and 2 had tables instead of views.
  await postgres.query(
    "DROP VIEW messages, sessions, model_calls, journal; DROP INDEX events_calls, runs_session_id, runs_agent, events_decisions",
    url,
  );
  await postgres.query("DROP TABLE triggers, trigger_entries", url);
  await postgres.query("CREATE TABLE messages (id BIGINT); CREATE TABLE recordings (run TEXT)", url);
  await postgres.query("UPDATE meta SET value = '1' WHERE name = 'version'", url);
  const again = await openPostgresStore({ url });
  await admit(again, "r2");
  expect((await again.journal.read("r1")).map(({ type }) => type)).toEqual(["RUN_STARTED"]);
  expect(await postgres.query("SELECT id, kept_tokens, kept_cost FROM runs ORDER BY n", url)).toEqual([
    { id: "r1", kept_tokens: "0", kept_cost: 0 },
    { id: "r2", kept_tokens: "0", kept_cost: 0 },
  ]);
  await again.close();
});

test("[28.9] [S2-72] [S2-73] another program sees a row in `messages` when a model call starts, and its answer when the call ends", async () => {
  const url = await postgres.newStore();
  const store = await openPostgresStore({ url });
  const STATUS = "SELECT session_id, agent_role, status, response_content FROM messages";
  await admit(store, "r1", { sessionId: "s1" });
  const driver = await acquireRun(store, "r1");
  await driver.append([modelCallStarted("m1")]);
  const row = { session_id: "s1", agent_role: "coder" };
  expect(await postgres.query(STATUS, url)).toEqual([{ ...row, status: "running", response_content: null }]);
  await driver.append([agentThought("m1")]);
  expect(await postgres.query(STATUS, url)).toEqual([
    { ...row, status: "completed", response_content: "hm" },
  ]);
  expect(await postgres.query("SELECT session_id, agent_role, run_count FROM sessions", url)).toEqual([
    { ...row, run_count: "1" },
  ]);
  await store.close();
});
