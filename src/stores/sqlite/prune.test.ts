// What only a file shows: a prune that was cut off, and files from before pruning was known.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { UNRELEASED_STEPS } from "../../../test/golden/unreleased-schema.ts";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { fakeClock } from "../../clock.ts";
import type { Payload } from "../../journal/events.ts";
import {
  acquireRun,
  admit,
  agentThought,
  contextAdded,
  expectInvariants,
  modelCallStarted,
  runEnded,
  sendSignal,
  toolResult,
} from "../contract/kit.contract.ts";
import type { Store } from "../store.ts";
import { openSqliteStore } from "./store.ts";

const folder = scratchFolder("cadre-prune-");
afterAll(() => rmSync(folder, { recursive: true }));

const open = (path: string): Store => openSqliteStore({ path, clock: fakeClock() });

function look(path: string, sql: string): unknown {
  const db = new DatabaseSync(path);
  const [value] = Object.values(db.prepare(sql).get() ?? {});
  db.close();
  return value;
}

async function large(store: Store, runId: string): Promise<void> {
  await admit(store, runId);
  for (let i = 0; i < 25; i++) {
    const some = Array.from({ length: 100 }, (_, j) => [
      modelCallStarted(`m${i}-${j}`),
      agentThought(`m${i}-${j}`),
    ]);
    await sendSignal(store, runId, ...some.flat());
  }
  await (await acquireRun(store, runId)).append([runEnded()]);
}

test("[F01] an interrupted prune leaves no partial tree, and the next prune finishes it", async () => {
  const path = join(folder, "cut.db");
  const store = open(path);
  await large(store, "large");
  expect((await store.usage.messages({ limit: 5_000 })).messages).toHaveLength(2_500);
  const pruned = store.runs.prune({});
  const cut = expect(pruned).rejects.toMatchObject({ code: "STORAGE_UNUSABLE" });
  while (await store.runs.get("large")) await sendSignal(store, "large", contextAdded("x")).catch(() => {});
  await store.close();
  await cut;
  expect(look(path, "SELECT count(*) FROM events")).toBeGreaterThan(0);

  const next = open(path);
  expect(await next.runs.list({})).toMatchObject({ runs: [] });
  expect(await next.journal.readAll(0, 10)).toEqual([]);
  expect((await next.usage.messages({})).messages).toEqual([]);
  await admit(next, "new");
  await sendSignal(next, "new", modelCallStarted("m1"));
  await expectInvariants(next, "pruned");
  expect(await next.runs.prune({})).toMatchObject({ trees: 0 });
  expect((await next.usage.messages({})).messages).toHaveLength(1);
  await next.close();
  for (const [table, rows] of Object.entries({ events: 2, messages: 1, refs: 1, pruned: 0, recordings: 1 }))
    expect([table, look(path, `SELECT count(*) FROM ${table}`)]).toEqual([table, rows]);
});

test("[P13] a file from before pruning existed is migrated with its references", async () => {
  const path = join(folder, "before.db");
  const store = open(path);
  const definition = await store.blobs.put("a definition");
  const ref = await store.blobs.put("a long output");
  const text = "x".repeat(2_100_000);
  await admit(store, "old", { definition });
  const { payload } = toolResult("m1.0", "a long…") as { payload: Payload<"TOOL_RESULT"> };
  await sendSignal(
    store,
    "old",
    { type: "TOOL_RESULT", payload: { ...payload, ref } },
    contextAdded("l", text),
  );
  await (await acquireRun(store, "old")).append([runEnded()]);
  await admit(store, "next", {
    definition,
    continues: { runId: "old", ...(await store.journal.head("old"))! },
  });
  await store.close();

  const db = new DatabaseSync(path);
  db.exec(`DROP TABLE refs; DROP TABLE pruned; DROP TABLE messages; DROP TABLE recordings; DROP TABLE claims; DROP TABLE places; DROP TABLE budgets; DROP TABLE search;
    DROP TABLE transfers; DROP TABLE sent; DROP TABLE users; DROP TABLE user_keys; DROP TABLE webhooks; DROP TABLE deliveries; DROP TABLE tree_usages;
    DROP INDEX runs_user; ALTER TABLE runs DROP COLUMN user_id; ALTER TABLE workers DROP COLUMN card;
    DROP INDEX runs_previous; ALTER TABLE runs DROP COLUMN previous_until;
    DROP INDEX runs_continues; ALTER TABLE runs DROP COLUMN continues; DROP INDEX runs_alive; DROP INDEX runs_alive_below;
    DROP INDEX idempotency_run; ALTER TABLE grants DROP COLUMN run_id; ALTER TABLE grants DROP COLUMN folder; PRAGMA user_version = 1`);
  for (const step of UNRELEASED_STEPS.slice(2)) db.exec(step);
  db.close();

  const migrated = open(path);
  expect(await migrated.runs.prune({})).toMatchObject({ trees: 0, bytes: 0 });
  expect(await migrated.blobs.get(ref)).toBe("a long output");
  await expectInvariants(migrated);
  await (await acquireRun(migrated, "next")).append([runEnded()]);
  expect(await migrated.runs.prune({})).toMatchObject({ trees: 2 });
  expect(await migrated.blobs.get(ref)).toBeUndefined();
  await migrated.close();
  expect(look(path, "SELECT count(*) FROM blobs")).toBe(0);
});
