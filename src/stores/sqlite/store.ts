// The store on one SQLite file: its tables (schema.ts), the queries on them, and the commit loop that runs transactions.
// A writer waits only for its commit, which includes an fsync.
//  Q1  A commit contains every job that is waiting when it starts. The jobs are answered after the fsync.
//  Q2  If a commit fails, all jobs queued behind it are rejected too, and their drivers read the runs again.
//      If only one job fails, only that job is rejected. If it is not clear which job failed, the jobs are tried one by one.
//  Q3  On a slow disk, commits take at most a quarter of a busy event loop, so that requests do not queue behind them.
//      The jobs that arrive in the meantime share the next commit.

import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { Position } from "../../ids.ts";
import { readApproval, readGrant, verifiedBlob } from "../columns.ts";
import type { TableAccess } from "../common-queries.ts";
import { listDecisions } from "../derived-lists.ts";
import { encodeBlob, encodeFile } from "../hashes.ts";
import { createOutbox } from "../outbox-tables.ts";
import { createRunLists } from "../run-lists.ts";
import { evictResting } from "../run-record.ts";
import type { CommitListener, StandingGrant, Store } from "../store.ts";
import { catchUp } from "../transaction/derived-tables.ts";
import { createOperations, type Write } from "../transaction/operations.ts";
import type { DerivedTable } from "../transaction/queries.ts";
import { ask, createTransaction, runNow, type Steps, type Transaction } from "../transaction/transaction.ts";
import { createTriggers } from "../trigger-tables.ts";
import { createUsers } from "../user-tables.ts";
import { journalReads, lastPosition, scopeConditions, storedEvents } from "./journal.ts";
import { leaseReads } from "./leases.ts";
import { isStorageError, openDatabase, storageError } from "./open.ts";
import { pruneReads } from "./prune.ts";
import { runListDialect, runReads } from "./runs.ts";
import { closedError, getMeta, prepareStatements, Sql, type Statements, setMeta } from "./sql.ts";
import { SqliteQueries, tableCursor } from "./transaction-queries.ts";
import { usageReads } from "./usage.ts";

const TREES_PER_COMMIT = 50;

export interface SqliteOptions {
  path: string;
  clock: Clock;
}

/** If this process can open the file, the previous process is gone. So its leases are void, and a restart does not wait for them (E1). */
export function openSqliteStore({ path, clock }: SqliteOptions): Store {
  const db = openDatabase(path);
  const sql = new Sql(db);
  const statements = sql.withStorageErrors(() => prepareStatements(db));
  sql.withStorageErrors(() => voidLeases(db));
  /** Blobs that were stored and that no append refers to yet. A prune keeps them. */
  const freshBlobs = new Set<string>();
  const queries = new SqliteQueries(statements, sql, freshBlobs);
  const position = Math.max(lastPosition(sql), Number(getMeta(sql, "position") ?? 0));
  const loop = new CommitLoop({ db, path, clock, statements, queries, position });
  const write: Write = (work) => loop.write(work);
  const tables: TableAccess = {
    read: async (work) => runNow(work(sql)),
    write: (work) => write((tx) => work(sql, tx)),
  };
  const bringUpToDate = (table: DerivedTable): Promise<void> =>
    catchUp(table, { cursor: tableCursor(sql, table), position: loop.position, write });
  const reads = pruneReads(sql, freshBlobs);
  const operations = createOperations(write, {
    read: async (question) => question(reads),
    treesPerCommit: TREES_PER_COMMIT,
  });
  return {
    id: identity(sql),
    clock,
    runs: {
      ...operations.runs,
      ...createRunLists(tables, runListDialect, () => bringUpToDate("search")),
      ...runReads(sql),
    },
    journal: {
      ...operations.journal,
      ...journalReads(sql, statements),
      position: async () => loop.position,
      onCommit: (listener) => loop.onCommit(listener),
    },
    leases: { ...operations.leases, ...leaseReads(sql, clock) },
    inbox: { ...operations.inbox, ...inboxReads(sql, loop) },
    blobs: blobStore({ sql, statements, freshBlobs, write }),
    usage: usageReads(sql, bringUpToDate),
    transfers: { ...operations.transfers, storedEvents: storedEvents(sql) },
    users: createUsers(tables),
    outbox: createOutbox(tables),
    triggers: createTriggers(tables),
    close: () => loop.close(),
  };
}

