// The runtime of a program that embeds Cadre: the owner of its store like any other (E1). While it is started, the commands
// and whoever else comes to the folder are its clients.

import { createApp } from "./api/app.ts";
import { serveOnSocket } from "./api/socket.ts";
import { apiParts } from "./cli/api-parts.ts";
import { isFile } from "./cli/connect.ts";
import { ownRuntime } from "./cli/own-runtime.ts";
import { loadConfig, NO_FILE } from "./config.ts";
import * as runtimes from "./runtime.ts";

/** Throws STORE_OWNED where another process has the store, as `cadre up` or a second program may. */
export async function createRuntime(options: runtimes.RuntimeOptions): Promise<runtimes.Runtime> {
  const { folder, env = process.env, flags = {} } = options;
  const config = loadConfig({ folder, env, flags });
  if (options.store || !isFile(config) || config.store === NO_FILE) return runtimes.createRuntime(options);
  const runtime = await ownRuntime(options, REFUSAL);
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
