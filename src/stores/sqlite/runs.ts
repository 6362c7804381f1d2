// Lists of runs and sessions: which ones match, how many do, and where words were found in them.

import type { SQLInputValue } from "node:sqlite";
import type { RunId, Seq } from "../../ids.ts";
import { ANSWERED_BY_ITEMS } from "../../projections/folds/approvals.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { markQuarantined } from "../columns.ts";
import { readRow } from "../run-record.ts";
import type { RunFilter, SessionRow, Store } from "../store.ts";
import { NOT_QUARANTINED } from "./leases.ts";
import type { Statements } from "./run-rows.ts";
import { firstHitQueries, searchConditions } from "./search.ts";
import type { Sql } from "./sql.ts";

const DEFAULT_PAGE = 50;

const ITEM_KINDS = [...ANSWERED_BY_ITEMS].map((kind) => `'${kind}'`).join(", ");

type Reads = Pick<Store["runs"], "get" | "list" | "count" | "firstHits" | "sessions" | "orphans">;

/** `indexWords` brings the search index up to date. */
export function runReads(sql: Sql, statements: Statements, indexWords: () => Promise<void>): Reads {
  return {
    async get(runId) {
      const columns = sql.withStorageErrors(() => statements.runById.get(runId));
      return columns && markAll(sql, [readRow(columns)])[0];
    },
    async list(filter) {
      if (filter.q !== undefined) await indexWords();
      return listRuns(sql, filter);
    },
    async count(filter) {
      if (filter.q !== undefined) await indexWords();
      return countRuns(sql, filter);
    },
    firstHits: async (q, runs) => firstHits(sql, q, runs),
    sessions: async (filter) => listSessions(sql, filter),
    orphans: async () => sql.all(ORPHANS).map((columns) => columns["id"] as string),
  };
}

function listRuns(sql: Sql, filter: RunFilter): { runs: RunRow[]; nextCursor: string | undefined } {
  const { limit = DEFAULT_PAGE } = filter;
  const { where, values } = runConditions(filter);
  const found = sql.all(`SELECT * FROM runs ${where} ORDER BY n DESC LIMIT ?`, ...values, limit + 1);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { runs: markAll(sql, page.map(readRow)), nextCursor: last && String(last["n"]) };
}

function markAll(sql: Sql, rows: RunRow[]): RunRow[] {
  const found = sql.all("SELECT run, reason FROM quarantine");
  if (found.length === 0) return rows;
  const reasons = new Map(found.map(({ run, reason }) => [run, reason as string]));
  return rows.map((row) => markQuarantined(row, reasons.get(row.id)));
}

/** By two small indexes first: only runs whose parent is not active are read. */
const ORPHANS = `SELECT id FROM runs AS child WHERE n IN (
    SELECT n FROM runs AS below INDEXED BY runs_alive_below WHERE ended_at IS NULL AND parent IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM runs INDEXED BY runs_alive WHERE id = below.parent AND ended_at IS NULL))
  AND (SELECT ended_at FROM runs WHERE id = child.parent) IS NOT NULL
  AND coalesce(waiting_on ->> '$.kind', '') <> 'quarantine' AND ${NOT_QUARANTINED}`;

