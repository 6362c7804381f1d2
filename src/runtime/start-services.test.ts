// Tests that a worker that fails to start leaves no services running.

import { statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openReceiver } from "../../test/support/otlp-receiver.ts";
import { scratchFolder } from "../../test/support/scratch.ts";
import type { Engine } from "../engines/engine.ts";
import { shapesOnly } from "../journal/masking/mask.fixture.ts";
import { assembleRuntime, type RuntimeAssembly } from "./assembly.ts";
import { startServices } from "./start-services.ts";

let folder: string;
let runtime: RuntimeAssembly;
beforeEach(async () => {
  folder = scratchFolder("cadre-start-");
  runtime = await assembleRuntime({ folder, home: folder, env: {}, flags: { store: "sqlite::memory:" } });
});
afterEach(async () => {
  vi.useRealTimers();
  await runtime.stop();
});

test("[E11] [TL2] a worker whose engine is unreachable does not look alive and keeps no leases", async () => {
  await using receiver = await openReceiver();
  const file = join(folder, "alive");
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const away: Engine = {
    shared: false,
    wake: async () => {},
    start: async () => {
      throw new Error("The queue is away.");
    },
    stop: async () => {},
  };
  const card = { host: "here", pid: 1, pool: "", version: "0.0.0", since: 0 };
  const starting = startServices({
    driving: {
      engine: away,
      parts: runtime.parts,
      report: () => {},
      recordHeartbeat: () => {},
      poolFilter: undefined,
      workerCard: () => card,
    },
    webhooks: {
      hooks: [],
      test: async () => undefined,
      register: async () => {},
      owed: async () => ({ notices: [], more: false }),
      start: () => async () => {},
    },
    triggers: [],
    mask: shapesOnly(),
    env: { CADRE_ALIVE_FILE: file, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    version: "0.0.0",
  });
  await expect(starting).rejects.toThrow("The queue is away.");
  utimesSync(file, 1_000, 1_000);
  vi.advanceTimersByTime(5_000);
  expect(statSync(file).mtimeMs).toBe(1_000_000);
  expect(await runtime.store.outbox.acquire("traces/otlp", "another", 1)).toBeDefined();
});
