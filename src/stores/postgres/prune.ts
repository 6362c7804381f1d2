// Deletes whole trees. First a tree's rows go, in one transaction: from then on it is not there, whatever happens. Its
// events, messages and blobs follow in transactions of bounded size, so that no append waits long; what a crash leaves
// behind is deleted by the next prune.

import type { RunId } from "../../ids.ts";
import type { PruneFilter, PruneResult } from "../store.ts";
import type { Batch } from "./batch.ts";
import type { Sql, Value } from "./sql.ts";

/** Rows that one transaction deletes. */
const AT_ONCE = 500;
const TREES_AT_ONCE = 50;
const BLOBS_AT_ONCE = 1_000;

export interface PruneParts {
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  write<T>(apply: (batch: Batch) => Promise<T>): Promise<T>;
}

export async function prune(filter: PruneFilter, parts: PruneParts): Promise<PruneResult> {
  return filter.dryRun ? look(filter, parts) : remove(filter, parts);
}

async function remove(filter: PruneFilter, parts: PruneParts): Promise<PruneResult> {
  const { write } = parts;
  const total = { trees: 0, runs: 0, events: 0, bytes: 0 };
  await sweep(parts);
  // Of processes that were not heard of again.
  await write(({ sql, now }) => sql.run("DELETE FROM fresh WHERE until <= $1", now));
  for await (const page of pagesOf(parts, filter)) {
    for (const root of page) {
      const runs = await write((batch) => dropTree(root, filter, batch));
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

async function look(filter: PruneFilter, parts: PruneParts): Promise<PruneResult> {
  const { read } = parts;
  const total = { trees: 0, runs: 0, events: 0, bytes: 0 };
  const gone = new Set<RunId>();
  const numbers: number[] = [];
  for await (const page of pagesOf(parts, filter)) {
    for (const root of page) {
      if (await read((sql) => isContinued(sql, root, gone))) continue;
      gone.add(root);
      total.trees++;
      for (const { n, events, bytes } of await read((sql) => sql.all(SIZES, root))) {
        numbers.push(n as number);
        total.runs++;
        total.events += events as number;
        total.bytes += bytes as number;
      }
    }
  }
  for await (const blobs of unusedBlobs(parts, numbers)) for (const { bytes } of blobs) total.bytes += bytes;
  return total;
}

const SIZES = `SELECT runs.n, count(events.position) AS events, coalesce(sum(octet_length(events.payload)), 0) AS bytes
  FROM runs LEFT JOIN events ON events.run = runs.n WHERE runs.root = $1 GROUP BY runs.n`;

/** Newest first: so a run goes before the one that it continues. */
async function* pagesOf({ read }: PruneParts, filter: PruneFilter): AsyncGenerator<RunId[], void> {
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await read((sql) => candidates(sql, filter, below));
    if (page.length > 0) yield page.map(({ id }) => id);
    if (page.length < TREES_AT_ONCE) return;
    below = page.at(-1)!.n;
  }
}

async function candidates(sql: Sql, filter: PruneFilter, below: number): Promise<{ n: number; id: RunId }[]> {
  const { before = Number.MAX_SAFE_INTEGER, status, root, workspace } = filter;
  const given: [sql: (place: string) => string, value: Value | undefined][] = [
    [(place) => `n < ${place} AND root = id`, below],
    [
      (place) => `ended_at < ${place} AND NOT EXISTS (
        SELECT 1 FROM runs WHERE root = tree.id AND (ended_at IS NULL OR ended_at >= ${place}))`,
      before,
    ],
    [(place) => `status = ANY(${place})`, status],
    [(place) => `id = ${place}`, root],
    [(place) => `workspace = ${place}`, workspace],
  ];
  const conditions = given.filter(([, value]) => value !== undefined);
  const found = await sql.all(
    `SELECT n, id FROM runs AS tree WHERE ${conditions.map(([text], index) => text(`$${index + 1}`)).join(" AND ")}
       AND NOT EXISTS (SELECT 1 FROM runs WHERE budget = tree.budget AND ended_at IS NULL)
     ORDER BY n DESC LIMIT ${TREES_AT_ONCE}`,
    ...conditions.map(([, value]) => value!),
  );
  return found as { n: number; id: RunId }[];
}

/** By a run of another tree that stays. */
async function isContinued(sql: Sql, root: RunId, gone: ReadonlySet<RunId>): Promise<boolean> {
  const continuing = await sql.all(
    `SELECT DISTINCT root FROM runs WHERE continues IN (SELECT id FROM runs WHERE root = $1) AND root <> $1`,
    root,
  );
  return continuing.some((columns) => !gone.has(columns["root"] as RunId));
}

/** How many runs it had; none: something holds it now, so it stays. */
async function dropTree(root: RunId, filter: PruneFilter, batch: Batch): Promise<number> {
  const { sql } = batch;
  await batch.writeRows();
  const stays = (await candidates(sql, { ...filter, root }, Number.MAX_SAFE_INTEGER)).length === 0;
  if (stays || (await isContinued(sql, root, new Set()))) return 0;
  for (const text of DROP_TREE) await sql.run(text, root);
  const dropped = await sql.all("DELETE FROM runs WHERE root = $1 RETURNING id", root);
  for (const { id } of dropped) batch.forget(id as RunId);
  return dropped.length;
}

const DROP_TREE = [
  "INSERT INTO pruned (run, id) SELECT n, id FROM runs WHERE root = $1",
  "DELETE FROM approvals WHERE run IN (SELECT n FROM runs WHERE root = $1)",
  "UPDATE grants SET run_id = runs.id, run = 0 FROM runs WHERE runs.root = $1 AND grants.run = runs.n",
  "DELETE FROM idempotency WHERE run IN (SELECT id FROM runs WHERE root = $1)",
  "DELETE FROM quarantine WHERE run IN (SELECT id FROM runs WHERE root = $1)",
  "DELETE FROM budgets WHERE root = $1",
  "DELETE FROM tree_usages WHERE root = $1",
];

async function sweep({ read, write }: PruneParts): Promise<{ events: number; bytes: number }> {
  const total = { events: 0, bytes: 0 };
  while ((await read((sql) => sql.get("SELECT 1 FROM pruned LIMIT 1"))) !== undefined) {
    const swept = await write(({ sql }) => sweepSome(sql));
    total.events += swept.events;
    total.bytes += swept.bytes;
  }
  return total;
}

/** Children before their parents, as their messages refer to those of their parents. */
async function sweepSome(sql: Sql): Promise<{ events: number; bytes: number }> {
  const total = { events: 0, bytes: 0 };
  for (let left = AT_ONCE; left > 0; left--) {
    const next = await sql.get("SELECT run, id FROM pruned ORDER BY run DESC LIMIT 1");
    if (!next) break;
    const { run, id } = next as { run: number; id: RunId };
    left -= await sql.run(
      "DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE run = $1 LIMIT $2)",
      id,
      left,
    );
    const events = await sql.all(SWEEP_EVENTS, run, Math.max(0, left));
    left -= events.length;
    total.events += events.length;
    for (const { bytes } of events) total.bytes += bytes as number;
    if (left <= 0) break;
    await sql.run("DELETE FROM search WHERE run = $1", run);
    await sql.run("DELETE FROM refs WHERE run = $1", run);
    await sql.run("DELETE FROM recordings WHERE run = $1", id);
    await sql.run("DELETE FROM pruned WHERE run = $1", run);
  }
  return total;
}

const SWEEP_EVENTS = `DELETE FROM events WHERE position IN (SELECT position FROM events WHERE run = $1 LIMIT $2)
  RETURNING octet_length(payload) AS bytes`;

/** The bytes that went. Looked at again when they are deleted: an append may need one by now. */
async function dropBlobs(parts: PruneParts): Promise<number> {
  let freed = 0;
  for await (const page of unusedBlobs(parts, [])) {
    const hashes = page.map(({ hash }) => hash);
    const gone = await parts.write(({ sql }) => sql.all(DROP_BLOBS, hashes));
    for (const { bytes } of gone) freed += bytes as number;
  }
  return freed;
}

const DROP_BLOBS = `DELETE FROM blobs WHERE hash = ANY($1)
    AND NOT EXISTS (SELECT 1 FROM refs WHERE refs.hash = blobs.hash)
    AND NOT EXISTS (SELECT 1 FROM fresh WHERE fresh.hash = blobs.hash)
  RETURNING octet_length(text) AS bytes`;

/** Pages of blobs that nobody needs but, perhaps, these runs. */
async function* unusedBlobs({ read }: PruneParts, but: readonly number[]) {
  for (let after = ""; ; ) {
    const page = (await read((sql) => sql.all(BLOBS, but, after, BLOBS_AT_ONCE))) as BlobRow[];
    const unused = page.filter(({ needed }) => !needed);
    if (unused.length > 0) yield unused;
    if (page.length < BLOBS_AT_ONCE) return;
    after = page.at(-1)!.hash;
  }
}

interface BlobRow extends Record<string, unknown> {
  hash: string;
  bytes: number;
  needed: boolean;
}

const BLOBS = `SELECT hash, octet_length(text) AS bytes,
    EXISTS (SELECT 1 FROM refs WHERE refs.hash = blobs.hash AND run <> ALL($1::bigint[]))
      OR EXISTS (SELECT 1 FROM fresh WHERE fresh.hash = blobs.hash) AS needed
  FROM blobs WHERE hash COLLATE "C" > $2 ORDER BY hash COLLATE "C" LIMIT $3`;
