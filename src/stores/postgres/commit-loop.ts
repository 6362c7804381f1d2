// Writing, on one Postgres that many processes write to.
//  Q1  Everything that is waiting when a commit starts goes into it, and is answered after it is on stable storage.
//  Q2  A commit that fails rejects everything behind it: those runs reload. A job that fails alone rejects alone; where
//      it is not clear which one failed, they are tried one by one.
//  Q3  A commit locks the head first, whoever commits: one at a time, so positions are dense and in commit order (J8), no
//      two processes decide on the same row, and none waits for another in a circle.
//  Q4  A commit that the connection's loss has undone is made again. One whose answer was lost is asked after: Postgres
//      knows what became of a transaction. Only if it cannot be asked for a while do callers hear of it.

import { setTimeout as pause } from "node:timers/promises";
import type { PoolClient, QueryResult } from "pg";
import { type Clock, systemClock } from "../../clock.ts";
import type { Position, RunId } from "../../ids.ts";
import type { Columns, RunRecord } from "../run-record.ts";
import type { CommitListener } from "../store.ts";
import { evictResting } from "../transaction/append-rules.ts";
import { Batch } from "./batch.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { isConnectionLost, isUnfitValue, storageError, unknownOutcomeError } from "./faults.ts";
import { Feed } from "./feed.ts";
import { checkIn, checkOut, type Database, NOW_MS, rollBack, withRetries } from "./open.ts";
import { closedError, PostgresReader } from "./reader.ts";
import { Sql } from "./sql.ts";

const MAX_JOBS = 1_000;
const MAX_HELD = 500;

interface Needs {
  /** Runs whose rows it will ask for, and those whose keys as well. */
  rows?: readonly RunId[];
  keys?: readonly RunId[];
}

interface Job {
  apply(batch: Batch): Promise<unknown>;
  needs: Needs;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface CommitterParts {
  database: Database;
  schema: string;
  /** When it was opened. */
  position: Position;
  /** Of tests; otherwise time is the database's. */
  testClock: Clock | undefined;
  databaseClock: DatabaseClock;
}

interface Commit {
  batch: Batch;
  values: unknown[];
}

export class Committer extends PostgresReader {
  readonly clock: Clock;
  protected readonly testClock: Clock | undefined;
  private readonly databaseClock: DatabaseClock;
  private readonly cache = new Map<RunId, RunRecord>();
  /** Those that nobody else can have written to since they were read: a commit elsewhere makes all of them doubtful. */
  private readonly current = new Set<RunId>();
  /** How many commits there were, ours included, when ours was the last. */
  private commits = -1;
  protected readonly feed: Feed;
  private queue: Job[] = [];
  private working: Promise<void> | undefined;
  /** Blobs between being put and being needed by an append. */
  protected readonly fresh = new Set<string>();
  /** This process, among those that write. */
  protected readonly holder = crypto.randomUUID();

  constructor({ database, schema, position, testClock, databaseClock }: CommitterParts) {
    super(database);
    this.testClock = testClock;
    this.databaseClock = databaseClock;
    this.clock = testClock ?? databaseClock;
    this.feed = new Feed({ database, schema, position, self: this.holder });
  }

  onCommit(listener: CommitListener): () => void {
    return this.feed.add(listener);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.working;
    await this.feed.close();
    await this.database.pool.end();
  }

