// Questions over all runs: which sessions there are, and how much of everything.

import type { RunRow } from "../../projections/folds/run-row.ts";
import { readRow } from "../run-record.ts";
import type { SessionRow, StoreTotals } from "../store.ts";
import type { Sql } from "./sql.ts";

const DEFAULT_PAGE = 50;

export async function listSessions(
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

export async function countTotals(sql: Sql): Promise<StoreTotals> {
  const totals: StoreTotals = {
    runs: {},
    approvals: 0,
    modelCalls: 0,
    toolCalls: 0,
    input: 0,
    output: 0,
    cost: 0,
    bytes: 0,
  };
  for (const columns of await sql.all(COUNT)) {
    totals.runs[columns["status"] as RunRow["status"]] = columns["runs"] as number;
    for (const name of SUMS) totals[name] += columns[name.toLowerCase()] as number;
  }
  const rest = await sql.get(REST);
  totals.approvals = rest!["approvals"] as number;
  totals.bytes = rest!["bytes"] as number;
  return totals;
}

const SUMS = ["modelCalls", "toolCalls", "input", "output", "cost"] as const;

const sum = (name: string) =>
  `coalesce(sum((usage::json ->> '${name}')::double precision), 0) AS ${name.toLowerCase()}`;

const COUNT = `SELECT status, count(*) AS runs, ${SUMS.map(sum).join(", ")} FROM runs GROUP BY status`;

/** Of these tables, not of what else the database holds. */
const REST = `SELECT (SELECT count(*) FROM approvals) AS approvals, coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes
  FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`;