/** Ends all leases. Also makes quarantined runs due again, because this version might be able to read them, or they were repaired. */
function voidLeases(db: DatabaseSync): void {
  db.exec(`UPDATE runs SET worker = NULL, due_at = 0 WHERE worker IS NOT NULL; DELETE FROM workers;
    UPDATE runs SET previous_until = NULL WHERE previous_until IS NOT NULL;
    UPDATE runs SET due_at = 0 WHERE ended_at IS NULL AND id IN (SELECT run FROM quarantine);
    DELETE FROM quarantine;
    UPDATE webhooks SET holder = NULL`);
}

function identity(sql: Sql): string {
  const known = getMeta(sql, "id");
  if (known !== undefined) return known;
  const id = crypto.randomUUID().slice(0, 8);
  setMeta(sql, "id", id);
  return id;
}

function inboxReads(sql: Sql, loop: CommitLoop): Pick<Store["inbox"], "openItems" | "decisions" | "grants"> {
  /** Grants are cached, because they are read for every judged call and rarely change. */
  let grants: StandingGrant[] | undefined;
  loop.onGrantsChanged = () => {
    grants = undefined;
  };
  return {
    async openItems(filter = {}) {
      const { where, values } = scopeConditions(filter, "WHERE");
      const found = sql.all(
        `SELECT runs.id, approvals.* FROM approvals JOIN runs ON runs.n = approvals.run ${where} ORDER BY opened_at, item`,
        ...values,
      );
      return found.map(readApproval);
    },
    decisions: async (filter) => runNow(listDecisions(sql, filter)),
    async grants() {
      grants ??= sql.all(GRANTS).map(readGrant);
      return grants;
    },
  };
}

const GRANTS = `SELECT grants.*, coalesce(grants.run_id, runs.id) AS given_in
  FROM grants LEFT JOIN runs ON runs.n = grants.run ORDER BY grants.id`;

interface BlobParts {
  sql: Sql;
  statements: Statements;
  freshBlobs: Set<string>;
  write: Write;
}

function blobStore({ sql, statements, freshBlobs, write }: BlobParts): Store["blobs"] {
  const storedText = (name: string) =>
    sql.withStorageErrors(() => statements.getBlob.get(name))?.["text"] as string | undefined;
  const put = async ({ name, stored }: { name: string; stored: string }): Promise<string> => {
    freshBlobs.add(name);
    if (storedText(name) === undefined) await write(({ queries }) => ask(queries.putBlob(name, stored)));
    return name;
  };
  return {
    put: (text) => put(encodeBlob(text)),
    putFile: (bytes) => put(encodeFile(bytes)),
    async get(name, of) {
      if (of && !sql.get(NEEDED_BY, name, of.user)) return undefined;
      const found = storedText(name);
      return found === undefined ? undefined : verifiedBlob(name, found);
    },
  };
}

const NEEDED_BY =
  "SELECT 1 FROM refs JOIN runs ON runs.n = refs.run WHERE refs.hash = ? AND runs.user_id = ? LIMIT 1";

const MAX_JOBS = 1_000;
const MAX_RECORDS = 500;
/** Faster commits need no rest (Q3). */
const SLOW_COMMIT_MS = 1;
const LONGEST_REST_MS = 25;
const IDLE_TURN_MS = 0.2;

interface Job {
  work(tx: Transaction): Steps<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface CommitLoopParts {
  db: DatabaseSync;
  path: string;
  clock: Clock;
  statements: Statements;
  queries: SqliteQueries;
  /** The position of the latest event. */
  position: Position;
}

class CommitLoop {
  position: Position;
  private readonly parts: CommitLoopParts;
  private readonly listeners = new Set<CommitListener>();
  private queue: Job[] = [];
  private isScheduled = false;
  private isClosed = false;
  /** The moment, in the time of `clock.elapsed`, until which other work goes first (Q3). */
  private restUntil = Number.NEGATIVE_INFINITY;
  onGrantsChanged: () => void = () => {};

