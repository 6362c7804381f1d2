// The prepared statements of a transaction, and the writing of a run's record.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { CHANGING_COLUMNS, immutableJson, newRecord, payerOf, type RunRecord } from "../run-record.ts";

/** The number of a pruned run is not used again while its events are being deleted. */
const NEXT_NUMBER =
  "max((SELECT coalesce(max(n), 0) FROM runs), (SELECT coalesce(max(run), 0) FROM pruned)) + 1";

type Column = keyof typeof CHANGING_COLUMNS;
const CHANGING = Object.keys(CHANGING_COLUMNS) as Column[];
/** The columns that every step changes. The other columns have indexes, which are then not written again. */
const HEAD: readonly Column[] = [
  "turns",
  "tokens",
  "cost",
  "usage",
  "updated_at",
  "seq",
  "open_tokens",
  "open_cost",
];

const updateText = (names: readonly Column[]): string =>
  `UPDATE runs SET ${names.map((name) => `${name} = ?`).join(", ")}, hash = ? WHERE n = ?`;

/** The statements of the hot path. Preparing them for each append would more than double its cost. */
export function prepareStatements(db: DatabaseSync) {
  return {
    runById: db.prepare("SELECT * FROM runs WHERE id = ?"),
    insertRun: db.prepare(
      `INSERT INTO runs (n, id, root, budget, parent, agent, session, user_id, continues, born, status, turns, tokens, cost, usage, created_at,
         updated_at, seq, hash, last_signal, due_at) VALUES (${NEXT_NUMBER}, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, 0, 0, ?, ?, ?,
         0, x'', 1, 0)`,
    ),
    updateRun: db.prepare(updateText(CHANGING)),
    updateHead: db.prepare(updateText(HEAD)),
    insertEvent: db.prepare(
      "INSERT INTO events (position, run, seq, ts, type, key, payload, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
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

/** Inserts a run without events. */
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
    write(statements.updateHead, HEAD, record);
  else write(statements.updateRun, CHANGING, record);
  record.storedColumns = rare;
}

/** The values behind the columns that a step rarely changes. */
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

function write(statement: StatementSync, names: readonly Column[], record: RunRecord): void {
  const values = names.map((name) => CHANGING_COLUMNS[name](record));
  statement.run(...values, Buffer.from(record.hash, "hex"), record.n);
}
