// Lists of runs: which ones fit, how many do, what whole trees come to, and where words were found in them.

import type { RunId, Seq } from "../../ids.ts";
import { ANSWERED_BY_ITEMS } from "../../projections/answered.ts";
import { emptyUsage, type RunUsage } from "../../projections/usage/run-usage.ts";
import type { RunFilter, TreeTotal } from "../store.ts";
import { firstHitQueries, searchConditions } from "./search.ts";
import type { Sql, Value } from "./sql.ts";

const ITEM_KINDS = [...ANSWERED_BY_ITEMS].map((kind) => `'${kind}'`).join(", ");

export function runConditions(filter: RunFilter): { where: string; values: Value[] } {
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

/** As `isAnswered` has it: what was answered and not taken up yet waits for nobody's word. */
const hasAnswers = (run: string): string =>
  `${run}.waiting IN (${ITEM_KINDS}) AND NOT EXISTS (SELECT 1 FROM approvals WHERE approvals.run = ${run}.n)`;

const NOT_ANSWERED = `NOT (${hasAnswers("runs")}) AND (waiting <> 'child_hitl' OR EXISTS (
  SELECT 1 FROM json_array_elements_text(runs.waiting_on::json -> 'blockers') AS blocker (id) JOIN runs AS below ON below.id = blocker.id
  WHERE below.status = 'suspended' AND below.cancel = 0 AND NOT (${hasAnswers("below")})))`;

export async function countRuns(sql: Sql, filter: RunFilter): Promise<number> {
  const { where, values } = runConditions(filter);
  return (await sql.get(`SELECT count(*) AS runs FROM runs ${where}`, ...values))!["runs"] as number;
}

const USAGE = Object.keys(emptyUsage()) as (keyof RunUsage)[];

const sum = (name: string) => `sum((usage::json ->> '${name}')::double precision) AS "${name}"`;

const TREES = `SELECT root, count(*) AS runs, ${USAGE.map(sum).join(", ")}
  FROM runs WHERE root = ANY($1) GROUP BY root`;

export async function treeTotals(sql: Sql, roots: readonly RunId[]): Promise<Map<RunId, TreeTotal>> {
  const found = await sql.all(TREES, roots);
  return new Map(
    found.map((columns) => {
      const usage = emptyUsage();
      for (const name of USAGE) usage[name] = columns[name] as number;
      return [columns["root"] as string, { runs: columns["runs"] as number, usage }];
    }),
  );
}

/** The first event that has all the words; where none has them all, the first that has one. */
export async function firstHits(sql: Sql, q: string, runs: readonly RunId[]): Promise<Map<RunId, Seq>> {
  const queries = firstHitQueries(q);
  const found = queries ? await sql.all(FIRST_HITS, runs, queries.any, queries.all) : [];
  return new Map(found.map((columns) => [columns["id"] as string, columns["seq"] as number]));
}

const FIRST_HITS = `SELECT DISTINCT ON (runs.id) runs.id, events.seq
  FROM runs JOIN search ON search.run = runs.n JOIN events ON events.position = search.position
  WHERE runs.id = ANY($1) AND search.words @@ $2::tsquery
  ORDER BY runs.id, search.words @@ $3::tsquery DESC, events.seq`;
