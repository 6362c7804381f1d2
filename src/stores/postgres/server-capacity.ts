// Reads the version of a Postgres server and its number of free connections. It changes nothing on the server.

import { parseAddress } from "./faults.ts";
import { loadPg } from "./open.ts";

export interface ServerCapacity {
  version: string;
  /** Number of open connections, and the maximum for users that are not superusers. */
  used: number;
  most: number;
}

const ROOM = `SELECT current_setting('server_version') AS version,
  (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most`;

export async function readServerCapacity(url: string): Promise<ServerCapacity> {
  parseAddress(url);
  const pg = await loadPg();
  const client = new pg.Client({
    connectionString: url,
    application_name: "cadre doctor",
    connectionTimeoutMillis: 5_000,
  });
  // A broken idle connection would end the process if this event had no listener.
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query<ServerCapacity>(ROOM)).rows[0]!;
  } finally {
    await client.end();
  }
}
