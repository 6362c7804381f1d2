// The store on Postgres: its tables (schema.ts), the queries on them, and the commit loop that runs transactions.
// Any number of processes can have the store open.
// The lock on the head orders the writes of all processes. Leases and epochs determine which process drives a run.

import { type Clock, systemClock } from "../../clock.ts";
import type { RunId } from "../../ids.ts";
import { readApproval, readGrant, verifiedBlob } from "../columns.ts";
import type { TableAccess } from "../common-queries.ts";
import { listDecisions } from "../derived-lists.ts";
import { encodeBlob, encodeFile } from "../hashes.ts";
import { createOutbox } from "../outbox-tables.ts";
import { createRunLists } from "../run-lists.ts";
import type { Store } from "../store.ts";
import { catchUp } from "../transaction/derived-tables.ts";
import { heartbeat } from "../transaction/leases.ts";
import { createOperations, type Write } from "../transaction/operations.ts";
import type { DerivedTable } from "../transaction/queries.ts";
import { ask, runLater } from "../transaction/transaction.ts";
import { createTriggers } from "../trigger-tables.ts";
import { createUsers } from "../user-tables.ts";
import { CommitLoop, type CommitLoopParts } from "./commit-loop.ts";
import { DatabaseClock } from "./database-clock.ts";
import { storageError } from "./faults.ts";
import { journalReads, storedEvents } from "./journal.ts";
import { leaseReads, releaseAll } from "./leases.ts";
import { NOW_MS, openDatabase, transaction, withRetries } from "./open.ts";
import { pruneReads } from "./prune.ts";
import { runListDialect, runReads } from "./runs.ts";
import { closedError, type Read, Sql } from "./sql.ts";
import { type PostgresQueries, PUT_BLOB, tableCursor } from "./transaction-queries.ts";
import { usageReads } from "./usage.ts";

/** Number of trees that one commit deletes. It is small, because all other writers wait during the deletion. */
const TREES_PER_COMMIT = 1;
/** How long the blobs of a dead process are kept although no append refers to them. */
const FRESH_MS = 86_400_000;

export interface PostgresOptions {
  /** Address in the form postgres://user:password@host:port/database */
  url: string;
  /** A clock for tests. Otherwise the database's clock is used: the clocks of machines differ, and leases need one common clock. */
  clock?: Clock;
}

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { id, ...parts } = await prepare(options);
  const { testClock, databaseClock } = parts;
  const loop = new CommitLoop(parts);
  const write: Write = (work, needs) => loop.write(work, needs);
  const read = createRead(parts, loop);
  const writeSql = <T>(apply: (batch: { sql: Sql; now: number }) => Promise<T>): Promise<T> =>
    write(({ queries, now }) => ask(apply({ sql: (queries as PostgresQueries).sql, now })));
  const tables: TableAccess = {
    read: (work) => read((sql) => runLater(work(sql))),
    write: (work) => write((tx) => work((tx.queries as PostgresQueries).sql, tx)),
  };
  const journal = journalReads(read);
  const bringUpToDate = async (table: DerivedTable): Promise<void> => {
    const position = await journal.position();
    await catchUp(table, { cursor: await read((sql) => tableCursor(sql, table)), position, write });
  };
  const operations = createOperations(write, {
    read: (question) => read(async (sql) => question(pruneReads(sql))),
    treesPerCommit: TREES_PER_COMMIT,
  });
  const { leases, workers } = leaseOperations(operations.leases, write);
  return {
    id,
    clock: testClock ?? databaseClock,
    runs: {
      ...operations.runs,
      ...createRunLists(tables, runListDialect, () => bringUpToDate("search")),
      ...runReads(read),
    },
    journal: { ...operations.journal, ...journal, onCommit: (listener) => loop.feed.add(listener) },
    leases: { ...leases, ...leaseReads(read, testClock) },
    inbox: { ...operations.inbox, ...inboxReads(read) },
    blobs: blobStore(read, writeSql, loop),
    usage: usageReads(read, bringUpToDate),
    transfers: { ...operations.transfers, storedEvents: storedEvents(read) },
    users: createUsers(tables, loop.feed),
    outbox: createOutbox(tables),
    triggers: createTriggers(tables),
    /** Gives back leases and fresh blobs, so that no other process has to wait for them. */
    async close() {
      if (loop.isClosed) return;
      // If the database cannot be reached, the leases expire on their own.
      const left = writeSql(({ sql }) => releaseAll(sql, [...workers], loop.processId)).catch(() => {});
      await loop.close();
      await left;
    },
  };
}

function createRead({ database }: CommitLoopParts, loop: CommitLoop): Read {
  const sql = new Sql(database.pool);
  return async (work) => {
    if (loop.isClosed) throw closedError();
    try {
      return await withRetries(
        () => work(sql),
        () => loop.isClosed,
      );
    } catch (error) {
      throw storageError(error, database.address);
    }
  };
}

