// The pruning statements that only the SQLite store uses.

import { setImmediate as pause } from "node:timers/promises";
import type { Position, RunId } from "../../ids.ts";
import { deleteTreeRows, findContinuing, findNextPruned, findPrunable } from "../prune-queries.ts";
import type { OutsideReads } from "../transaction/prune.ts";
import { runNow } from "../transaction/transaction.ts";
import { forgetWords } from "./search.ts";
import { type Sql, setMeta } from "./sql.ts";

export const WORKSPACE = "born ->> '$.workspace'";

export const pruneReads = (sql: Sql, freshBlobs: ReadonlySet<string>): OutsideReads => ({
  prunable: (filter, below, limit) => findPrunable(sql, filter, { below, limit, workspaceColumn: WORKSPACE }),
  continuedBy: (root) => findContinuing(sql, root),
  hasPruned: () => findNextPruned(sql) !== undefined,
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

export function deleteTree(sql: Sql, root: RunId, position: Position): RunId[] {
  // The highest position might belong to the deleted events. It must not be used again.
  setMeta(sql, "position", String(position));
  return runNow(deleteTreeRows(sql, root));
}

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
