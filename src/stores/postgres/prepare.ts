// What is done once when a process opens the store.

import { type Clock, systemClock } from "../../clock.ts";
import type { CommitterParts } from "./commit-loop.ts";
import { DatabaseClock } from "./database-clock.ts";
import { storageError } from "./faults.ts";
import { NOW_MS, openDatabase, transaction, withRetries } from "./open.ts";
import type { Sql } from "./sql.ts";

export interface PostgresOptions {
  /** postgres://user:password@host:port/database */
  url: string;
  /** For tests. Otherwise time is the database's: machines disagree about it, and leases must not. */
  clock?: Clock;
}

export async function prepare({ url, clock }: PostgresOptions): Promise<CommitterParts & { id: string }> {
  const database = await openDatabase(url);
  try {
    const databaseClock = new DatabaseClock();
    const known = await withRetries(() =>
      transaction(database.pool, async (sql) => {
        await sql.get("SELECT 1 FROM head FOR UPDATE");
        await sweep(sql, clock?.now() ?? null);
        const asked = systemClock.elapsed();
        const { now, ...found } = await identity(sql);
        databaseClock.heard(now, asked);
        return found;
      }),
    );
    return { ...known, database, testClock: clock, databaseClock };
  } catch (error) {
    await database.pool.end();
    throw storageError(error, database.place);
  }
}

/** A worker that has died is listed as silent until somebody has seen it. */
const SILENT_KEPT_MS = 86_400_000;

/** What could not be read may be readable by this version, or mended: if nobody is at work, it is tried again. */
async function sweep(sql: Sql, now: number | null): Promise<void> {
  const alive = await sql.get(
    `SELECT 1 FROM workers WHERE expires_at > coalesce($1, ${NOW_MS}) LIMIT 1`,
    now,
  );
  if (alive) return;
  await sql.run(`DELETE FROM workers WHERE expires_at < coalesce($1, ${NOW_MS}) - $2`, now, SILENT_KEPT_MS);
  await sql.run(
    "UPDATE runs SET due_at = 0 WHERE ended_at IS NULL AND worker IS NULL AND id IN (SELECT run FROM quarantine)",
  );
  if ((await sql.run("DELETE FROM quarantine")) > 0) await sql.run("UPDATE head SET commits = commits + 1");
}

interface Identity {
  id: string;
  schema: string;
  position: number;
  now: number;
}

async function identity(sql: Sql): Promise<Identity> {
  await sql.run(
    "INSERT INTO meta (name, value) VALUES ('id', $1) ON CONFLICT DO NOTHING",
    crypto.randomUUID().slice(0, 8),
  );
  const found = await sql.get(
    `SELECT value AS id, current_schema()::text AS schema, position, ${NOW_MS} AS now FROM meta, head WHERE name = 'id'`,
  );
  return found as unknown as Identity;
}
