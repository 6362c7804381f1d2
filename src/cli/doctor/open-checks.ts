// Doctor's checks that need the open store: which process owns it, which one serves it, and what is in it.

import type { CadreClient } from "../../api/client/client.ts";
import type { Config } from "../../config/config.ts";
import type { Finding } from "../../runtime/checks/machine.ts";
import { isFileStore } from "../../runtime/owned-runtime.ts";
import { serverHealth } from "../connection/server-client.ts";
import type { Io } from "../invocation.ts";
import { portCheck } from "./port-check.ts";
import { projectChecks } from "./store-checks.ts";

export async function openStoreChecks(client: CadreClient, config: Config, io: Io): Promise<Finding[]> {
  const { pid, storeId } = await client.get("/api/health");
  // On Postgres this command opens the store itself. It asks the server of this folder with the folder's token.
  const server = isFileStore(config) ? undefined : await serverHealth(storeId, config, io);
  const isUp = pid !== process.pid || server !== undefined;
  return [await portCheck(config.server, { isUp }), ...(await projectChecks(client, server))];
}
