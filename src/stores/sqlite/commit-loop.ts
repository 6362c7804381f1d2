// The commit loop for one SQLite file. A writer waits only for its commit, which includes an fsync.
//  Q1  A commit contains every job that is waiting when it starts. The jobs are answered after the fsync.
//  Q2  If a commit fails, all jobs queued behind it are rejected too, and their drivers read the runs again.
//      If only one job fails, only that job is rejected. If it is not clear which job failed, the jobs are tried one by one.

import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { Position } from "../../ids.ts";
import { evictResting } from "../run-record.ts";
import type { CommitListener } from "../store.ts";
import { createTransaction, runNow, type Steps, type Transaction } from "../transaction/transaction.ts";
import { isStorageError, storageError } from "./open.ts";
import { closedError, type Statements } from "./sql.ts";
import type { SqliteQueries } from "./transaction-queries.ts";

const MAX_JOBS = 1_000;
const MAX_RECORDS = 500;

interface Job {
  work(tx: Transaction): Steps<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Parts {
  db: DatabaseSync;
  path: string;
  clock: Clock;
  statements: Statements;
  queries: SqliteQueries;
  /** The position of the latest event. */
  position: Position;
}

export class CommitLoop {
  position: Position;
  private readonly parts: Parts;
  private readonly listeners = new Set<CommitListener>();
  private queue: Job[] = [];
  private isScheduled = false;
  private isClosed = false;
  onGrantsChanged: () => void = () => {};

  constructor(parts: Parts) {
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
      setImmediate(() => this.flush());
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
    const now = clock.now();
    statements.begin.run();
    const tx = createTransaction(queries, now, this.position);
    const values = jobs.map((job) => perform(job, tx));
    queries.writeRecords();
    statements.commit.run();
    this.position = tx.position;
    if (tx.grantsChanged) this.onGrantsChanged();
    evictResting(queries.cache, MAX_RECORDS);
    jobs.forEach((job, index) => {
      job.resolve(values[index]);
    });
    if (tx.written.length > 0 || tx.woken.length > 0) this.announce(tx);
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