  protected enqueue<T>(apply: (batch: Batch) => Promise<T>, needs: Needs = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.closed) {
        reject(closedError());
        return;
      }
      this.queue.push({ apply, needs, resolve: resolve as (value: unknown) => void, reject });
      this.working ??= new Promise((begin) => setImmediate(begin)).then(() => this.work());
    });
  }

  private async work(): Promise<void> {
    let singly = 0;
    while (this.queue.length > 0) {
      const jobs = this.queue.splice(0, singly > 0 ? 1 : MAX_JOBS);
      singly = Math.max(0, singly - 1);
      try {
        this.answer(
          jobs,
          await withRetries(
            () => this.commit(jobs),
            () => this.closed,
          ),
        );
      } catch (error) {
        if (error instanceof JobFailed) {
          error.job.reject(error.cause);
          this.queue.unshift(...jobs.filter((job) => job !== error.job));
        } else if (isUnfitValue(error) && jobs.length > 1) {
          this.queue.unshift(...jobs);
          singly = jobs.length;
        } else {
          const reason = storageError(error, this.database.place);
          const behind = isUnfitValue(error) ? [] : this.queue.splice(0);
          for (const job of [...jobs, ...behind]) job.reject(reason);
        }
      }
    }
    // In the same breath: a job that comes later must find nobody at work.
    this.working = undefined;
  }

  private answer(jobs: readonly Job[], { batch, values }: Commit): void {
    for (const blob of batch.needed) this.fresh.delete(blob);
    evictResting(this.cache, MAX_HELD);
    for (const runId of this.current) if (!this.cache.has(runId)) this.current.delete(runId);
    jobs.forEach((job, index) => {
      job.resolve(values[index]);
    });
    this.feed.committed(batch.position, batch.written, batch.woken);
  }

  private async commit(jobs: readonly Job[]): Promise<Commit> {
    const client = await checkOut(this.database.pool);
    let ending: { transaction: string; made: Commit } | undefined;
    try {
      const asked = systemClock.elapsed();
      const head = await begin(client);
      this.databaseClock.heard(head.now, asked);
      const made = await this.perform(jobs, new Sql(client), head);
      ending = { transaction: head.transaction, made };
      await client.query(this.ending(made.batch));
      checkIn(client);
      this.commits = head.commits + 1;
      return made;
    } catch (error) {
      await rollBack(client, error);
      this.commits = -1;
      const lost = ending !== undefined && isConnectionLost(error);
      if (lost && (await this.isCommitted(ending!.transaction))) return ending!.made;
      this.cache.clear();
      throw error;
    }
  }

  /** The answer was lost. Postgres knows, and is asked as soon as it can be. */
  private async isCommitted(transaction: string): Promise<boolean> {
    const sql = new Sql(this.database.pool);
    for (;;) {
      const known = await withRetries(() => sql.get(OUTCOME, transaction)).catch(() => undefined);
      if (known?.["outcome"] === "committed") return true;
      if (known?.["outcome"] === "aborted") return false;
      if (known?.["outcome"] !== "in progress") {
        this.cache.clear();
        this.feed.doubt();
        throw unknownOutcomeError(this.database.place);
      }
      await pause(20);
    }
  }

  private async perform(jobs: readonly Job[], sql: Sql, head: Head): Promise<Commit> {
    if (head.commits !== this.commits) this.current.clear();
    const batch = new Batch({
      sql,
      cache: this.cache,
      current: this.current,
      runs: head.runs,
      now: this.testClock?.now() ?? head.now,
      position: head.position,
    });
    await batch.prefetch(
      jobs.flatMap(({ needs }) => needs.rows ?? []),
      jobs.flatMap(({ needs }) => needs.keys ?? []),
    );
    const values: unknown[] = [];
    for (const job of jobs) values.push(await perform(job, batch));
    await batch.finish();
    const used = [...batch.needed].filter((blob) => this.fresh.has(blob));
    if (used.length > 0) await sql.run(NOT_FRESH, this.holder, used);
    return { batch, values };
  }

  private ending({ written, woken }: Batch): string {
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

/** Time is read outside of what locks: there, it would be earlier than what others wrote while we waited. */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SELECT position, runs, commits, ${NOW_MS} AS now, pg_current_xact_id()::text AS transaction,
    CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
      THEN set_config('synchronous_commit', 'on', TRUE) END
  FROM (SELECT * FROM head FOR UPDATE) AS locked`;

const NOT_FRESH = "DELETE FROM fresh WHERE holder = $1 AND hash = ANY($2)";

const OUTCOME = "SELECT pg_xact_status($1::xid8) AS outcome";

/** A job that cannot be done, as opposed to a database that cannot be written. */
class JobFailed extends Error {
  readonly job: Job;
  constructor(job: Job, cause: unknown) {
    super("a job failed", { cause });
    this.job = job;
  }
}

async function perform(job: Job, batch: Batch): Promise<unknown> {
  try {
    return await job.apply(batch);
  } catch (error) {
    // What Postgres refuses is looked at for the whole commit: it may come from rows that another job left to be written.
    if (isConnectionLost(error) || "severity" in (error as object)) throw error;
    throw new JobFailed(job, error);
  }
}
