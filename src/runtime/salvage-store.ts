// Salvages the store of a project, if it is a file (`cadre doctor --salvage`). Meanwhile this process owns the store (E1).

import { existsSync } from "node:fs";
import { loadConfig } from "../config/config.ts";
import { checkStore } from "../config/known-stores.ts";
import type { Env } from "../config/trust.ts";
import { CadreError } from "../errors.ts";
import { type Salvage, salvage } from "../stores/sqlite/salvage.ts";
import { takeOwnership } from "./assembly.ts";
import { isFileStore } from "./owned-runtime.ts";
import { version } from "./version.ts";

export async function salvageStore({
  folder,
  env,
}: {
  folder: string;
  env: Env;
}): Promise<Salvage & { path: string }> {
  const config = loadConfig({ folder, env });
  if (!isFileStore(config))
    throw new CadreError(
      "USAGE",
      "--salvage reads damaged SQLite files. The store of this folder is on a server; restore a backup there. Nothing was changed.",
    );
  const { storeId } = checkStore(config, env);
  const path = config.store.slice("sqlite:".length);
  if (!existsSync(path)) throw new CadreError("NOT_FOUND", `There is no file ${path}. Nothing was changed.`);
  const owned = await takeOwnership(config.dir, { startedAt: Date.now(), version: version() });
  if ("owner" in owned)
    throw new CadreError(
      "STORE_OWNED",
      `Process ${owned.owner.pid} owns ${path}. Nothing was changed; stop that process first.`,
    );
  try {
    return { path, ...salvage({ path, storeId, now: new Date() }) };
  } finally {
    owned.release();
  }
}
