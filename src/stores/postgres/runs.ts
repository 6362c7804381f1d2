// Lists runs: the part of the SQL that only the Postgres store uses.

import { idsIn } from "../common-queries.ts";
import type { RunListDialect } from "../run-lists.ts";
import type { Store } from "../store.ts";
import { NOT_QUARANTINED } from "./leases.ts";
import { firstHitQueries, searchConditions } from "./search.ts";
import type { Read } from "./sql.ts";

export const runListDialect: RunListDialect = {
  blockers: (table) => `json_array_elements_text(${table}.waiting_on::json -> 'blockers') AS blocker (id)`,
  searchConditions,
};

export const runReads = (read: Read): Pick<Store["runs"], "firstHits" | "orphans"> => ({
  /** The first event that contains all words. If there is none, the first event that contains any of them. */
  firstHits: (q, runs) =>
    read(async (sql) => {
      const queries = firstHitQueries(q);
      const rows = queries ? await sql.all(FIRST_HITS, runs, queries.any, queries.all) : [];
      return new Map(rows.map((columns) => [columns["id"] as string, columns["seq"] as number]));
    }),
  orphans: () => read(async (sql) => idsIn(await sql.all(ORPHANS))),
});

const FIRST_HITS = `SELECT DISTINCT ON (runs.id) runs.id, events.seq
  FROM runs JOIN search ON search.run = runs.n JOIN events ON events.position = search.position
  WHERE runs.id = ANY($1) AND search.words @@ $2::tsquery
  ORDER BY runs.id, search.words @@ $3::tsquery DESC, events.seq`;

const ORPHANS = `SELECT runs.id FROM runs JOIN runs AS above ON above.id = runs.parent
  WHERE runs.ended_at IS NULL AND runs.parent IS NOT NULL AND above.ended_at IS NOT NULL
    AND runs.waiting IS DISTINCT FROM 'quarantine' AND ${NOT_QUARANTINED}`;
