// What `cadre doctor` can say only with the store open: who has it, who serves it, and what is in it.

import type { CadreClient } from "../../api/client/client.ts";
import type { Config } from "../../config/config.ts";
import type { Finding } from "../../runtime/checks/machine.ts";
import { isFileStore } from "../connection/connect.ts";
import { serverHealth } from "../connection/server-client.ts";
import type { Io } from "../invocation.ts";
import { portCheck } from "./port-check.ts";
import { projectChecks } from "./store-checks.ts";

export async function openStoreChecks(client: CadreClient, config: Config, io: Io): Promise<Finding[]> {
  const { pid, storeId } = await client.health();
  // On a server this command is no client of whoever serves the store: that one is asked by this folder's token.
  const server = isFileStore(config) ? undefined : await serverHealth(storeId, config, io);
  const isUp = pid !== process.pid || server !== undefined;
  return [await portCheck(config.server, { isUp }), ...(await projectChecks(client, server))];
}
