// Doctor's checks of Postgres: its version, and whether it has free connections.

import { type Config, isServerStore } from "../../config/config.ts";
import { readServerCapacity, type ServerCapacity } from "../../runtime/assembly.ts";
import type { Finding } from "../../runtime/checks/machine.ts";

/** Most connections that one Cadre process opens: its pool, and one connection that listens. */
const EACH = 7;

export async function postgresChecks({ store }: Config): Promise<Finding[]> {
  if (!isServerStore(store)) return [];
  // The next check, of the store, reports a server that cannot be reached.
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
