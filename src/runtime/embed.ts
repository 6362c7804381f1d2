// The runtime of a program that embeds Cadre: the owner of its store like any other (E1). While it is started, the commands
// and whoever else comes to the folder are its clients.

import { createApp } from "../api/server/app.ts";
import { serveOnSocket } from "../api/server/socket.ts";
import { isFileStore } from "../cli/connection/connect.ts";
import { loadConfig, MEMORY_STORE } from "../config/config.ts";
import { apiParts } from "./api-parts.ts";
import * as runtimes from "./assembly.ts";
import { openOwnedRuntime } from "./owned-runtime.ts";

/** Throws STORE_OWNED where another process has the store, as `cadre up` or a second program may. */
export async function createRuntime(options: runtimes.RuntimeOptions): Promise<runtimes.RuntimeAssembly> {
  const { folder, env = process.env, flags = {} } = options;
  const config = loadConfig({ folder, env, flags });
  if (options.store || !isFileStore(config) || config.store === MEMORY_STORE)
    return runtimes.assembleRuntime(options);
  const runtime = await openOwnedRuntime(options, REFUSAL);
  let served: { close(): Promise<void> } | undefined;
  return {
    ...runtime,
    async start() {
      served = await serveOnSocket(createApp(apiParts(runtime, true, env)), runtimes.socketPath(config.dir));
      await runtime.start();
    },
    async stop() {
      await served?.close();
      await runtime.stop();
    },
  };
}

const REFUSAL =
  "Nothing was opened; stop that process first, or use it: by its API, or by the commands of Cadre in this folder.";
