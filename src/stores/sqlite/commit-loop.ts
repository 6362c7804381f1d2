// Writing, on one SQLite file. One process owns the file (see owner.ts), so rows of runs under way are cached here and a
// commit is the only thing to wait for.
//  Q1  Everything that is waiting when a commit starts goes into it, and is answered after the fsync.
//  Q2  A commit that fails rejects everything behind it: those runs reload. A job that fails alone rejects alone; where
//      it is not clear which one failed, they are tried one by one.

import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { Position, RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { RunRecord } from "../run-record.ts";
import type { CommitListener, StandingGrant } from "../store.ts";
import { evictResting } from "../transaction/append-rules.ts";
import { Batch } from "./batch.ts";
import { isStorageError, openDatabase, storageError } from "./open.ts";
import { SqliteReader } from "./reader.ts";
import { closedError, getMeta } from "./sql.ts";

const MAX_JOBS = 1_000;
const MAX_HELD = 500;

interface Job {
  apply(batch: Batch): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface SqliteOptions {
  path: string;
  clock: Clock;
}

export class Committer extends SqliteReader {
  private readonly path: string;
  readonly clock: Clock;
  private readonly cache = new Map<RunId, RunRecord>();
  /** Blobs between being put and being needed by an append: no prune may take them. */
  protected readonly fresh = new Set<string>();
  private readonly listeners = new Set<CommitListener>();
  private standing: StandingGrant[] | undefined;
  private queue: Job[] = [];
  private scheduled = false;
  private closed = false;
  protected lastPosition: Position;

  constructor({ path, clock }: SqliteOptions) {
    super(openDatabase(path));
    this.path = path;
    this.clock = clock;
    this.lastPosition = Math.max(
      Number(this.sql.get("SELECT max(position) AS p FROM events")?.["p"] ?? 0),
      Number(getMeta(this.sql, "position") ?? 0),
    );
  }

  async position(): Promise<Position> {
    return this.lastPosition;
  }

  onCommit(listener: CommitListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Asked for every call that is judged, and changed by hardly any. */
  override async grants(): Promise<StandingGrant[]> {
    this.standing ??= await super.grants();
    return this.standing;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.flush();
    this.closed = true;
    this.db.close();
  }

  protected enqueue<T>(apply: (batch: Batch) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.closed) {
        reject(closedError());
        return;
      }
      this.queue.push({ apply, resolve: resolve as (value: unknown) => void, reject });
      if (this.scheduled) return;
      this.scheduled = true;
      setImmediate(() => this.flush());
    });
  }

  private flush(): void {
    this.scheduled = false;
    let singly = 0;
    while (this.queue.length > 0) {
      const jobs = this.queue.splice(0, singly > 0 ? 1 : MAX_JOBS);
      singly = Math.max(0, singly - 1);
      try {
        this.commit(jobs);
      } catch (error) {
        this.undo();
        if (error instanceof JobFailed) {
          error.job.reject(error.cause);
          this.queue.unshift(...jobs.filter((job) => job !== error.job));
        } else if (!isStorageError(error) && jobs.length > 1) {
          this.queue.unshift(...jobs);
          singly = jobs.length;
        } else if (!isStorageError(error)) {
          jobs[0]!.reject(error);
        } else {
          const reason = storageError(error, this.path);
          for (const job of [...jobs, ...this.queue.splice(0)]) job.reject(reason);
        }
      }
    }
  }

  private commit(jobs: readonly Job[]): void {
    const { statements, cache, fresh } = this;
    const now = this.clock.now();
    statements.begin.run();
    const batch = new Batch({ statements, now, cache, fresh, position: this.lastPosition });
    const values = jobs.map((job) => perform(job, batch));
    batch.writeRows();
    statements.commit.run();
    this.lastPosition = batch.position;
    if (batch.granted) this.standing = undefined;
    evictResting(cache, MAX_HELD);
    jobs.forEach((job, index) => {
      job.resolve(values[index]);
    });
    if (batch.written.length > 0 || batch.woken.length > 0) this.announce(batch.written, batch.woken);
  }

  /** P9: a listener that breaks its contract must not make a batch look failed that is on disk. */
  private announce(events: readonly JournalEvent[], woken: readonly RunId[]): void {
    for (const listener of this.listeners) {
      try {
        listener(events, woken);
      } catch (error) {
        process.emitWarning(`A listener of the store failed: ${messageOf(error)}`);
      }
    }
  }

  private undo(): void {
    this.cache.clear();
    if (this.db.isTransaction) this.db.exec("ROLLBACK");
  }
}

/** A job that cannot be done, as opposed to a disk that cannot be written. */
class JobFailed extends Error {
  readonly job: Job;
  constructor(job: Job, cause: unknown) {
    super("a job failed", { cause });
    this.job = job;
  }
}

function perform(job: Job, batch: Batch): unknown {
  try {
    return job.apply(batch);
  } catch (error) {
    if (isStorageError(error)) throw error;
    throw new JobFailed(job, error);
  }
}
