// Lists of runs and sessions: which ones match, how many do, and where words were found in them.

import type { RunId, Seq } from "../../ids.ts";
import { ANSWERED_BY_ITEMS } from "../../projections/folds/approvals.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { markQuarantined, optional } from "../columns.ts";
import { readRow } from "../run-record.ts";
import type { RunFilter, SessionRow, Store } from "../store.ts";
import { NOT_QUARANTINED } from "./leases.ts";
import { firstHitQueries, searchConditions } from "./search.ts";
import type { Read, Sql, Value } from "./sql.ts";

const DEFAULT_PAGE = 50;

const ITEM_KINDS = [...ANSWERED_BY_ITEMS].map((kind) => `'${kind}'`).join(", ");

type Reads = Pick<Store["runs"], "get" | "list" | "count" | "firstHits" | "sessions" | "orphans">;

/** `indexWords` brings the search index up to date. */
export function runReads(read: Read, indexWords: () => Promise<void>): Reads {
  return {
    get: async (runId) => (await read((sql) => rowsWhere(sql, "WHERE runs.id = $1", [runId])))[0]?.row,
    async list(filter) {
      if (filter.q !== undefined) await indexWords();
      return read((sql) => listRuns(sql, filter));
    },
    async count(filter) {
      if (filter.q !== undefined) await indexWords();
      return read((sql) => countRuns(sql, filter));
    },
    firstHits: (q, runs) => read((sql) => firstHits(sql, q, runs)),
    sessions: (filter) => read((sql) => listSessions(sql, filter)),
    orphans: () => read(async (sql) => (await sql.all(ORPHANS)).map((columns) => columns["id"] as string)),
  };
}

async function listRuns(
  sql: Sql,
  filter: RunFilter,
): Promise<{ runs: RunRow[]; nextCursor: string | undefined }> {
  const { limit = DEFAULT_PAGE } = filter;
  const { where, values } = runConditions(filter);
  const rest = `${where} ORDER BY n DESC LIMIT $${values.length + 1}`;
  const found = await rowsWhere(sql, rest, [...values, limit + 1]);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { runs: page.map(({ row }) => row), nextCursor: last && String(last.n) };
}

async function rowsWhere(
  sql: Sql,
  rest: string,
  values: readonly Value[],
): Promise<{ n: number; row: RunRow }[]> {
  const found = await sql.all(
    `SELECT runs.*, quarantine.reason FROM runs LEFT JOIN quarantine ON quarantine.run = runs.id ${rest}`,
    ...values,
  );
  return found.map((columns) => ({
    n: columns["n"] as number,
    row: markQuarantined(readRow(columns), optional(columns["reason"]) as string | undefined),
  }));
}

const ORPHANS = `SELECT runs.id FROM runs JOIN runs AS above ON above.id = runs.parent
  WHERE runs.ended_at IS NULL AND runs.parent IS NOT NULL AND above.ended_at IS NOT NULL
    AND runs.waiting IS DISTINCT FROM 'quarantine' AND ${NOT_QUARANTINED}`;

function runConditions(filter: RunFilter): { where: string; values: Value[] } {
  const given: [sql: (place: string) => string, value: Value | undefined][] = [
    [(place) => `status = ANY(${place})`, filter.status],
    [(place) => `agent = ${place}`, filter.agent],
    [(place) => `root = ${place}`, filter.root],
    [(place) => `parent = ${place}`, filter.parent],
    [(place) => `session = ${place}`, filter.session],
    [
      (place) => `continues IN (SELECT id FROM runs WHERE root = ${place}) AND root <> ${place}`,
      filter.branchesOf,
    ],
    [(place) => `user_id = ${place}`, filter.user],
    [(place) => `(parent IS NULL) = ${place}`, filter.roots || undefined],
    [(place) => `created_at >= ${place}`, filter.since],
    filter.waiting === "person"
      ? [
          (place) => `status = ${place} AND waiting IS DISTINCT FROM 'paused' AND ${NOT_ANSWERED}`,
          "suspended",
        ]
      : [(place) => `waiting = ${place} AND ${NOT_ANSWERED}`, filter.waiting],
    [(place) => `n < ${place}`, filter.cursor === undefined ? undefined : Number(filter.cursor)],
    ...(filter.q === undefined ? [] : searchConditions(filter.q)),
  ];
  const conditions = given.filter(([, value]) => value !== undefined);
  const texts = conditions.map(([sql], index) => sql(`$${index + 1}`));
  return {
    where: texts.length > 0 ? `WHERE ${texts.join(" AND ")}` : "",
    values: conditions.map(([, value]) => value!),
  };
}

/** Like `isAnswered`: a run whose items are all answered, but that was not driven since, does not wait for a person. */
const hasAnswers = (run: string): string =>
  `${run}.waiting IN (${ITEM_KINDS}) AND NOT EXISTS (SELECT 1 FROM approvals WHERE approvals.run = ${run}.n)`;

const NOT_ANSWERED = `NOT (${hasAnswers("runs")}) AND (waiting <> 'child_hitl' OR EXISTS (
  SELECT 1 FROM json_array_elements_text(runs.waiting_on::json -> 'blockers') AS blocker (id) JOIN runs AS below ON below.id = blocker.id
  WHERE below.status = 'suspended' AND below.cancel = 0 AND NOT (${hasAnswers("below")})))`;

async function countRuns(sql: Sql, filter: RunFilter): Promise<number> {
  const { where, values } = runConditions(filter);
  return (await sql.get(`SELECT count(*) AS runs FROM runs ${where}`, ...values))!["runs"] as number;
}

/** The first event with all words; if there is none, the first with any of them. */
async function firstHits(sql: Sql, q: string, runs: readonly RunId[]): Promise<Map<RunId, Seq>> {
  const queries = firstHitQueries(q);
  const found = queries ? await sql.all(FIRST_HITS, runs, queries.any, queries.all) : [];
  return new Map(found.map((columns) => [columns["id"] as string, columns["seq"] as number]));
}

const FIRST_HITS = `SELECT DISTINCT ON (runs.id) runs.id, events.seq
  FROM runs JOIN search ON search.run = runs.n JOIN events ON events.position = search.position
  WHERE runs.id = ANY($1) AND search.words @@ $2::tsquery
  ORDER BY runs.id, search.words @@ $3::tsquery DESC, events.seq`;

async function listSessions(
  sql: Sql,
  { limit = DEFAULT_PAGE, cursor, user }: { limit?: number; cursor?: string; user?: string },
) {
  const found = await sql.all(
    `SELECT runs.*, s.count, first.created_at AS began_at FROM (
       SELECT session, count(*) AS count, max(n) AS last_n, min(n) AS first_n FROM runs
       WHERE session IS NOT NULL AND ($3::text IS NULL OR user_id = $3) GROUP BY session HAVING max(n) < $1 ORDER BY last_n DESC LIMIT $2
     ) AS s JOIN runs ON runs.n = s.last_n JOIN runs AS first ON first.n = s.first_n ORDER BY s.last_n DESC`,
    cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor),
    limit + 1,
    user ?? null,
  );
  const page = found.slice(0, limit);
  const sessions = page.map(
    (columns): SessionRow => ({
      id: columns["session"] as string,
      runs: columns["count"] as number,
      createdAt: columns["began_at"] as number,
      last: readRow(columns),
    }),
  );
  const last = found.length > limit ? page.at(-1) : undefined;
  return { sessions, nextCursor: last && String(last["n"]) };
}
