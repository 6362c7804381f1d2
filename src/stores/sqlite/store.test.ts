import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { fakeClock } from "../../clock.ts";
import {
  acquireRun,
  admit,
  childSpawn,
  childStarted,
  contextAdded,
  runEnded,
  runSuspended,
  sendSignal,
} from "../contract/kit.contract.ts";
import { storeContract } from "../store.contract.ts";
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
