// Converts a whole database to readable text, and the text back to a database.
// The text includes the schema of the version that wrote the database, so that a later version has to migrate the database.

import { DatabaseSync } from "node:sqlite";

export interface Dump {
  version: number;
  schema: string[];
  tables: Record<string, Record<string, unknown>[]>;
}

export function dumpDatabase(path: string): Dump {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const version = db.prepare("PRAGMA user_version").get()?.["user_version"] as number;
    const made = db.prepare(SELECT_SCHEMA).all();
    const names = made.filter((entry) => entry["type"] === "table").map((entry) => entry["name"] as string);
    const tables = names
      .filter((name) => name !== "search")
      .map((name) => [name, db.prepare(`SELECT * FROM ${name}`).all().map(toText)]);
    return { version, schema: made.map((entry) => entry["sql"] as string), tables: Object.fromEntries(tables) };
  } finally {
    db.close();
  }
}

/** Skips the internal tables of the search index, because the index is rebuilt from the journals. */
const SELECT_SCHEMA = `SELECT name, type, sql FROM sqlite_master
  WHERE sql IS NOT NULL AND name NOT LIKE 'search\\_%' ESCAPE '\\' ORDER BY rowid`;

export function restoreDatabase(dump: Dump, path: string): void {
  const db = new DatabaseSync(path);
  try {
    for (const sql of dump.schema) db.exec(sql);
    for (const [name, rows] of Object.entries(dump.tables)) {
      for (const row of rows) {
        const columns = Object.keys(row);
        const marks = columns.map(() => "?").join(", ");
        db.prepare(`INSERT INTO ${name} (${columns.join(", ")}) VALUES (${marks})`).run(...columns.map((key) => fromText(row[key])));
      }
    }
    db.exec(`PRAGMA user_version = ${dump.version}`);
  } finally {
    db.close();
  }
}

function toText(row: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(row).map(([key, value]) => [
    key,
    value instanceof Uint8Array ? { hex: Buffer.from(value).toString("hex") } : value,
  ]);
  return Object.fromEntries(entries);
}

function fromText(value: unknown): string | number | null | Buffer {
  if (value !== null && typeof value === "object") return Buffer.from((value as { hex: string }).hex, "hex");
  return value as string | number | null;
}
