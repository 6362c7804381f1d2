// The prepared statements of a transaction, and how a run's record is written.

import type { DatabaseSync } from "node:sqlite";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { totalTokens } from "../../projections/usage/run-usage.ts";
import { immutableJson, newRecord, payerOf, type RunRecord } from "../run-record.ts";

/** A number whose events are still being deleted is not given again. */
const NEXT_NUMBER =
  "max((SELECT coalesce(max(n), 0) FROM runs), (SELECT coalesce(max(run), 0) FROM pruned)) + 1";

/** The statements of the hot path, prepared once: prepared afresh, an append costs more than twice as much. */
export function prepareStatements(db: DatabaseSync) {
  return {
    runById: db.prepare("SELECT * FROM runs WHERE id = ?"),
    insertRun: db.prepare(
      `INSERT INTO runs (n, id, root, budget, parent, agent, session, user_id, continues, born, status, turns, tokens, cost, usage, created_at,
         updated_at, seq, hash, last_signal, due_at) VALUES (${NEXT_NUMBER}, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, 0, 0, ?, ?, ?,
         0, x'', 1, 0)`,
    ),
    updateRun: db.prepare(
      `UPDATE runs SET status = ?, waiting_on = ?, stop_reason = ?, summary = ?, turns = ?, tokens = ?, cost = ?,
         usage = ?, started_at = ?, updated_at = ?, ended_at = ?, seq = ?, hash = ?, last_signal = ?, cancel = ?,
         worker = ?, epoch = ?, due_at = ?, previous_until = ?, acquisitions = ?, open_tokens = ?, open_cost = ? WHERE n = ?`,
    ),
    insertEvent: db.prepare(
      "INSERT INTO events (position, run, seq, ts, type, key, payload, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    updateHead: db.prepare(
      `UPDATE runs SET turns = ?, tokens = ?, cost = ?, usage = ?, updated_at = ?, seq = ?, hash = ?, open_tokens = ?,
         open_cost = ? WHERE n = ?`,
    ),
    eventBySeq: db.prepare("SELECT type, payload FROM events WHERE run = ? AND seq = ?"),
    keys: db.prepare("SELECT key, seq FROM events WHERE run = ?"),
    eventsAfter: db.prepare(
      "SELECT position, seq, ts, type, key, payload, hash FROM events WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?",
    ),
    queued: db.prepare("SELECT run FROM slots WHERE workspace = ? AND held = 0 ORDER BY n"),
    addRef: db.prepare("INSERT INTO refs (run, hash) VALUES (?, ?) ON CONFLICT DO NOTHING"),
    putBlob: db.prepare("INSERT INTO blobs (hash, text) VALUES (?, ?) ON CONFLICT DO NOTHING"),
    getBlob: db.prepare("SELECT text FROM blobs WHERE hash = ?"),
    begin: db.prepare("BEGIN IMMEDIATE"),
    commit: db.prepare("COMMIT"),
  };
}

export type Statements = ReturnType<typeof prepareStatements>;

/** A run without events yet. */
export function insertRow(statements: Statements, row: RunRow, continues: string | undefined): RunRecord {
  const { id, rootRunId, parentRunId, agent, sessionId, userId, createdAt, usage } = row;
  const inserted = statements.insertRun.run(
    id,
    rootRunId,
    payerOf(row),
    parentRunId ?? null,
    agent,
    sessionId ?? null,
    userId ?? null,
    continues ?? null,
    immutableJson(row),
    JSON.stringify(usage),
    createdAt,
    createdAt,
  );
  const record = newRecord(Number(inserted.lastInsertRowid), row);
  record.storedColumns = rareColumns(record);
  return record;
}

export function writeRecord(statements: Statements, record: RunRecord): void {
  const rare = rareColumns(record);
  if (record.storedColumns && rare.every((value, index) => value === record.storedColumns![index]))
    writeHead(statements, record);
  else writeRow(statements, record);
  record.storedColumns = rare;
}

/** What a step does not change. Left out of its update, their indexes and pages are not written again. */
function rareColumns({
  row,
  lastSignal,
  worker,
  epoch,
  dueAt,
  previousUntil,
  acquisitions,
}: RunRecord): readonly unknown[] {
  const { status, waitingOn, stopReason, summary, cancelRequested, startedAt, endedAt } = row;
  const lease = [lastSignal, worker, epoch, dueAt, previousUntil, acquisitions];
  return [status, waitingOn, stopReason, summary, cancelRequested, startedAt, endedAt, ...lease];
}

function writeHead(statements: Statements, { row, hash, openTokens, openCost, n }: RunRecord): void {
  statements.updateHead.run(
    row.turns,
    Math.ceil(totalTokens(row.usage)),
    row.usage.cost,
    JSON.stringify(row.usage),
    row.updatedAt,
    row.seq,
    Buffer.from(hash, "hex"),
    Math.ceil(openTokens),
    openCost,
    n,
  );
}

function writeRow(statements: Statements, record: RunRecord): void {
  const { row } = record;
  statements.updateRun.run(
    row.status,
    row.waitingOn === undefined ? null : JSON.stringify(row.waitingOn),
    row.stopReason ?? null,
    row.summary === undefined ? null : JSON.stringify(row.summary),
    row.turns,
    Math.ceil(totalTokens(row.usage)),
    row.usage.cost,
    JSON.stringify(row.usage),
    row.startedAt ?? null,
    row.updatedAt,
    row.endedAt ?? null,
    row.seq,
    Buffer.from(record.hash, "hex"),
    record.lastSignal,
    row.cancelRequested ? 1 : 0,
    record.worker ?? null,
    record.epoch,
    record.dueAt ?? null,
    record.previousUntil ?? null,
    record.acquisitions,
    Math.ceil(record.openTokens),
    record.openCost,
    record.n,
  );
}
