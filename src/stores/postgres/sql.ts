// Runs statements on one connection, or on any free connection of the pool.

import { hash } from "node:crypto";
import type { ClientBase, Pool, QueryConfig } from "pg";
import { CadreError } from "../../errors.ts";
import type { Columns } from "../columns.ts";
import type { CommonSql } from "../common-queries.ts";

/** Runs a query outside of any commit. If the connection breaks, the query runs again on another one. */
export type Read = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;

export type Value = string | number | boolean | null | Uint8Array | readonly (string | number)[] | ManyRows;

interface ManyRows {
  json: string;
}

export class Sql implements CommonSql {
  private readonly on: Pick<ClientBase | Pool, "query">;

  constructor(on: Pick<ClientBase | Pool, "query">) {
    this.on = on;
  }

  async all(text: string, ...values: Value[]): Promise<Columns[]> {
    const { rows } = await this.on.query<Columns>(preparedStatement(text, values));
    for (const columns of rows) unescapeColumns(columns);
    return rows;
  }

  async get(text: string, ...values: Value[]): Promise<Columns | undefined> {
    return (await this.all(text, ...values))[0];
  }

  async run(text: string, ...values: Value[]): Promise<number> {
    return (await this.on.query(preparedStatement(text, values))).rowCount ?? 0;
  }
}

/** A named statement is prepared once per connection. Without names, parsing and planning took a quarter of Postgres' time. */
function preparedStatement(text: string, values: readonly Value[]): QueryConfig {
  // A text with several statements, such as a migration, cannot be prepared.
  if (text.includes(";")) return { text };
  const name = statementName(text);
  return { ...(name === undefined ? {} : { name }), text, values: values.map(toParameter) };
}

const names = new Map<string, string>();
/** Maximum number of statements that each connection keeps prepared. If there are more, some of them probably contain user input. */
const MOST_NAMES = 300;

export function statementName(text: string): string | undefined {
  if (!names.has(text) && names.size < MOST_NAMES) names.set(text, hash("sha1", text));
  return names.get(text);
}

export const closedError = (): CadreError =>
  new CadreError("STORAGE_UNUSABLE", "The store is closed: nothing was read or written.");

/** Rows for `json_populate_recordset`, which inserts them all with one statement. */
export const manyRows = (rows: readonly Columns[]): ManyRows => ({
  json: JSON.stringify(rows, (_, value: unknown) => (typeof value === "string" ? escapeNul(value) : value)),
});

/** A statement for many rows. `$rows` in its text is replaced by the rows. */
export interface Write {
  text: string;
  rows: readonly Columns[];
}

/** Combines several writes into one statement. Separate statements would each need a round trip, while all other writers wait. */
export async function writeTogether(
  sql: Sql,
  writes: readonly Write[],
  last?: { text: string; values: readonly Value[] },
): Promise<void> {
  const filled = writes.filter(({ rows }) => rows.length > 0);
  if (filled.length === 0 && !last) return;
  const { text, values } = last ?? { text: "SELECT 1", values: [] };
  const parts = filled.map((write, index) => {
    const slot = `$${values.length + index + 1}::json`;
    return `write_${index} AS (${write.text.replace("$rows", slot)})`;
  });
  const before = parts.length > 0 ? `WITH ${parts.join(", ")} ` : "";
  await sql.run(before + text, ...values, ...filled.map(({ rows }) => manyRows(rows)));
}

/** The format of a hash in rows that are passed as JSON. */
export const hexText = (hash: string): string => `\\x${hash}`;

export async function getMeta(sql: Sql, name: string): Promise<string | undefined> {
  return (await sql.get("SELECT value FROM meta WHERE name = $1", name))?.["value"] as string | undefined;
}

export async function setMeta(sql: Sql, name: string, value: string): Promise<void> {
  await sql.run(
    "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    name,
    value,
  );
}

/** A noncharacter of Unicode. Postgres cannot store NUL in a text, so NUL is stored as this character and a digit. */
const MARK = "\ufdd0";

function escapeNul(text: string): string {
  // UTF-8 cannot encode a lone surrogate.
  const whole = text.toWellFormed();
  if (!whole.includes("\0") && !whole.includes(MARK)) return whole;
  return whole.replaceAll(MARK, `${MARK}1`).replaceAll("\0", `${MARK}0`);
}

const unescapeNul = (text: string): string => text.replaceAll(`${MARK}0`, "\0").replaceAll(`${MARK}1`, MARK);

function toParameter(value: Value): Value {
  if (typeof value === "string") return escapeNul(value);
  return value !== null && typeof value === "object" && "json" in value ? value.json : value;
}

function unescapeColumns(columns: Columns): void {
  for (const name in columns) {
    const value = columns[name];
    if (typeof value === "string" && value.includes(MARK)) columns[name] = unescapeNul(value);
  }
}
