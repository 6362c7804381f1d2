import { afterAll, beforeAll } from "vitest";
import { describe, startPostgres, type TestPostgres } from "../stores/postgres/postgres.fixture.ts";
import { engineContract } from "./engine.contract.ts";
import { createPgBossEngine } from "./pg-boss.ts";

let postgres: TestPostgres;
let url: string;
beforeAll(async () => {
  postgres = await startPostgres("fsync=off");
  url = await postgres.newStore();
}, 60_000);
afterAll(() => postgres.end());

describe("on a server", () => {
  engineContract("pg-boss", async () => ({
    engine: await createPgBossEngine({
      url,
      storeId: "s1",
      pool: "default",
      concurrency: 4,
      onError: () => {},
    }),
  }));
});
