// What `cadre doctor` says of the server that the store is on: which Postgres it is, and whether it has room for us.

import { type Config, isServerStore } from "../../config/config.ts";
import { readServerCapacity, type ServerCapacity } from "../../runtime/assembly.ts";
import type { Finding } from "../../runtime/checks/machine.ts";

/** What one process of Cadre may open: its pool, and one that listens. */
const EACH = 7;

export async function postgresChecks({ store }: Config): Promise<Finding[]> {
  if (!isServerStore(store)) return [];
  // One that cannot be reached is said by the check of the store, which is tried next.
  const room = await readServerCapacity(store).catch(() => undefined);
  return room ? [connectionsCheck(room)] : [];
}

export function connectionsCheck({ version, used, most }: ServerCapacity): Finding {
  const left = Math.max(0, most - used);
  const text = `${version}, ${left} of ${most} connections left`;
  if (left >= 2 * EACH) return { state: "ok", name: "Postgres", text };
  return {
    state: "warn",
    name: "Postgres",
    text: `${text}, and each process of Cadre opens up to ${EACH}`,
    fix: "raise max_connections and restart Postgres, or end what holds connections (SELECT * FROM pg_stat_activity)",
  };
}