function runConditions(filter: RunFilter): { where: string; values: SQLInputValue[] } {
  const conditions: [string, SQLInputValue[]][] = [];
  if (filter.status)
    conditions.push([`status IN (${filter.status.map(() => "?").join(", ")})`, [...filter.status]]);
  if (filter.agent !== undefined) conditions.push(["agent = ?", [filter.agent]]);
  if (filter.root !== undefined) conditions.push(["root = ?", [filter.root]]);
  if (filter.parent !== undefined) conditions.push(["parent = ?", [filter.parent]]);
  if (filter.session !== undefined) conditions.push(["session = ?", [filter.session]]);
  if (filter.branchesOf !== undefined)
    conditions.push([
      "continues IN (SELECT id FROM runs WHERE root = ?) AND root <> ?",
      [filter.branchesOf, filter.branchesOf],
    ]);
  if (filter.user !== undefined) conditions.push(["user_id = ?", [filter.user]]);
  if (filter.roots) conditions.push(["parent IS NULL", []]);
  if (filter.since !== undefined) conditions.push(["created_at >= ?", [filter.since]]);
  if (filter.waiting === "person")
    conditions.push(["status = 'suspended' AND waiting_on ->> '$.kind' <> 'paused'", []]);
  else if (filter.waiting !== undefined) conditions.push(["waiting_on ->> '$.kind' = ?", [filter.waiting]]);
  if (filter.waiting !== undefined) conditions.push([NOT_ANSWERED, []]);
  if (filter.q !== undefined) conditions.push(...searchConditions(filter.q));
  if (filter.cursor !== undefined) conditions.push(["n < ?", [Number(filter.cursor)]]);
  const where = conditions.length > 0 ? `WHERE ${conditions.map(([sql]) => sql).join(" AND ")}` : "";
  return { where, values: conditions.flatMap(([, values]) => values) };
}

const hasAnswers = (run: string): string =>
  `${run}.waiting_on ->> '$.kind' IN (${ITEM_KINDS}) AND NOT EXISTS (SELECT 1 FROM approvals WHERE approvals.run = ${run}.n)`;

/** Like `isAnswered`: a run whose items are all answered, but that was not driven since, does not wait for a person. */
const NOT_ANSWERED = `NOT (${hasAnswers("runs")}) AND (waiting_on ->> '$.kind' <> 'child_hitl' OR EXISTS (
  SELECT 1 FROM json_each(runs.waiting_on, '$.blockers') AS blocker JOIN runs AS below ON below.id = blocker.value
  WHERE below.status = 'suspended' AND below.cancel = 0 AND NOT (${hasAnswers("below")})))`;

function countRuns(sql: Sql, filter: RunFilter): number {
  const { where, values } = runConditions(filter);
  return Number(sql.get(`SELECT count(*) AS runs FROM runs ${where}`, ...values)!["runs"]);
}

/** The first event with all words; if there is none, the first with any of them. */
function firstHits(sql: Sql, q: string, runs: readonly RunId[]): Map<RunId, Seq> {
  const hits = new Map<RunId, Seq>();
  for (const query of firstHitQueries(q)) {
    const open = runs.filter((id) => !hits.has(id));
    if (open.length === 0) break;
    const found = sql.all(
      `SELECT runs.id, min(events.seq) AS seq FROM events JOIN runs ON runs.n = events.run
       WHERE runs.id IN (SELECT value FROM json_each(?)) AND position IN (SELECT rowid FROM search WHERE search MATCH ?)
       GROUP BY runs.id`,
      JSON.stringify(open),
      query,
    );
    for (const columns of found) hits.set(columns["id"] as string, columns["seq"] as number);
  }
  return hits;
}

function listSessions(
  sql: Sql,
  { limit = DEFAULT_PAGE, cursor, user }: { limit?: number; cursor?: string; user?: string },
) {
  const found = sql.all(
    `SELECT runs.*, s.count, s.first_n FROM (
       SELECT session, count(*) AS count, max(n) AS last_n, min(n) AS first_n FROM runs
       WHERE session IS NOT NULL ${user === undefined ? "" : "AND user_id = ?"} GROUP BY session HAVING max(n) < ? ORDER BY last_n DESC LIMIT ?
     ) AS s JOIN runs ON runs.n = s.last_n ORDER BY s.last_n DESC`,
    ...(user === undefined ? [] : [user]),
    cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor),
    limit + 1,
  );
  const page = found.slice(0, limit);
  const sessions = page.map((columns): SessionRow => {
    const first = sql.get("SELECT created_at FROM runs WHERE n = ?", columns["first_n"] as number);
    return {
      id: columns["session"] as string,
      runs: columns["count"] as number,
      createdAt: first!["created_at"] as number,
      last: readRow(columns),
    };
  });
  const last = found.length > limit ? page.at(-1) : undefined;
  return { sessions, nextCursor: last && String(last["n"]) };
}
