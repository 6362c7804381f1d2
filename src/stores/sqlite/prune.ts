// Deletes whole trees. First a tree's rows go, in one transaction: from then on it is not there, whatever happens. Its
// events, messages and blobs follow in transactions of bounded size, so that no append waits long; what a crash leaves
// behind is deleted by the next prune.

import { setImmediate as pause } from "node:timers/promises";
import type { Position, RunId } from "../../ids.ts";
import type { PruneFilter, PruneResult } from "../store.ts";
import type { Batch } from "./batch.ts";
import { forgetWords } from "./search.ts";
import { type Sql, setMeta } from "./sql.ts";

/** Rows that one transaction deletes. */
const AT_ONCE = 500;
const TREES_AT_ONCE = 50;
const BLOBS_AT_ONCE = 1_000;

export interface PruneParts {
  sql: Sql;
  write<T>(apply: (batch: Batch) => T): Promise<T>;
  /** Blobs that an append is about to need. */
  fresh: ReadonlySet<string>;
}

export async function prune(filter: PruneFilter, parts: PruneParts): Promise<PruneResult> {
  return filter.dryRun ? look(filter, parts) : remove(filter, parts);
}

async function remove(filter: PruneFilter, parts: PruneParts): Promise<PruneResult> {
  const { sql, write } = parts;
  const total = { trees: 0, runs: 0, events: 0, bytes: 0 };
  await sweep(parts);
  for (const page of pagesOf(sql, filter)) {
    const dropped = await write((batch) => page.map((root) => dropTree(sql, root, filter, batch)));
    for (const runs of dropped) {
      total.runs += runs;
      if (runs > 0) total.trees++;
    }
    const swept = await sweep(parts);
    total.events += swept.events;
    total.bytes += swept.bytes;
  }
  total.bytes += await dropBlobs(parts);
  return total;
}

async function look(filter: PruneFilter, { sql, fresh }: PruneParts): Promise<PruneResult> {
  const total = { trees: 0, runs: 0, events: 0, bytes: 0 };
  const gone = new Set<RunId>();
  const numbers: number[] = [];
  for (const root of [...pagesOf(sql, filter)].flat()) {
    if (isContinued(sql, root, gone)) continue;
    gone.add(root);
    total.trees++;
    for (const { n } of sql.all("SELECT n FROM runs WHERE root = ?", root) as { n: number }[]) {
      const size = sql.get(
        "SELECT count(*) AS events, coalesce(sum(octet_length(payload)), 0) AS bytes FROM events WHERE run = ?",
        n,
      ) as { events: number; bytes: number };
      numbers.push(n);
      total.runs++;
      total.events += size.events;
      total.bytes += size.bytes;
      await pause();
    }
  }
  for await (const page of unusedBlobs(sql, numbers, fresh))
    for (const { bytes } of page) total.bytes += bytes;
  return total;
}

/** Newest first: so a run goes before the one that it continues. */
function* pagesOf(sql: Sql, filter: PruneFilter): Generator<RunId[], void> {
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const page = candidates(sql, filter, below);
    if (page.length > 0) yield page.map(({ id }) => id);
    if (page.length < TREES_AT_ONCE) return;
    below = page.at(-1)!.n;
  }
}

function candidates(sql: Sql, filter: PruneFilter, below: number): { n: number; id: RunId }[] {
  const { before = Number.MAX_SAFE_INTEGER, status, root, workspace } = filter;
  const conditions = [
    "n < ? AND root = id AND ended_at < ?",
    "NOT EXISTS (SELECT 1 FROM runs WHERE root = tree.id AND (ended_at IS NULL OR ended_at >= ?))",
    "NOT EXISTS (SELECT 1 FROM runs WHERE budget = tree.budget AND ended_at IS NULL)",
    ...(status === undefined ? [] : [`status IN (${status.map(() => "?").join(", ")})`]),
    ...(root === undefined ? [] : ["id = ?"]),
    ...(workspace === undefined ? [] : ["born ->> '$.workspace' = ?"]),
  ];
  const values = [below, before, before, ...(status ?? []), root, workspace, TREES_AT_ONCE];
  return sql.all(
    `SELECT n, id FROM runs AS tree WHERE ${conditions.join(" AND ")} ORDER BY n DESC LIMIT ?`,
    ...values.filter((value) => value !== undefined),
  ) as { n: number; id: RunId }[];
}

const isCandidate = (sql: Sql, filter: PruneFilter, root: RunId): boolean =>
  candidates(sql, { ...filter, root }, Number.MAX_SAFE_INTEGER).length > 0;

/** By a run of another tree that stays. */
function isContinued(sql: Sql, root: RunId, gone: ReadonlySet<RunId>): boolean {
  const continuing = sql.all(
    `SELECT DISTINCT root FROM runs
     WHERE continues IN (SELECT id FROM runs WHERE root = ?1) AND root <> ?1`,
    root,
  );
  return continuing.some((columns) => !gone.has(columns["root"] as RunId));
}

