// Opens a runtime whose process owns its store, if the store is a file (E1). A store on a server has no owner.

import { isFileStore, verifyStoreIdentity } from "../cli/connection/connect.ts";
import { loadConfig } from "../config/config.ts";
import { checkStore } from "../config/known-stores.ts";
import { CadreError } from "../errors.ts";
import { assembleRuntime, type RuntimeAssembly, type RuntimeOptions, takeOwnership } from "./assembly.ts";
import { version } from "./version.ts";

/** `refusal`: the end of the error if another process owns the store. `stop` gives up the ownership. */
export async function openOwnedRuntime(options: RuntimeOptions, refusal: string): Promise<RuntimeAssembly> {
  const { folder, env = process.env, flags = {} } = options;
  const config = loadConfig({ folder, env, flags });
  if (!isFileStore(config)) return assembleRuntime(options);
  const check = checkStore(config, env);
  const owned = await takeOwnership(config.dir, { startedAt: Date.now(), version: version() });
  if ("owner" in owned)
    throw new CadreError(
      "STORE_OWNED",
      `Process ${owned.owner.pid} has the store and may be at work. ${refusal}`,
    );
  try {
    const runtime = await assembleRuntime(options);
    await verifyStoreIdentity(runtime, check);
    return {
      ...runtime,
      async stop() {
        await runtime.stop();
        owned.release();
      },
    };
  } catch (error) {
    owned.release();
    throw error;
  }
}
