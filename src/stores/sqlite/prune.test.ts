// Tests an interrupted prune by looking at the tables in the file.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { fakeClock } from "../../clock.ts";
import {
  acquireRun,
  admit,
  agentThought,
  contextAdded,
  expectInvariants,
  modelCallStarted,
  runEnded,
  sendSignal,
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
  for (const [table, rows] of Object.entries({ events: 2, messages: 1, refs: 1, pruned: 0 }))
    expect([table, look(path, `SELECT count(*) FROM ${table}`)]).toEqual([table, rows]);
});
