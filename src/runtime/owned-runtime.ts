// Opens a runtime whose process owns its store, if the store is a file (E1). A store on a server has no owner.

import { type Config, loadConfig } from "../config/config.ts";
import { checkStore, type StoreCheck } from "../config/known-stores.ts";
import { CadreError } from "../errors.ts";
import { type AssemblyOptions, assembleRuntime, type RuntimeAssembly, takeOwnership } from "./assembly.ts";
import { version } from "./version.ts";

/**
 * Opens the runtime. `refusal` is appended to the error if another process owns the store. `stop` gives up the ownership.
 * If a program's own code names the store, the folder need not be trusted: that code can do everything anyway.
 */
export async function openOwnedRuntime(
  options: AssemblyOptions,
  refusal: string,
  isNamedInCode = false,
): Promise<RuntimeAssembly> {
  const { folder, env = process.env, flags = {} } = options;
  const config = loadConfig({ folder, env, flags });
  if (!isFileStore(config)) return assembleRuntime(options);
  const check = checkStore(isNamedInCode ? { ...config, trusted: true } : config, env);
  const owned = await takeOwnership(config.dir, { startedAt: Date.now(), version: version() });
  if ("owner" in owned)
    throw new CadreError(
      "STORE_OWNED",
      `Process ${owned.owner.pid} owns the store and may be using it. ${refusal}`,
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

/** Whether the store is a file. Only one process at a time can open such a store. */
export const isFileStore = ({ store }: Pick<Config, "store">): boolean => store.startsWith("sqlite:");

/** Checks that the opened store is the expected one, before this process answers requests or drives runs. */
export async function verifyStoreIdentity(runtime: RuntimeAssembly, store: StoreCheck): Promise<void> {
  try {
    store.confirmOpened(runtime.store.id);
  } catch (error) {
    await runtime.stop();
    throw error;
  }
}
