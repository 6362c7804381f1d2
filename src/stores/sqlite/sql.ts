// The statements of the SQLite store. Each is prepared once, because preparing a statement usually takes longer than running it.
// `Sql` finds a prepared statement by its text. Parameters are `?`, or `$1` in statements that are shared with Postgres.
// The hot path has its own `Statements`, prepared when the store opens.

import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { CadreError } from "../../errors.ts";
import type { CommonSql } from "../common-queries.ts";
import { CHANGING_COLUMNS } from "../run-record.ts";
import { isStorageError, storageError } from "./open.ts";

export type Columns = Record<string, SQLOutputValue>;

export class Sql implements CommonSql {
  private readonly db: DatabaseSync;
  private readonly known = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.db = db;
  }

  get(text: string, ...values: SQLInputValue[]): Columns | undefined {
    return this.withStorageErrors(() => this.prepared(text).get(...values));
  }

  all(text: string, ...values: SQLInputValue[]): Columns[] {
    return this.withStorageErrors(() => this.prepared(text).all(...values));
  }

  run(text: string, ...values: SQLInputValue[]): number {
    return this.withStorageErrors(() => Number(this.prepared(text).run(...values).changes));
  }

  /** Turns failures of the file into errors for people. If the middle of a file is damaged, only reading that part fails. */
  withStorageErrors<T>(ask: () => T): T {
    try {
      return ask();
    } catch (error) {
      throw isStorageError(error) ? storageError(error, this.db.location() ?? "The store") : error;
    }
  }

  private prepared(text: string): StatementSync {
    if (!this.db.isOpen) throw closedError();
    const known = this.known.get(text);
    if (known) return known;
    const statement = this.db.prepare(text.replaceAll(/\$(\d+)/g, "?$1"));
    this.known.set(text, statement);
    return statement;
  }
}

export const closedError = (): CadreError =>
  new CadreError("STORAGE_UNUSABLE", "The store is closed: nothing was read or written.");

export function getMeta(sql: Sql, name: string): string | undefined {
  return sql.get("SELECT value FROM meta WHERE name = ?", name)?.["value"] as string | undefined;
}

export function setMeta(sql: Sql, name: string, value: string): void {
  sql.run(
    "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    name,
    value,
  );
}

/** The number of a pruned run is not used again until its events are deleted. */
const NEXT_NUMBER =
  "max((SELECT coalesce(max(n), 0) FROM runs), (SELECT coalesce(max(run), 0) FROM pruned)) + 1";

export type Column = keyof typeof CHANGING_COLUMNS;

/** The columns that can change during a run. */
export const CHANGING = Object.keys(CHANGING_COLUMNS) as Column[];

/** The columns that every step changes. The other columns have indexes, which need not be written at every step. */
export const HEAD: readonly Column[] = [
  "turns",
  "tokens",
  "cost",
  "usage",
  "updated_at",
  "seq",
  "open_tokens",
  "open_cost",
  "kept_tokens",
  "kept_cost",
];

const updateText = (names: readonly Column[]): string =>
  `UPDATE runs SET ${names.map((name) => `${name} = ?`).join(", ")}, hash = ? WHERE n = ?`;

/** The statements of the hot path. Preparing them again for each append would more than double the cost of an append. */
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
