// The rows that a batch works on. What this process knows from before counts only if nobody else has written since it was
// read, or if the row turns out to be as it was: keys and recent events are then not read again.

import { runNotFound } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { Payload } from "../../journal/events.ts";
import { initialRow } from "../../projections/folds/run-row.ts";
import { newRecord, type RunRecord } from "../run-record.ts";
import { changedRuns, newRuns, readKeys, readRuns } from "./run-rows.ts";
import { type Sql, type Write, writeTogether } from "./sql.ts";

export interface RowsParts {
  sql: Sql;
  /** Kept from batch to batch; cleared when one fails. */
  cache: Map<RunId, RunRecord>;
  /** Those of the cache that nobody else can have written to since they were read. */
  current: Set<RunId>;
  /** The highest number of a run. */
  runs: number;
  /** Of everything in this batch. */
  now: number;
}

export class RowsAtHand {
  readonly sql: Sql;
  readonly now: number;
  runs: number;
  private readonly cache: Map<RunId, RunRecord>;
  private readonly current: Set<RunId>;
  /** What was looked for in this batch: it is as the tables have it, or not there. */
  private readonly seen = new Set<RunId>();
  private readonly dirty = new Set<RunRecord>();
  /** Workers that were heard of in this batch. */
  readonly alive = new Set<string>();
  private aside: Set<RunId> | undefined;
  private readonly born = new Map<RunRecord, RunId | undefined>();

  constructor({ sql, cache, current, runs, now }: RowsParts) {
    this.sql = sql;
    this.cache = cache;
    this.current = current;
    this.runs = runs;
    this.now = now;
  }

  /** What the jobs of the batch are known to need, in one round trip each for rows and for keys. */
  async prefetch(rows: readonly RunId[], keys: readonly RunId[]): Promise<void> {
    await this.look([...rows, ...keys]);
    const held = [...new Set(keys)].flatMap((runId) => this.cache.get(runId) ?? []);
    await readKeys(
      this.sql,
      held.filter((each) => each.keys === undefined).map((each) => ({ held: each, after: 0 })),
    );
  }

  async load(runId: RunId): Promise<RunRecord> {
    const held = await this.find(runId);
    if (!held) throw runNotFound(runId);
    return held;
  }

  async find(runId: RunId): Promise<RunRecord | undefined> {
    await this.look([runId]);
    return this.cache.get(runId);
  }

  /** The seq of every key of a run: read once, and kept while the run is under way. An index would cost every event. */
  async keysOf(held: RunRecord): Promise<Map<string, number>> {
    if (held.keys === undefined) await readKeys(this.sql, [{ held, after: 0 }]);
    return held.keys!;
  }

  async hasKey(held: RunRecord, key: string): Promise<boolean> {
    return (await this.keysOf(held)).has(key);
  }

  /** A run without events yet: it is written with the others, and not read back. */
  admitted(runId: RunId, start: Payload<"RUN_STARTED">, place: "held" | "none", at = this.now): RunRecord {
    const held = newRecord(++this.runs, { ...initialRow(runId, start, at), seq: 0 });
    held.place = place;
    this.cache.set(runId, held);
    this.seen.add(runId);
    this.current.add(runId);
    this.born.set(held, start.continues?.runId);
    return held;
  }

  /** Runs that are in quarantine: few, and asked for by every driver. */
  async setAside(): Promise<Set<RunId>> {
    this.aside ??= new Set((await this.sql.all("SELECT run FROM quarantine")).map(({ run }) => run as RunId));
    return this.aside;
  }

  /** For a caller that changes a row itself. */
  touch(held: RunRecord): void {
    this.dirty.add(held);
  }

  /** A run that is there no more. */
  forget(runId: RunId): void {
    const held = this.cache.get(runId);
    if (held) this.dirty.delete(held);
    this.cache.delete(runId);
  }

  /** Before a query over several runs: it must see what this batch has done to them. */
  async writeRows(): Promise<void> {
    await writeTogether(this.sql, this.takeRows());
  }

  protected takeRows(): Write[] {
    const { born, dirty } = this;
    for (const held of born.keys()) dirty.delete(held);
    const writes = [newRuns(born), changedRuns(dirty)];
    born.clear();
    dirty.clear();
    return writes;
  }

  private async look(runIds: readonly RunId[]): Promise<void> {
    const { cache, seen, current } = this;
    const missing = new Set(
      runIds.filter((runId) => !seen.has(runId) && !(current.has(runId) && cache.has(runId))),
    );
    if (missing.size === 0) return;
    const found = new Map((await readRuns(this.sql, [...missing])).map((held) => [held.row.id, held]));
    const behind: { held: RunRecord; after: number }[] = [];
    for (const runId of missing) {
      seen.add(runId);
      current.add(runId);
      const known = cache.get(runId);
      const held = found.get(runId);
      cache.delete(runId);
      if (held) cache.set(runId, held);
      if (!held || known?.n !== held.n) continue;
      held.keys = known.keys;
      if (known.hash === held.hash)
        Object.assign(held, { recent: known.recent, characters: known.characters });
      else if (held.keys) behind.push({ held, after: known.row.seq });
    }
    await readKeys(this.sql, behind);
  }
}
