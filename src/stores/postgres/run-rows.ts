// Records of runs, read many at a time and written many at a time: a commit takes a handful of round trips, however many
// appends it holds.

import type { Columns } from "../columns.ts";
import { CHANGING_COLUMNS, immutableJson, payerOf, type RunRecord, readRecord } from "../run-record.ts";
import { hexText, type Sql, type Write } from "./sql.ts";

/** Also reads the slot and the number of open items, which would otherwise be a round trip each. */
export async function readRuns(sql: Sql, ids: readonly string[]): Promise<RunRecord[]> {
  const found = await sql.all(
    `SELECT runs.*, slots.held AS slot, (SELECT count(*) FROM approvals WHERE approvals.run = runs.n) AS items
     FROM runs LEFT JOIN slots ON slots.run = runs.id WHERE runs.id = ANY($1)`,
    ids,
  );
  return found.map((columns) => {
    const record = readRecord(columns);
    record.openItems = columns["items"] as number;
    record.slot = columns["slot"] === null ? "none" : columns["slot"] === 1 ? "held" : "queued";
    return record;
  });
}

/** Reads the keys of these runs, each after a seq. */
export async function readKeys(
  sql: Sql,
  wanted: readonly { record: RunRecord; after: number }[],
): Promise<void> {
  if (wanted.length === 0) return;
  for (const { record } of wanted) record.keys ??= new Map();
  const byNumber = new Map(wanted.map(({ record }) => [record.n, record.keys!]));
  const found = await sql.all(
    `SELECT events.run, events.key, events.seq FROM unnest($1::bigint[], $2::bigint[]) AS wanted (run, after)
     JOIN events ON events.run = wanted.run AND events.seq > wanted.after`,
    wanted.map(({ record }) => record.n),
    wanted.map(({ after }) => after),
  );
  for (const { run, key, seq } of found) byNumber.get(run as number)!.set(key as string, seq as number);
}

/** Inserts new runs, each with the run that it continues. */
export const newRuns = (born: ReadonlyMap<RunRecord, string | undefined>): Write => ({
  text: "INSERT INTO runs SELECT * FROM json_populate_recordset(NULL::runs, $rows)",
  rows: Array.from(born, ([record, continues]) => ({ continues: continues ?? null, ...columnsOf(record) })),
});

export const changedRuns = (dirty: Iterable<RunRecord>): Write => ({
  text: CHANGE_RUNS,
  rows: Array.from(dirty, changingColumns),
});

function columnsOf(record: RunRecord): Columns {
  const { row } = record;
  return {
    id: row.id,
    root: row.rootRunId,
    budget: payerOf(row),
    parent: row.parentRunId ?? null,
    agent: row.agent,
    session: row.sessionId ?? null,
    user_id: row.userId ?? null,
    workspace: row.workspace,
    pool: row.pool ?? null,
    born: immutableJson(row),
    created_at: row.createdAt,
    ...changingColumns(record),
  };
}

const changingColumns = (record: RunRecord): Columns => ({
  n: record.n,
  hash: hexText(record.hash),
  ...Object.fromEntries(Object.entries(CHANGING_COLUMNS).map(([name, read]) => [name, read(record)])),
});

const CHANGE_RUNS = `UPDATE runs SET ${[...Object.keys(CHANGING_COLUMNS), "hash"]
  .map((name) => `${name} = now.${name}`)
  .join(", ")}
  FROM json_populate_recordset(NULL::runs, $rows) AS now WHERE runs.n = now.n`;
