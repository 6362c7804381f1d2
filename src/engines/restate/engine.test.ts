import { afterAll, beforeAll } from "vitest";
import { engineContract } from "../engine.contract.ts";
import { createRestateEngine, type RestateEngineOptions } from "./engine.ts";
import { describe, startRestate, type TestRestate } from "./restate.fixture.ts";

describe("against a real Restate", () => {
  let restate: TestRestate;
  beforeAll(async () => {
    restate = await startRestate();
  });
  afterAll(() => restate.end());

  const create = (more: Partial<RestateEngineOptions> = {}) =>
    createRestateEngine({
      ingress: restate.ingress,
      admin: restate.admin,
      listen: { host: "127.0.0.1", port: 0 },
      worker: crypto.randomUUID(),
      storeId: "s1",
      pool: "default",
      concurrency: 8,
      onError: () => {},
      ...more,
    });

  engineContract("restate", async () => ({ engine: await create({ onError: console.error }) }));
});
