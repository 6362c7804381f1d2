// Lists runs: the part of the SQL that only the SQLite store uses.

import type { RunId, Seq } from "../../ids.ts";
import { idsIn } from "../common-queries.ts";
import type { RunListDialect } from "../run-lists.ts";
import type { Store } from "../store.ts";
import { NOT_QUARANTINED } from "./leases.ts";
import { firstHitQueries, searchConditions } from "./search.ts";
import type { Sql } from "./sql.ts";

export const runListDialect: RunListDialect = {
  blockers: (table) => `(SELECT value AS id FROM json_each(${table}.waiting_on, '$.blockers')) AS blocker`,
  searchConditions,
};

export const runReads = (sql: Sql): Pick<Store["runs"], "firstHits" | "orphans"> => ({
  firstHits: async (q, runs) => firstHits(sql, q, runs),
  orphans: async () => idsIn(sql.all(ORPHANS)),
});

/** Uses two small indexes first, so that only runs whose parent is not active are read. */
const ORPHANS = `SELECT id FROM runs AS child WHERE n IN (
    SELECT n FROM runs AS below INDEXED BY runs_alive_below WHERE ended_at IS NULL AND parent IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM runs INDEXED BY runs_alive WHERE id = below.parent AND ended_at IS NULL))
  AND (SELECT ended_at FROM runs WHERE id = child.parent) IS NOT NULL
  AND coalesce(waiting, '') <> 'quarantine' AND ${NOT_QUARANTINED}`;

/** The first event that contains all words. If there is none, the first event that contains any of them. */
function firstHits(sql: Sql, q: string, runs: readonly RunId[]): Map<RunId, Seq> {
  const hits = new Map<RunId, Seq>();
  for (const query of firstHitQueries(q)) {
    const open = runs.filter((id) => !hits.has(id));
    if (open.length === 0) break;
    for (const columns of sql.all(FIRST_HITS, JSON.stringify(open), query))
      hits.set(columns["id"] as string, columns["seq"] as number);
  }
  return hits;
}

const FIRST_HITS = `SELECT runs.id, min(events.seq) AS seq FROM events JOIN runs ON runs.n = events.run
  WHERE runs.id IN (SELECT value FROM json_each(?)) AND position IN (SELECT rowid FROM search WHERE search MATCH ?)
  GROUP BY runs.id`;
