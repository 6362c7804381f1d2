// Statements that are looked up by their text. Preparing a statement costs more than running most of them, so each is prepared
// once. Parameters are written as `?`, or as `$1` in statements that Postgres shares.

import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { CadreError } from "../../errors.ts";
import type { CommonSql } from "../common-queries.ts";
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

  /** Turns failures of the file into errors for people. A file that is damaged in its middle fails only when that part is read. */
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

/** Reads a small value from the table `meta`. */
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
