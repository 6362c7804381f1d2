// Lists and counts the runs and sessions that match a filter.
// Both stores share this SQL, apart from a few expressions that depend on the dialect.

import { CadreError } from "../errors.ts";
import { RUN_ID_LENGTH } from "../ids.ts";
import { ANSWERED_BY_ITEMS } from "../projections/folds/approvals.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import { emptyUsage } from "../projections/usage/run-usage.ts";
import { type Columns, markQuarantined, optional } from "./columns.ts";
import type { CommonSql, CommonValue, TableAccess } from "./common-queries.ts";
import { readRow } from "./run-record.ts";
import type { RunFilter, SessionRow, Store } from "./store.ts";
import { ask, type Steps } from "./transaction/transaction.ts";

export interface RunListDialect {
  /** A SQL table `blocker (id)` for one row of `runs`. It contains the ids of the runs that block this run. */
  blockers(table: string): string;
  /** SQL conditions that match a run if its events contain every word of the query. The beginning of a word also counts. */
  searchConditions(query: string, parameter: AddParameter): string[];
}

/** Adds a value to a statement, and returns its placeholder. */
export type AddParameter = (value: CommonValue) => string;

const DEFAULT_PAGE = 50;

type RunLists = Pick<Store["runs"], "get" | "list" | "count" | "sessions">;

/** `indexWords` brings the search index up to date. */
export function createRunLists(
  { read }: TableAccess,
  dialect: RunListDialect,
  indexWords: () => Promise<void>,
): RunLists {
  return {
    get: (runId) =>
      read(function* (sql) {
        const columns = yield* ask(sql.get(`${SELECT_RUNS} WHERE runs.id = $1`, runId));
        return columns && readListedRow(columns);
      }),
    async list(filter) {
      if (filter.q !== undefined) await indexWords();
      return read((sql) => listRuns(sql, filter, dialect));
    },
    async count(filter) {
      if (filter.q !== undefined) await indexWords();
      const { where, values } = runConditions(filter, dialect);
      return read(function* (sql) {
        const row = yield* ask(sql.get(`SELECT count(*) AS runs FROM runs ${where}`, ...values));
        return row!["runs"] as number;
      });
    },
    sessions: (filter) => read((sql) => listSessions(sql, filter)),
  };
}

const SELECT_RUNS =
  "SELECT runs.*, quarantine.reason FROM runs LEFT JOIN quarantine ON quarantine.run = runs.id";

/** P9: a damaged row hides only itself. It is shown as quarantined, with the columns that can be read. */
function readListedRow(columns: Columns): RunRow {
  try {
    return markQuarantined(readRow(columns), optional(columns["reason"]) as string | undefined);
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    return markQuarantined(readRow({ ...columns, ...EMPTY_COLUMNS }), error.message);
  }
}

/** Stand-ins for the columns that contain JSON. */
const EMPTY_COLUMNS: Columns = {
  born: JSON.stringify({
    ...{ definition: "", kind: "main", depth: 0, trigger: "user", task: "", mode: "auto", attended: false },
    workspace: "",
  } satisfies Pick<
    RunRow,
    "definition" | "kind" | "depth" | "trigger" | "task" | "mode" | "attended" | "workspace"
  >),
  waiting_on: null,
  summary: null,
  usage: JSON.stringify(emptyUsage()),
};

function* listRuns(
  sql: CommonSql,
  filter: RunFilter,
  dialect: RunListDialect,
): Steps<{ runs: RunRow[]; nextCursor: string | undefined }> {
  const { limit = DEFAULT_PAGE } = filter;
  const { where, values, parameter } = runConditions(filter, dialect);
  const text = `${SELECT_RUNS} ${where} ORDER BY n DESC LIMIT ${parameter(limit + 1)}`;
  const rows = yield* ask(sql.all(text, ...values));
  return { runs: rows.slice(0, limit).map(readListedRow), nextCursor: nextCursor(rows, limit) };
}

/** The number of the last row on a page, if another row follows. */
function nextCursor(rows: readonly Columns[], limit: number): string | undefined {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return last && String(last["n"]);
}

