import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { fakeClock } from "../../clock.ts";
import { storeContract } from "../store.contract.ts";
import { openSqliteStore } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "cadre-store-"));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

storeContract("SQLite", async () => {
  const options = { path: join(folder, `${count++}.db`), clock: fakeClock() };
  let store = openSqliteStore(options);
  return {
    store,
    clock: options.clock,
    async reopen() {
      await store.close();
      store = openSqliteStore(options);
      return store;
    },
  };
});
