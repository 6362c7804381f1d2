import { afterAll, beforeAll } from "vitest";
import { fakeClock } from "../../clock.ts";
import { storeContract } from "../store.contract.ts";
import { describe, startPostgres, type TestPostgres } from "./postgres.fixture.ts";
import { openPostgresStore } from "./store.ts";

let postgres: TestPostgres;
beforeAll(async () => {
  // Not for what the disk keeps: that is Postgres' own promise.
  postgres = await startPostgres("fsync=off");
}, 60_000);
afterAll(() => postgres.end());

describe("on a server", () => {
  storeContract("Postgres", async () => {
    const options = { url: await postgres.newStore(), clock: fakeClock() };
    let store = await openPostgresStore(options);
    return {
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
