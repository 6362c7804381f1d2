// The statements that find and delete whole trees (transaction/prune.ts).

import type { RunId } from "../../ids.ts";
import type { PruneFilter } from "../store.ts";
import type { OutsideReads } from "../transaction/prune.ts";
import type { Sql, Value } from "./sql.ts";

export const pruneReads = (sql: Sql): OutsideReads => ({
  prunable: (filter, below, limit) => prunable(sql, filter, below, limit),
  continuedBy: (root) => continuedBy(sql, root),
  hasPruned: async () => (await nextPruned(sql)) !== undefined,
  async sizes(root) {
    return (await sql.all(SIZES, root)) as { n: number; events: number; bytes: number }[];
  },
  async blobs(after, limit, except) {
    const found = await sql.all(BLOBS, except, after, limit);
    return found.map(({ hash, bytes, needed }) => ({
      name: hash as string,
      bytes: bytes as number,
      isNeeded: needed as boolean,
    }));
  },
});

export async function prunable(
  sql: Sql,
  filter: PruneFilter,
  below: number,
  limit: number,
): Promise<{ n: number; id: RunId }[]> {
  const { before = Number.MAX_SAFE_INTEGER, status, root, workspace } = filter;
  const given: [sql: (mark: string) => string, value: Value | undefined][] = [
    [(mark) => `n < ${mark} AND root = id`, below],
    [
      (mark) => `ended_at < ${mark} AND NOT EXISTS (
        SELECT 1 FROM runs WHERE root = tree.id AND (ended_at IS NULL OR ended_at >= ${mark}))`,
      before,
    ],
    [(mark) => `status = ANY(${mark})`, status],
    [(mark) => `id = ${mark}`, root],
    [(mark) => `workspace = ${mark}`, workspace],
  ];
  const conditions = given.filter(([, value]) => value !== undefined);
  const texts = conditions.map(([text], index) => text(`$${index + 1}`));
  const found = await sql.all(
    `SELECT n, id FROM runs AS tree WHERE ${texts.join(" AND ")}
       AND NOT EXISTS (SELECT 1 FROM runs WHERE budget = tree.budget AND ended_at IS NULL)
     ORDER BY n DESC LIMIT $${conditions.length + 1}`,
    ...conditions.map(([, value]) => value!),
    limit,
  );
  return found as { n: number; id: RunId }[];
}

export async function continuedBy(sql: Sql, root: RunId): Promise<RunId[]> {
  const found = await sql.all(
    `SELECT DISTINCT root FROM runs WHERE continues IN (SELECT id FROM runs WHERE root = $1) AND root <> $1`,
    root,
  );
  return found.map((columns) => columns["root"] as RunId);
}

/** The runs that it had. */
export async function deleteTree(sql: Sql, root: RunId): Promise<RunId[]> {
  for (const text of DELETE_TREE) await sql.run(text, root);
  const deleted = await sql.all("DELETE FROM runs WHERE root = $1 RETURNING id", root);
  return deleted.map(({ id }) => id as RunId);
}

const DELETE_TREE = [
  "INSERT INTO pruned (run, id) SELECT n, id FROM runs WHERE root = $1",
  "DELETE FROM approvals WHERE run IN (SELECT n FROM runs WHERE root = $1)",
  "UPDATE grants SET run_id = runs.id, run = 0 FROM runs WHERE runs.root = $1 AND grants.run = runs.n",
  "DELETE FROM idempotency WHERE run IN (SELECT id FROM runs WHERE root = $1)",
  "DELETE FROM quarantine WHERE run IN (SELECT id FROM runs WHERE root = $1)",
  "DELETE FROM budgets WHERE root = $1",
  "DELETE FROM tree_usages WHERE root = $1",
];

export async function nextPruned(sql: Sql): Promise<{ n: number; id: RunId } | undefined> {
  const next = await sql.get("SELECT run AS n, id FROM pruned ORDER BY run DESC LIMIT 1");
  return next as { n: number; id: RunId } | undefined;
}

export const deleteMessages = (sql: Sql, runId: RunId, limit: number): Promise<number> =>
  sql.run("DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE run = $1 LIMIT $2)", runId, limit);

/** Their sizes. */
export async function deleteEvents(sql: Sql, n: number, limit: number): Promise<number[]> {
  const deleted = await sql.all(
    `DELETE FROM events WHERE position IN (SELECT position FROM events WHERE run = $1 LIMIT $2)
     RETURNING octet_length(payload) AS bytes`,
    n,
    limit,
  );
  return deleted.map(({ bytes }) => bytes as number);
}

export async function finishPruned(sql: Sql, n: number, runId: RunId): Promise<void> {
  await sql.run("DELETE FROM search WHERE run = $1", n);
  await sql.run("DELETE FROM refs WHERE run = $1", n);
  await sql.run("DELETE FROM recordings WHERE run = $1", runId);
  await sql.run("DELETE FROM pruned WHERE run = $1", n);
}

/** Their sizes together. */
export async function deleteBlobs(sql: Sql, names: readonly string[]): Promise<number> {
  const deleted = await sql.all(DELETE_BLOBS, names);
  return deleted.reduce((sum, { bytes }) => sum + (bytes as number), 0);
}

const DELETE_BLOBS = `DELETE FROM blobs WHERE hash = ANY($1)
    AND NOT EXISTS (SELECT 1 FROM refs WHERE refs.hash = blobs.hash)
    AND NOT EXISTS (SELECT 1 FROM fresh WHERE fresh.hash = blobs.hash)
  RETURNING octet_length(text) AS bytes`;

const SIZES = `SELECT runs.n, count(events.position) AS events, coalesce(sum(octet_length(events.payload)), 0) AS bytes
  FROM runs LEFT JOIN events ON events.run = runs.n WHERE runs.root = $1 GROUP BY runs.n`;

const BLOBS = `SELECT hash, octet_length(text) AS bytes,
    EXISTS (SELECT 1 FROM refs WHERE refs.hash = blobs.hash AND run <> ALL($1::bigint[]))
      OR EXISTS (SELECT 1 FROM fresh WHERE fresh.hash = blobs.hash) AS needed
  FROM blobs WHERE hash COLLATE "C" > $2 ORDER BY hash COLLATE "C" LIMIT $3`;
