// Lists of runs: which ones fit, how many do, what whole trees come to, and where words were found in them.

import type { SQLInputValue } from "node:sqlite";
import type { RunId, Seq } from "../../ids.ts";
import { ANSWERED_BY_ITEMS } from "../../projections/answered.ts";
import { emptyUsage, type RunUsage } from "../../projections/usage/run-usage.ts";
import type { RunFilter, TreeTotal } from "../store.ts";
import { firstHitQueries, searchConditions } from "./search.ts";
import type { Sql } from "./sql.ts";

const ITEM_KINDS = [...ANSWERED_BY_ITEMS].map((kind) => `'${kind}'`).join(", ");

export function runConditions(filter: RunFilter): { where: string; values: SQLInputValue[] } {
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

/** As `isAnswered` has it: what was answered and not taken up yet waits for nobody's word. */
const NOT_ANSWERED = `NOT (${hasAnswers("runs")}) AND (waiting_on ->> '$.kind' <> 'child_hitl' OR EXISTS (
  SELECT 1 FROM json_each(runs.waiting_on, '$.blockers') AS blocker JOIN runs AS below ON below.id = blocker.value
  WHERE below.status = 'suspended' AND below.cancel = 0 AND NOT (${hasAnswers("below")})))`;

export function countRuns(sql: Sql, filter: RunFilter): number {
  const { where, values } = runConditions(filter);
  return Number(sql.get(`SELECT count(*) AS runs FROM runs ${where}`, ...values)!["runs"]);
}

const USAGE = Object.keys(emptyUsage()) as (keyof RunUsage)[];

export function treeTotals(sql: Sql, roots: readonly RunId[]): Map<RunId, TreeTotal> {
  const found = sql.all(
    `SELECT root, count(*) AS runs, ${USAGE.map((name) => `sum(usage ->> '$.${name}') AS ${name}`).join(", ")}
     FROM runs WHERE root IN (SELECT value FROM json_each(?)) GROUP BY root`,
    JSON.stringify(roots),
  );
  return new Map(
    found.map((columns) => {
      const usage = emptyUsage();
      for (const name of USAGE) usage[name] = Number(columns[name]);
      return [columns["root"] as string, { runs: Number(columns["runs"]), usage }];
    }),
  );
}

/** The first event that has all the words; where none has them all, the first that has one. */
export function firstHits(sql: Sql, q: string, runs: readonly RunId[]): Map<RunId, Seq> {
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