type Leases = Pick<
  Store["leases"],
  "acquire" | "release" | "recordAcquisitions" | "heartbeat" | "quarantine"
>;

/** The operations on leases. `workers` are the workers that sent a heartbeat through this process. */
function leaseOperations(operations: Leases, write: Write): { leases: Leases; workers: Set<string> } {
  const workers = new Set<string>();
  /**
   * Runs that this process might have acquired in a commit whose answer was lost.
   * The worker does not know that it holds these runs, so its next heartbeat gives them back.
   */
  const doubtful = new Set<RunId>();
  return {
    workers,
    leases: {
      ...operations,
      async acquire(runId, worker, lost) {
        workers.add(worker);
        try {
          return await operations.acquire(runId, worker, lost);
        } catch (error) {
          doubtful.add(runId);
          throw error;
        }
      },
      async heartbeat(worker, holds, card) {
        workers.add(worker);
        const asked = [...doubtful];
        const answer = await write((tx) => heartbeat(tx, worker, holds, { card, doubtful: asked }), {
          rows: [...asked, ...holds.map(({ runId }) => runId)],
        });
        for (const runId of asked) doubtful.delete(runId);
        return answer;
      },
    },
  };
}

const inboxReads = (read: Read): Pick<Store["inbox"], "openItems" | "decisions" | "grants"> => ({
  openItems: (filter = {}) =>
    read(async (sql) => {
      const { run = null, root = null, user = null } = filter;
      return (await sql.all(OPEN_ITEMS, run, root, user)).map(readApproval);
    }),
  decisions: (filter) => read((sql) => runLater(listDecisions(sql, filter))),
  /** Grants are always read from the database, because another process might have revoked one. */
  grants: () => read(async (sql) => (await sql.all(GRANTS)).map(readGrant)),
});

const OPEN_ITEMS = `SELECT runs.id, approvals.* FROM approvals JOIN runs ON runs.n = approvals.run
  WHERE ($1::text IS NULL OR runs.id = $1) AND ($2::text IS NULL OR runs.root = $2)
    AND ($3::text IS NULL OR runs.user_id = $3) ORDER BY opened_at, item COLLATE "C"`;

const GRANTS = `SELECT grants.*, coalesce(grants.run_id, runs.id) AS given_in
  FROM grants LEFT JOIN runs ON runs.n = grants.run ORDER BY grants.id`;

function blobStore(
  read: Read,
  write: <T>(apply: (batch: { sql: Sql; now: number }) => Promise<T>) => Promise<T>,
  { freshBlobs, processId }: CommitLoop,
): Store["blobs"] {
  const put = async ({ name, stored }: { name: string; stored: string }): Promise<string> => {
    if (freshBlobs.has(name)) return name;
    await write(async ({ sql, now }) => {
      await sql.run(PUT_BLOB, name, Buffer.from(stored));
      await sql.run(KEEP_FRESH, name, processId, now + FRESH_MS);
    });
    // The blob is remembered only after the commit. If the commit fails, the next put must write the blob again.
    freshBlobs.add(name);
    return name;
  };
  return {
    put: (text) => put(encodeBlob(text)),
    putFile: (bytes) => put(encodeFile(bytes)),
    get: (name, of) =>
      read(async (sql) => {
        if (of && !(await sql.get(NEEDED_BY, name, of.user))) return undefined;
        const stored = (await sql.get("SELECT text FROM blobs WHERE hash = $1", name))?.["text"];
        return stored === undefined ? undefined : verifiedBlob(name, (stored as Buffer).toString("utf8"));
      }),
  };
}

const NEEDED_BY =
  "SELECT 1 FROM refs JOIN runs ON runs.n = refs.run WHERE refs.hash = $1 AND runs.user_id = $2 LIMIT 1";

const KEEP_FRESH = `INSERT INTO fresh (hash, holder, until) VALUES ($1, $2, $3)
  ON CONFLICT (hash, holder) DO UPDATE SET until = excluded.until`;

async function prepare({ url, clock }: PostgresOptions): Promise<CommitLoopParts & { id: string }> {
  const database = await openDatabase(url);
  try {
    const databaseClock = new DatabaseClock();
    const known = await withRetries(() =>
      transaction(database.pool, async (sql) => {
        await sql.get("SELECT 1 FROM head FOR UPDATE");
        await retryQuarantined(sql, clock?.now() ?? null);
        const asked = systemClock.elapsed();
        const { now, ...found } = await identity(sql);
        databaseClock.adjust(now, asked);
        return found;
      }),
    );
    return { ...known, database, testClock: clock, databaseClock };
  } catch (error) {
    await database.pool.end();
    throw storageError(error, database.address);
  }
}

/** A dead worker is listed as silent for a day, so that a person can see it. */
const SILENT_KEPT_MS = 86_400_000;

/** Makes quarantined runs due again if no worker is alive: this version might be able to read them, or they were repaired. */
async function retryQuarantined(sql: Sql, now: number | null): Promise<void> {
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
