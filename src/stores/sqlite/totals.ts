// Questions over all runs: which sessions there are, and how much of everything.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { readRow } from "../run-record.ts";
import type { SessionRow, StoreTotals } from "../store.ts";
import type { Sql } from "./sql.ts";

const DEFAULT_PAGE = 50;
/** Rows that are counted before others get their turn. */
const AT_ONCE = 5_000;

export function listSessions(
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

export async function countTotals(sql: Sql): Promise<StoreTotals> {
  const totals: StoreTotals = {
    runs: {},
    approvals: Number(sql.get("SELECT count(*) AS open FROM approvals")!["open"]),
    modelCalls: 0,
    toolCalls: 0,
    input: 0,
    output: 0,
    cost: 0,
    bytes: sizeOf(sql),
  };
  const end = Number(sql.get("SELECT max(n) AS n FROM runs")!["n"] ?? 0);
  for (let from = 0; from < end; from += AT_ONCE) {
    if (from > 0) await nextTurn();
    for (const columns of sql.all(COUNT, from, from + AT_ONCE)) {
      const status = columns["status"] as RunRow["status"];
      totals.runs[status] = (totals.runs[status] ?? 0) + Number(columns["runs"]);
      for (const name of SUMS) totals[name] += Number(columns[name]);
    }
  }
  return totals;
}

const SUMS = ["modelCalls", "toolCalls", "input", "output", "cost"] as const;

const COUNT = `SELECT status, count(*) AS runs, ${SUMS.map((name) => `sum(usage ->> '$.${name}') AS ${name}`).join(", ")}
  FROM runs WHERE n > ? AND n <= ? GROUP BY status`;

function sizeOf(sql: Sql): number {
  const pages = sql.get("PRAGMA page_count")!["page_count"] as number;
  return pages * (sql.get("PRAGMA page_size")!["page_size"] as number);
}
