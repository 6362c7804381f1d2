// Opens the database, or fails with a sentence that says why and what to do. The package `pg` is optional.
// Several processes can open the store at the same time. An advisory lock makes sure that only one of them creates the tables.

import { setTimeout as pause } from "node:timers/promises";
import type { Client, ClientConfig, CustomTypesConfig, Pool, PoolClient } from "pg";
import { systemClock } from "../../clock.ts";
import { installHint } from "../../config/install-hint.ts";
import { CadreError, messageOf } from "../../errors.ts";
import { type DatabaseAddress, isCollision, isConnectionLost, openError, parseAddress } from "./faults.ts";
import { MIGRATIONS } from "./schema.ts";
import { getMeta, Sql, setMeta } from "./sql.ts";

const OLDEST_POSTGRES = 140_000;
const MOST_CONNECTIONS = 6;
const CONNECT_MS = 5_000;
/** How long a database can be unreachable before callers get an error. Restarts and failovers usually take less time. */
const PATIENCE_MS = 10_000;
/** How long a process that freezes during a commit can block all other processes. */
const IDLE_IN_COMMIT_MS = 10_000;
const LOCK_MS = 20_000;
const STATEMENT_MS = 60_000;
/** Time without an answer after which a connection is treated as dead. It is longer than Postgres' own statement timeout. */
const ANSWER_MS = STATEMENT_MS + 5_000;
/** How long a connection is idle before TCP keep-alive checks it. The operating system's default is hours. */
const KEEP_ALIVE_MS = 10_000;
/** The key of the advisory lock. */
const MIGRATING = 0x0cad7e;

/** Milliseconds since the epoch, on the database's clock. */
export const NOW_MS = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

export interface Database {
  pool: Pool;
  address: DatabaseAddress;
  /** Opens a connection outside of the pool. */
  client(): Client;
}

export async function openDatabase(url: string): Promise<Database> {
  const address = parseAddress(url);
  const pg = await loadPg();
  const config: ClientConfig = {
    connectionString: url,
    application_name: "cadre",
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_IN_COMMIT_MS,
    types: parseNumbers(pg.types),
  };
  const pool = new pg.Pool({ ...config, max: MOST_CONNECTIONS, allowExitOnIdle: true });
  // If an idle connection breaks, the pool replaces it.
  pool.on("error", () => {});
  const database = { pool, address, client: () => new pg.Client(config) };
  try {
    await withRetries(() => migrate(database));
    return database;
  } catch (error) {
    await pool.end();
    throw openError(error, address);
  }
}

/** Opens another component that uses the store's database, such as a job queue, with the same retries and error messages as the store. */
export async function openInSameDatabase(
  url: string,
  open: () => Promise<void>,
  isOver: () => boolean,
): Promise<void> {
  try {
    await withRetries(open, isOver);
  } catch (error) {
    throw openError(error, parseAddress(url));
  }
}

/** Repeats a piece of work for a while if the connection is lost or transactions collide. The work must be safe to repeat. */
export async function withRetries<T>(work: () => Promise<T>, isOver = () => false): Promise<T> {
  const until = systemClock.elapsed() + PATIENCE_MS;
  for (let wait = 20; ; wait = Math.min(2 * wait, 1_000)) {
    try {
      return await work();
    } catch (error) {
      if (
        !(isConnectionLost(error) || isCollision(error)) ||
        isOver() ||
        systemClock.elapsed() + wait > until
      )
        throw error;
      await pause(wait);
    }
  }
}

/** Executes a piece of work in a transaction. If the work fails, the transaction is rolled back. */
export async function transaction<T>(pool: Pool, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await checkOut(pool);
  try {
    await client.query("BEGIN");
    const value = await work(new Sql(client));
    await client.query("COMMIT");
    checkIn(client);
    return value;
  } catch (error) {
    await rollBack(client, error);
    throw error;
  }
}

/** Listens for `error`. A broken idle connection emits it, and without a listener the process would end. */
export async function checkOut(pool: Pool): Promise<PoolClient> {
  const client = await pool.connect();
  client.on("error", ignoreError);
  return client;
}

export function checkIn(client: PoolClient): void {
  client.off("error", ignoreError);
  client.release();
}

/** Rolls back and returns the client to the pool, or destroys it: ROLLBACK never reaches a dead connection. */
export async function rollBack(client: PoolClient, why: unknown): Promise<void> {
  if (isConnectionLost(why)) return client.release(true);
  try {
    await client.query("ROLLBACK");
    checkIn(client);
  } catch {
    client.release(true);
  }
}

const ignoreError = (): void => {};

export async function loadPg(): Promise<typeof import("pg").default> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    throw new CadreError(
      "STORAGE_UNUSABLE",
      `A store on Postgres needs the package pg, which cannot be loaded (${messageOf(error)}). Nothing was changed; install it: ${installHint("pg")}`,
    );
  }
}

/** Parses BIGINT and NUMERIC as numbers. By default they are strings, and sums over them would be wrong. */
function parseNumbers(types: CustomTypesConfig): CustomTypesConfig {
  const INT8 = 20;
  const NUMERIC = 1700;
  const getTypeParser = ((id: number, format?: "text" | "binary") =>
    id === INT8 || id === NUMERIC
      ? Number
      : types.getTypeParser(id, format as "text")) as CustomTypesConfig["getTypeParser"];
  return { getTypeParser };
}

async function migrate({ pool, address }: Database): Promise<void> {
  await transaction(pool, async (sql) => {
    await refuseOld(sql, address);
    await sql.get("SELECT pg_advisory_xact_lock($1)", MIGRATING);
    await sql.run("CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)");
    const version = Number((await getMeta(sql, "version")) ?? 0);
    if (version > MIGRATIONS.length) {
      throw new CadreError(
        "JOURNAL_NEWER",
        `${address.name} was written by a newer version of Cadre (format ${version}, this one knows ${MIGRATIONS.length}). It is unharmed: use the newer version.`,
      );
    }
    for (const step of MIGRATIONS.slice(version)) await sql.run(step);
    if (version < MIGRATIONS.length) await setMeta(sql, "version", String(MIGRATIONS.length));
  });
}

async function refuseOld(sql: Sql, address: DatabaseAddress): Promise<void> {
  const found = await sql.get(
    "SELECT current_setting('server_version_num')::int AS number, version() AS text",
  );
  if ((found!["number"] as number) >= OLDEST_POSTGRES) return;
  throw new CadreError(
    "STORAGE_UNUSABLE",
    `${address.name} is too old (${String(found!["text"])}): Cadre needs Postgres 14 or later. Nothing was changed.`,
  );
}
