// The commit loop for a Postgres database to which many processes write.
//  Q1  A commit contains every job that is waiting when it starts. The jobs are answered when the commit is on stable storage.
//  Q2  If a commit fails, all jobs queued behind it are rejected too, and their drivers read the runs again.
//      If only one job fails, only that job is rejected. If it is not clear which job failed, the jobs are tried one by one.
//  Q3  Every commit of every process locks the head first, so there is one commit at a time.
//      Therefore positions are dense and in commit order (J8), no two processes change the same row at once, and there are no deadlocks.
//  Q4  If a broken connection rolled back a commit, the loop repeats the commit.
//      If only the answer to a commit was lost, the loop asks Postgres for the outcome. Callers get an error only if Postgres cannot be reached for a while.

import { setTimeout as pause } from "node:timers/promises";
import type { PoolClient, QueryResult } from "pg";
import { type Clock, systemClock } from "../../clock.ts";
import type { Position } from "../../ids.ts";
import type { Columns } from "../columns.ts";
import { evictResting } from "../run-record.ts";
import type { Needs } from "../transaction/queries.ts";
import { createTransaction, runLater, type Steps, type Transaction } from "../transaction/transaction.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { isConnectionLost, isUnfitValue, storageError, unknownOutcomeError } from "./faults.ts";
import { Feed } from "./feed.ts";
import { checkIn, checkOut, type Database, NOW_MS, rollBack, withRetries } from "./open.ts";
import { closedError, Sql } from "./sql.ts";
import { PostgresQueries, type RecordCache } from "./transaction-queries.ts";

const MAX_JOBS = 1_000;
const MAX_RECORDS = 500;

interface Job {
  work(tx: Transaction): Steps<unknown>;
  needs: Needs;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface CommitLoopParts {
  database: Database;
  schema: string;
  /** The end of the journals when the store was opened. */
  position: Position;
  /** A clock for tests. If it is undefined, the database's clock is used. */
  testClock: Clock | undefined;
  databaseClock: DatabaseClock;
}

interface Commit {
  tx: Transaction;
  queries: PostgresQueries;
  values: unknown[];
}

export class CommitLoop {
  readonly feed: Feed;
  /** The id of this process in notifications and in the table of fresh blobs. */
  readonly processId = crypto.randomUUID();
  /** Blobs that this process has stored and that no append refers to yet. */
  readonly freshBlobs = new Set<string>();
  isClosed = false;
  private readonly database: Database;
  private readonly testClock: Clock | undefined;
  private readonly databaseClock: DatabaseClock;
  private readonly cache: RecordCache = { records: new Map(), current: new Set() };
  /** The number of commits by all processes, counted at this process's last commit. */
  private commits = -1;
  private queue: Job[] = [];
  private working: Promise<void> | undefined;

  constructor({ database, schema, position, testClock, databaseClock }: CommitLoopParts) {
    this.database = database;
    this.testClock = testClock;
    this.databaseClock = databaseClock;
    this.feed = new Feed({ database, schema, position, self: this.processId });
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.working;
    await this.feed.close();
    await this.database.pool.end();
  }

