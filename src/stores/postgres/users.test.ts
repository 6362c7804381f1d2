// When several servers share a database, all of them apply a change of users immediately.

import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { Store } from "../store.ts";
import { startPostgres, type TestPostgres, test } from "./postgres.fixture.ts";
import { openPostgresStore } from "./store.ts";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres("fsync=off");
}, 60_000);
afterAll(() => postgres.end());

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore({ url });
  onTestFinished(() => store.close());
  return store;
}

test("[US2] [A09] a change of users in one process is announced to the other processes", async () => {
  const url = await postgres.newStore();
  const [here, elsewhere] = [await open(url), await open(url)];
  await here.users.add({ name: "ann", role: "operator", by: "maria", key: "one" });
  const told = Promise.withResolvers<void>();
  elsewhere.users.onChange(() => {
    void elsewhere.users.byKey("one").then((user) => user ?? told.resolve());
  });
  expect((await elsewhere.users.byKey("one"))?.name).toBe("ann");
  await here.users.revoke("ann");
  await told.promise;
  expect(await elsewhere.users.byKey("one")).toBeUndefined();
});
