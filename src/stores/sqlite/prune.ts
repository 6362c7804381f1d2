// The statements that find and delete whole trees (transaction/prune.ts).

import { setImmediate as pause } from "node:timers/promises";
import type { Position, RunId } from "../../ids.ts";
import type { PruneFilter } from "../store.ts";
import type { OutsideReads } from "../transaction/prune.ts";
import { forgetWords } from "./search.ts";
import { type Sql, setMeta } from "./sql.ts";

export const pruneReads = (sql: Sql, freshBlobs: ReadonlySet<string>): OutsideReads => ({
  prunable: (filter, below, limit) => prunable(sql, filter, below, limit),
  continuedBy: (root) => continuedBy(sql, root),
  hasPruned: () => nextPruned(sql) !== undefined,
  async sizes(root) {
    const sizes = [];
    for (const { n } of sql.all("SELECT n FROM runs WHERE root = ?", root)) {
      const { events, bytes } = sql.get(SIZE, n!)! as { events: number; bytes: number };
      sizes.push({ n: n as number, events, bytes });
      await pause();
    }
    return sizes;
  },
  blobs: (after, limit, except) =>
    sql.all(BLOBS, JSON.stringify(except), after, limit).map(({ hash, bytes, needed }) => ({
      name: hash as string,
      bytes: bytes as number,
      isNeeded: needed === 1 || freshBlobs.has(hash as string),
    })),
});

export function prunable(sql: Sql, filter: PruneFilter, below: number, limit: number) {
  const { before = Number.MAX_SAFE_INTEGER, status, root, workspace } = filter;
  const conditions = [
    "n < ? AND root = id AND ended_at < ?",
    "NOT EXISTS (SELECT 1 FROM runs WHERE root = tree.id AND (ended_at IS NULL OR ended_at >= ?))",
    "NOT EXISTS (SELECT 1 FROM runs WHERE budget = tree.budget AND ended_at IS NULL)",
    ...(status === undefined ? [] : [`status IN (${status.map(() => "?").join(", ")})`]),
    ...(root === undefined ? [] : ["id = ?"]),
    ...(workspace === undefined ? [] : ["born ->> '$.workspace' = ?"]),
  ];
  const values = [below, before, before, ...(status ?? []), root, workspace, limit];
  return sql.all(
    `SELECT n, id FROM runs AS tree WHERE ${conditions.join(" AND ")} ORDER BY n DESC LIMIT ?`,
    ...values.filter((value) => value !== undefined),
  ) as { n: number; id: RunId }[];
}

export const continuedBy = (sql: Sql, root: RunId): RunId[] =>
  sql
    .all(
      `SELECT DISTINCT root FROM runs
       WHERE continues IN (SELECT id FROM runs WHERE root = ?1) AND root <> ?1`,
      root,
    )
    .map((columns) => columns["root"] as RunId);

/** The runs that it had. */
export function deleteTree(sql: Sql, root: RunId, position: Position): RunId[] {
  const runs = sql.all("SELECT n, id FROM runs WHERE root = ?", root) as { n: number; id: RunId }[];
  for (const { n, id } of runs) {
    sql.run("INSERT INTO pruned (run, id) VALUES (?, ?)", n, id);
    sql.run("DELETE FROM approvals WHERE run = ?", n);
    sql.run("UPDATE grants SET run_id = ?, run = 0 WHERE run = ?", id, n);
    sql.run("DELETE FROM idempotency WHERE run = ?", id);
    sql.run("DELETE FROM quarantine WHERE run = ?", id);
  }
  sql.run("DELETE FROM budgets WHERE root = ?", root);
  sql.run("DELETE FROM tree_usages WHERE root = ?", root);
  sql.run("DELETE FROM runs WHERE root = ?", root);
  // The highest position may be among those that go: it is not given again.
  setMeta(sql, "position", String(position));
  return runs.map(({ id }) => id);
}

export function nextPruned(sql: Sql): { n: number; id: RunId } | undefined {
  return sql.get("SELECT run AS n, id FROM pruned ORDER BY run DESC LIMIT 1") as
    | { n: number; id: RunId }
    | undefined;
}

export const deleteMessages = (sql: Sql, runId: RunId, limit: number): number =>
  sql.run(
    "DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE metadata_json ->> '$.run_id' = ? LIMIT ?)",
    runId,
    limit,
  );

/** Their sizes. */
export function deleteEvents(sql: Sql, n: number, limit: number): number[] {
  const deleted = sql.all(
    `DELETE FROM events WHERE position IN (SELECT position FROM events WHERE run = ? LIMIT ?)
     RETURNING position, octet_length(payload) AS bytes`,
    n,
    limit,
  ) as { position: Position; bytes: number }[];
  forgetWords(
    sql,
    deleted.map(({ position }) => position),
  );
  return deleted.map(({ bytes }) => bytes);
}

export function finishPruned(sql: Sql, n: number, runId: RunId): void {
  sql.run("DELETE FROM refs WHERE run = ?", n);
  sql.run("DELETE FROM recordings WHERE run = ?", runId);
  sql.run("DELETE FROM pruned WHERE run = ?", n);
}

/** Their sizes together. */
export function deleteBlobs(sql: Sql, names: readonly string[], freshBlobs: ReadonlySet<string>): number {
  let freed = 0;
  for (const name of names) {
    const deleted = freshBlobs.has(name) ? undefined : sql.get(DELETE_BLOB, name);
    freed += (deleted?.["bytes"] as number | undefined) ?? 0;
  }
  return freed;
}

const SIZE =
  "SELECT count(*) AS events, coalesce(sum(octet_length(payload)), 0) AS bytes FROM events WHERE run = ?";

const BLOBS = `SELECT hash, octet_length(text) AS bytes, EXISTS (
    SELECT 1 FROM refs WHERE refs.hash = blobs.hash AND run NOT IN (SELECT value FROM json_each(?))) AS needed
  FROM blobs WHERE hash > ? ORDER BY hash LIMIT ?`;

const DELETE_BLOB = `DELETE FROM blobs WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM refs WHERE refs.hash = ?1)
  RETURNING octet_length(text) AS bytes`;
