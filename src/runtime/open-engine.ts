// Opens the engine of a project. The engines pg-boss and Restate are imported on demand, because their packages are optional.

import type { Config } from "../config/config.ts";
import type { Engine, SharedEngineOptions } from "../engines/engine.ts";
import { createLocalEngine } from "../engines/local.ts";
import { parseAddress, storageError } from "../stores/postgres/faults.ts";
import { openInSameDatabase } from "../stores/postgres/open.ts";

export interface EngineParts extends SharedEngineOptions {
  config: Config;
  /** The worker's name. The store's leases use the same name. */
  worker: string;
}

export async function openEngine({ config, storeId, worker, ...options }: EngineParts): Promise<Engine> {
  switch (config.engine) {
    case "local":
      return createLocalEngine(options);
    case "pg-boss": {
      const { createPgBossEngine } = await import("../engines/pg-boss.ts");
      const url = config.store;
      return createPgBossEngine({
        ...options,
        url,
        storeId,
        patiently: (open, isOver) => openInSameDatabase(url, open, isOver),
        // An error without a run id comes from the database, which the engine shares with the store.
        onError: (error, runId) =>
          options.onError(runId === undefined ? storageError(error, parseAddress(url)) : error, runId),
      });
    }
    case "restate": {
      const { createRestateEngine } = await import("../engines/restate/engine.ts");
      return createRestateEngine({ ...config.restate, worker, storeId, ...options });
    }
  }
}
