// The pruning statements that only the Postgres store uses.

import { deleteLastRows, findContinuing, findNextPruned, findPrunable } from "../prune-queries.ts";
import type { OutsideReads } from "../transaction/prune.ts";
import { runLater } from "../transaction/transaction.ts";
import type { Sql } from "./sql.ts";

export const pruneReads = (sql: Sql): OutsideReads => ({
  prunable: (filter, below, limit) =>
    findPrunable(sql, filter, { below, limit, workspaceColumn: "workspace" }),
  continuedBy: (root) => findContinuing(sql, root),
  hasPruned: async () => (await findNextPruned(sql)) !== undefined,
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

export async function deleteEvents(sql: Sql, n: number, limit: number): Promise<number[]> {
  const deleted = await sql.all(
    `DELETE FROM events WHERE position IN (SELECT position FROM events WHERE run = $1 LIMIT $2)
     RETURNING octet_length(payload) AS bytes`,
    n,
    limit,
  );
  return deleted.map(({ bytes }) => bytes as number);
}

export async function finishPruned(sql: Sql, n: number): Promise<void> {
  await sql.run("DELETE FROM search WHERE run = $1", n);
  await runLater(deleteLastRows(sql, n));
}

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