function runConditions(filter: RunFilter, dialect: RunListDialect) {
  const { values, parameter } = createParameters();
  const conditions: string[] = [];
  const equals = (column: string, value: CommonValue | undefined): void => {
    if (value !== undefined) conditions.push(`${column} = ${parameter(value)}`);
  };
  if (filter.status) conditions.push(isOneOf("status", filter.status, parameter));
  equals("agent", filter.agent);
  equals("root", filter.root);
  equals("parent", filter.parent);
  equals("session", filter.session);
  equals("user_id", filter.user);
  if (filter.branchesOf !== undefined) {
    const root = parameter(filter.branchesOf);
    conditions.push(`continues IN (SELECT id FROM runs WHERE root = ${root}) AND root <> ${root}`);
  }
  if (filter.idPrefix !== undefined) conditions.push(...beginsWith(filter.idPrefix, parameter));
  if (filter.roots) conditions.push("parent IS NULL");
  if (filter.since !== undefined) conditions.push(`created_at >= ${parameter(filter.since)}`);
  if (filter.waiting === "person") conditions.push(`status = 'suspended' AND waiting <> 'paused'`);
  else equals("waiting", filter.waiting);
  if (filter.waiting !== undefined) conditions.push(needsAnswer(dialect));
  if (filter.q !== undefined) conditions.push(...dialect.searchConditions(filter.q, parameter));
  if (filter.cursor !== undefined) conditions.push(`n < ${parameter(Number(filter.cursor))}`);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
  return { where, values, parameter };
}

/** With the range, both databases use the index of the ids. With `substr`, the result is exact in every collation of Postgres. */
function beginsWith(prefix: string, parameter: AddParameter): string[] {
  const first = parameter(prefix);
  const last = parameter(prefix.padEnd(RUN_ID_LENGTH, "z"));
  return [`runs.id >= ${first} AND runs.id <= ${last}`, `substr(runs.id, 1, ${prefix.length}) = ${first}`];
}

export function createParameters(): { values: CommonValue[]; parameter: AddParameter } {
  const values: CommonValue[] = [];
  return { values, parameter: (value) => `$${values.push(value)}` };
}

/** Postgres does not accept an empty list after IN. */
export const isOneOf = (column: string, values: readonly string[], parameter: AddParameter): string =>
  values.length === 0 ? "FALSE" : `${column} IN (${values.map(parameter).join(", ")})`;

const ITEM_KINDS = [...ANSWERED_BY_ITEMS].map((kind) => `'${kind}'`).join(", ");

/** As in `isAnswered`, a run whose items are all answered does not wait for a person, even if no driver has continued the run yet. */
function needsAnswer({ blockers }: RunListDialect): string {
  const isAnswered = (run: string): string =>
    `${run}.waiting IN (${ITEM_KINDS}) AND NOT EXISTS (SELECT 1 FROM approvals WHERE approvals.run = ${run}.n)`;
  return `NOT (${isAnswered("runs")}) AND (runs.waiting <> 'child_hitl' OR EXISTS (
    SELECT 1 FROM ${blockers("runs")} JOIN runs AS below ON below.id = blocker.id
    WHERE below.status = 'suspended' AND below.cancel = 0 AND NOT (${isAnswered("below")})))`;
}

/** The latest run that is neither a child nor started by another agent's message (D5). If there is none, any latest run. */
const LATEST_OWN = `coalesce(max(CASE WHEN parent IS NULL AND coalesce(budget, root) = root THEN n END),
      max(CASE WHEN parent IS NULL THEN n END), max(n))`;

function* listSessions(
  sql: CommonSql,
  { limit = DEFAULT_PAGE, cursor, user }: Parameters<Store["runs"]["sessions"]>[0],
): Steps<{ sessions: SessionRow[]; nextCursor: string | undefined }> {
  const { values, parameter } = createParameters();
  const ofUser = user === undefined ? "" : `AND user_id = ${parameter(user)}`;
  const before = parameter(cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor));
  const text = `SELECT runs.*, chain.count, earliest.created_at AS began_at FROM (
      SELECT session, count(*) AS count, ${LATEST_OWN} AS last_n, min(n) AS first_n FROM runs
      WHERE session IS NOT NULL ${ofUser} GROUP BY session HAVING ${LATEST_OWN} < ${before}
      ORDER BY last_n DESC LIMIT ${parameter(limit + 1)}
    ) AS chain JOIN runs ON runs.n = chain.last_n JOIN runs AS earliest ON earliest.n = chain.first_n
    ORDER BY chain.last_n DESC`;
  const rows = yield* ask(sql.all(text, ...values));
  const sessions = rows.slice(0, limit).map((columns) => ({
    id: columns["session"] as string,
    runs: columns["count"] as number,
    createdAt: columns["began_at"] as number,
    last: readListedRow(columns),
  }));
  return { sessions, nextCursor: nextCursor(rows, limit) };
}