  constructor(parts: CommitLoopParts) {
    this.parts = parts;
    this.position = parts.position;
  }

  write<T>(work: (tx: Transaction) => Steps<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.isClosed) {
        reject(closedError());
        return;
      }
      this.queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      if (this.isScheduled) return;
      this.isScheduled = true;
      setImmediate(() => this.flushInTurn());
    });
  }

  onCommit(listener: CommitListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.flush();
    this.isClosed = true;
    this.parts.db.close();
  }

  /** Q3: commits now, or waits for other work. A turn of the event loop that takes no time means that there is none. */
  private flushInTurn(previousTurn = Number.NEGATIVE_INFINITY): void {
    const now = this.parts.clock.elapsed();
    if (now >= this.restUntil || now - previousTurn < IDLE_TURN_MS) this.flush();
    else setImmediate(() => this.flushInTurn(now));
  }

  private flush(): void {
    this.isScheduled = false;
    let oneByOne = 0;
    while (this.queue.length > 0) {
      const jobs = this.queue.splice(0, oneByOne > 0 ? 1 : MAX_JOBS);
      oneByOne = Math.max(0, oneByOne - 1);
      try {
        this.commit(jobs);
      } catch (error) {
        this.rollBack();
        if (error instanceof JobFailed) {
          error.job.reject(error.cause);
          this.queue.unshift(...jobs.filter((job) => job !== error.job));
        } else if (!isStorageError(error) && jobs.length > 1) {
          this.queue.unshift(...jobs);
          oneByOne = jobs.length;
        } else if (!isStorageError(error)) {
          jobs[0]!.reject(error);
        } else {
          const reason = storageError(error, this.parts.path);
          for (const job of [...jobs, ...this.queue.splice(0)]) job.reject(reason);
        }
      }
    }
  }

  private commit(jobs: readonly Job[]): void {
    const { statements, queries, clock } = this.parts;
    const [now, began] = [clock.now(), clock.elapsed()];
    statements.begin.run();
    const tx = createTransaction(queries, now, this.position);
    const values = jobs.map((job) => perform(job, tx));
    queries.writeRecords();
    statements.commit.run();
    this.position = tx.position;
    this.rest(clock.elapsed() - began);
    if (tx.grantsChanged) this.onGrantsChanged();
    evictResting(queries.cache, MAX_RECORDS);
    jobs.forEach((job, index) => {
      job.resolve(values[index]);
    });
    if (tx.written.length > 0 || tx.woken.length > 0) this.announce(tx);
  }

  private rest(took: number): void {
    const ms = took < SLOW_COMMIT_MS ? 0 : Math.min(3 * took, LONGEST_REST_MS);
    this.restUntil = this.parts.clock.elapsed() + ms;
  }

  /** P9: if a listener throws, the commit must not look failed, because it is already stored. */
  private announce({ written, woken }: Transaction): void {
    for (const listener of this.listeners) {
      try {
        listener(written, woken);
      } catch (error) {
        process.emitWarning(`A listener of the store failed: ${messageOf(error)}`);
      }
    }
  }

  private rollBack(): void {
    const { db, queries } = this.parts;
    queries.forgetAll();
    if (db.isTransaction) db.exec("ROLLBACK");
  }
}

/** An error that affects only one job. Other jobs can still write to the disk. */
class JobFailed extends Error {
  readonly job: Job;
  constructor(job: Job, cause: unknown) {
    super("a job failed", { cause });
    this.job = job;
  }
}

function perform(job: Job, tx: Transaction): unknown {
  try {
    return runNow(job.work(tx));
  } catch (error) {
    if (isStorageError(error)) throw error;
    throw new JobFailed(job, error);
  }
}
