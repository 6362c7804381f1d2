// Records of runs, read many at a time and written many at a time: a commit takes a handful of round trips, however many
// appends it holds.

import type { RunRow } from "../../projections/folds/run-row.ts";
import { totalTokens } from "../../projections/usage/run-usage.ts";
import type { Columns } from "../columns.ts";
import { immutableJson, payerOf, type RunRecord, readRecord } from "../run-record.ts";
import { hexText, type Sql, type Write } from "./sql.ts";

/** Reads the slot and the number of open items along: asked for later, each would be a round trip. */
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

/** The keys of these runs after a seq each. */
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

/** New runs, each with the one that it continues. */
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

function changingColumns(record: RunRecord): Columns {
  const { row } = record;
  return {
    n: record.n,
    status: row.status,
    waiting_on: json(row.waitingOn),
    waiting: row.waitingOn?.kind ?? null,
    stop_reason: row.stopReason ?? null,
    summary: json(row.summary),
    turns: row.turns,
    tokens: Math.ceil(totalTokens(row.usage)),
    cost: row.usage.cost,
    usage: JSON.stringify(row.usage),
    started_at: row.startedAt ?? null,
    updated_at: row.updatedAt,
    ended_at: row.endedAt ?? null,
    seq: row.seq,
    hash: hexText(record.hash),
    last_signal: record.lastSignal,
    cancel: row.cancelRequested ? 1 : 0,
    worker: record.worker ?? null,
    epoch: record.epoch,
    due_at: record.dueAt ?? null,
    previous_until: record.previousUntil ?? null,
    acquisitions: record.acquisitions,
    open_tokens: Math.ceil(record.openTokens),
    open_cost: record.openCost,
  };
}

const json = (value: RunRow["waitingOn"] | RunRow["summary"]): string | null =>
  value === undefined ? null : JSON.stringify(value);

const CHANGING = [
  "status",
  "waiting_on",
  "waiting",
  "stop_reason",
  "summary",
  "turns",
  "tokens",
  "cost",
  "usage",
  "started_at",
  "updated_at",
  "ended_at",
  "seq",
  "hash",
  "last_signal",
  "cancel",
  "worker",
  "epoch",
  "due_at",
  "previous_until",
  "acquisitions",
  "open_tokens",
  "open_cost",
];

const CHANGE_RUNS = `UPDATE runs SET ${CHANGING.map((name) => `${name} = now.${name}`).join(", ")}
  FROM json_populate_recordset(NULL::runs, $rows) AS now WHERE runs.n = now.n`;