/** How many runs it had; none: something holds it now, so it stays. */
function dropTree(sql: Sql, root: RunId, filter: PruneFilter, batch: Batch): number {
  batch.writeRows();
  if (!isCandidate(sql, filter, root) || isContinued(sql, root, NOTHING)) return 0;
  const runs = sql.all("SELECT n, id FROM runs WHERE root = ?", root);
  for (const { n, id } of runs as { n: number; id: RunId }[]) {
    sql.run("INSERT INTO pruned (run, id) VALUES (?, ?)", n, id);
    sql.run("DELETE FROM approvals WHERE run = ?", n);
    sql.run("UPDATE grants SET run_id = ?, run = 0 WHERE run = ?", id, n);
    sql.run("DELETE FROM idempotency WHERE run = ?", id);
    sql.run("DELETE FROM quarantine WHERE run = ?", id);
    batch.forget(id);
  }
  sql.run("DELETE FROM budgets WHERE root = ?", root);
  sql.run("DELETE FROM tree_usages WHERE root = ?", root);
  sql.run("DELETE FROM runs WHERE root = ?", root);
  // The highest position may be among those that go: it is not given again.
  setMeta(sql, "position", String(batch.position));
  return runs.length;
}

const NOTHING: ReadonlySet<RunId> = new Set();

async function sweep({ sql, write }: PruneParts): Promise<{ events: number; bytes: number }> {
  const total = { events: 0, bytes: 0 };
  while (sql.get("SELECT 1 FROM pruned LIMIT 1")) {
    const swept = await write(() => sweepSome(sql));
    total.events += swept.events;
    total.bytes += swept.bytes;
  }
  return total;
}

/** Children before their parents, as their messages refer to those of their parents. */
function sweepSome(sql: Sql): { events: number; bytes: number } {
  const total = { events: 0, bytes: 0 };
  for (let left = AT_ONCE; left > 0; left--) {
    const next = sql.get("SELECT run, id FROM pruned ORDER BY run DESC LIMIT 1");
    if (!next) break;
    const { run, id } = next as { run: number; id: RunId };
    left -= sql.run(
      "DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE metadata_json ->> '$.run_id' = ? LIMIT ?)",
      id,
      left,
    );
    const events = sql.all(
      `DELETE FROM events WHERE position IN (SELECT position FROM events WHERE run = ? LIMIT ?)
       RETURNING position, octet_length(payload) AS bytes`,
      run,
      Math.max(0, left),
    ) as { position: Position; bytes: number }[];
    forgetWords(
      sql,
      events.map(({ position }) => position),
    );
    left -= events.length;
    total.events += events.length;
    for (const { bytes } of events) total.bytes += bytes;
    if (left <= 0) break;
    sql.run("DELETE FROM refs WHERE run = ?", run);
    sql.run("DELETE FROM recordings WHERE run = ?", id);
    sql.run("DELETE FROM pruned WHERE run = ?", run);
  }
  return total;
}

/** The bytes that went. Looked at again when they are deleted: an append may need one by now. */
async function dropBlobs({ sql, write, fresh }: PruneParts): Promise<number> {
  let freed = 0;
  for await (const page of unusedBlobs(sql, [], fresh)) {
    const bytes = await write(() => page.map(({ hash, bytes }) => (dropBlob(sql, hash, fresh) ? bytes : 0)));
    freed += bytes.reduce((sum, each) => sum + each, 0);
  }
  return freed;
}

const dropBlob = (sql: Sql, hash: string, fresh: ReadonlySet<string>): boolean =>
  !fresh.has(hash) &&
  sql.run(
    "DELETE FROM blobs WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM refs WHERE refs.hash = ?1)",
    hash,
  ) > 0;

/** Pages of blobs that nobody needs but, perhaps, these runs. */
async function* unusedBlobs(sql: Sql, runs: readonly number[], fresh: ReadonlySet<string>) {
  const but = JSON.stringify(runs);
  for (let after = ""; ; ) {
    const page = sql.all(
      `SELECT hash, octet_length(text) AS bytes, EXISTS (
         SELECT 1 FROM refs WHERE refs.hash = blobs.hash AND run NOT IN (SELECT value FROM json_each(?))) AS needed
       FROM blobs WHERE hash > ? ORDER BY hash LIMIT ?`,
      but,
      after,
      BLOBS_AT_ONCE,
    ) as { hash: string; bytes: number; needed: number }[];
    const unused = page.filter(({ hash, needed }) => needed === 0 && !fresh.has(hash));
    if (unused.length > 0) yield unused;
    if (page.length < BLOBS_AT_ONCE) return;
    after = page.at(-1)!.hash;
    await pause();
  }
}