  write<T>(work: (tx: Transaction) => Steps<T>, needs: Needs = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.isClosed) {
        reject(closedError());
        return;
      }
      this.queue.push({ work, needs, resolve: resolve as (value: unknown) => void, reject });
      this.working ??= new Promise((begin) => setImmediate(begin)).then(() => this.work());
    });
  }

  private async work(): Promise<void> {
    let oneByOne = 0;
    while (this.queue.length > 0) {
      const jobs = this.queue.splice(0, oneByOne > 0 ? 1 : MAX_JOBS);
      oneByOne = Math.max(0, oneByOne - 1);
      try {
        this.answer(
          jobs,
          await withRetries(
            () => this.commit(jobs),
            () => this.isClosed,
          ),
        );
      } catch (error) {
        if (error instanceof JobFailed) {
          error.job.reject(error.cause);
          this.queue.unshift(...jobs.filter((job) => job !== error.job));
        } else if (isUnfitValue(error) && jobs.length > 1) {
          this.queue.unshift(...jobs);
          oneByOne = jobs.length;
        } else {
          const reason = storageError(error, this.database.address);
          const behind = isUnfitValue(error) ? [] : this.queue.splice(0);
          for (const job of [...jobs, ...behind]) job.reject(reason);
        }
      }
    }
    // No await is allowed between the check of the queue and this line. Otherwise a job that arrives in between would not start the loop.
    this.working = undefined;
  }

  private answer(jobs: readonly Job[], { tx, queries, values }: Commit): void {
    const { records, current } = this.cache;
    for (const blob of queries.needed) this.freshBlobs.delete(blob);
    evictResting(records, MAX_RECORDS);
    for (const runId of current) if (!records.has(runId)) current.delete(runId);
    jobs.forEach((job, index) => {
      job.resolve(values[index]);
    });
    this.feed.committed(tx.position, tx.written, tx.woken);
  }

  private async commit(jobs: readonly Job[]): Promise<Commit> {
    const client = await checkOut(this.database.pool);
    let ending: { transaction: string; made: Commit } | undefined;
    try {
      const asked = systemClock.elapsed();
      const head = await begin(client);
      this.databaseClock.adjust(head.now, asked);
      const made = await this.perform(jobs, new Sql(client), head);
      ending = { transaction: head.transaction, made };
      await client.query(this.ending(made.tx));
      checkIn(client);
      this.commits = head.commits + 1;
      return made;
    } catch (error) {
      await rollBack(client, error);
      this.commits = -1;
      const lost = ending !== undefined && isConnectionLost(error);
      if (lost && (await this.isCommitted(ending!.transaction))) return ending!.made;
      this.cache.records.clear();
      throw error;
    }
  }

  /** Asks Postgres for the outcome of a transaction whose answer was lost. */
  private async isCommitted(transaction: string): Promise<boolean> {
    const sql = new Sql(this.database.pool);
    for (;;) {
      const known = await withRetries(() => sql.get(OUTCOME, transaction)).catch(() => undefined);
      if (known?.["outcome"] === "committed") return true;
      if (known?.["outcome"] === "aborted") return false;
      if (known?.["outcome"] !== "in progress") {
        this.cache.records.clear();
        this.feed.readAgain();
        throw unknownOutcomeError(this.database.address);
      }
      await pause(20);
    }
  }

  private async perform(jobs: readonly Job[], sql: Sql, head: Head): Promise<Commit> {
    // Another process has committed since this process's last commit, so every cached record must be checked.
    if (head.commits !== this.commits) this.cache.current.clear();
    const queries = new PostgresQueries(sql, this.cache, head.runs);
    const tx = createTransaction(queries, this.testClock?.now() ?? head.now, head.position);
    await queries.prefetch({
      rows: jobs.flatMap(({ needs }) => needs.rows ?? []),
      keys: jobs.flatMap(({ needs }) => needs.keys ?? []),
    });
    const values: unknown[] = [];
    for (const job of jobs) values.push(await perform(job, tx));
    await queries.finish(tx.position);
    const used = [...queries.needed].filter((blob) => this.freshBlobs.has(blob));
    if (used.length > 0) await sql.run(NOT_FRESH, this.processId, used);
    return { tx, queries, values };
  }

  private ending({ written, woken }: Transaction): string {
    return written.length > 0 || woken.length > 0 ? `${this.feed.notice}; COMMIT` : "COMMIT";
  }
}

interface Head {
  position: number;
  runs: number;
  commits: number;
  now: number;
  transaction: string;
}

async function begin(client: PoolClient): Promise<Head> {
  const results = (await client.query(BEGIN)) as unknown as QueryResult<Columns>[];
  return results.at(-1)!.rows[0] as unknown as Head;
}

/** The time is read after locking, so it is later than all events that other processes wrote in the meantime. */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SELECT position, runs, commits, ${NOW_MS} AS now, pg_current_xact_id()::text AS transaction,
    CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
      THEN set_config('synchronous_commit', 'on', TRUE) END
  FROM (SELECT * FROM head FOR UPDATE) AS locked`;

const NOT_FRESH = "DELETE FROM fresh WHERE holder = $1 AND hash = ANY($2)";

const OUTCOME = "SELECT pg_xact_status($1::xid8) AS outcome";

/** An error that affects only one job. Other jobs can still write to the database. */
class JobFailed extends Error {
  readonly job: Job;
  constructor(job: Job, cause: unknown) {
    super("a job failed", { cause });
    this.job = job;
  }
}

async function perform(job: Job, tx: Transaction): Promise<unknown> {
  try {
    return await runLater(job.work(tx));
  } catch (error) {
    // An error from Postgres affects the whole commit, because rows that another job queued might have caused it.
    if (isConnectionLost(error) || "severity" in (error as object)) throw error;
    throw new JobFailed(job, error);
  }
}
