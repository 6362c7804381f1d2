// Copies whatever is readable in a damaged SQLite file into a new one (`cadre doctor --salvage`).
//  1  The damaged file is only read. It is kept under another name, with its write-ahead log.
//  2  The new file contains only whole trees: every journal matches its hash chain, from the first event to the head.
//     Other trees are set aside: their readable events are written into a text file.
//  3  Rows, blob references and inbox items are computed from the journals. The other tables are copied row by row.

import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { CadreError, messageOf } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import { type JournalEvent, TERMINAL_TYPES } from "../../journal/events.ts";
import { isNewer, readEvent } from "../../journal/upcast.ts";
import { itemChanges } from "../../projections/folds/approvals.ts";
import { foldRow, type RunRow } from "../../projections/folds/run-row.ts";
import { type Columns, hex, wholeMs } from "../columns.ts";
import { decodeBlob, neededBlobs, payloadText } from "../hashes.ts";
import {
  CHANGING_COLUMNS,
  DUE_ON_ARRIVAL,
  immutableJson,
  newRecord,
  payerOf,
  type RunRecord,
  readRecord,
} from "../run-record.ts";
import { readLink, verifyChain } from "../stored-event.ts";
import { hasUnknownFormat, openDatabase } from "./open.ts";
import {
  isLogDamaged,
  openPages,
  type Pages,
  rowsBelow,
  type StoredRow,
  strayRows,
  type Value,
} from "./pages.ts";
import { MIGRATIONS } from "./schema.ts";
import { Sql } from "./sql.ts";

export interface Salvage {
  /** The trees and runs in the new file. */
  trees: number;
  runs: number;
  setAside: SetAside[];
  /** The name under which the damaged file is kept. Undefined if the file is intact; then nothing was changed. */
  kept: string | undefined;
  /** The file with the readable events of the trees that were set aside. Undefined if there are none. */
  events: string | undefined;
}

export interface SetAside {
  /** The root of the tree. Undefined if the events do not show to which tree they belong. */
  root: RunId | undefined;
  agent: string | undefined;
  reason: string;
}

export interface SalvageOptions {
  path: string;
  /** The id of the store, in case the file no longer contains it. */
  storeId: string | undefined;
  now: Date;
}

/** The caller must own the store. */
export function salvage({ path, storeId, now }: SalvageOptions): Salvage {
  const stamp = now.toISOString().replaceAll(/[:.]/g, "-");
  const [draft, kept] = [`${path}.salvaged-${stamp}`, `${path}.damaged-${stamp}`];
  const pages = openPages(path);
  const db = openDatabase(draft);
  const sql = new Sql(db);
  try {
    // One transaction without syncing, because an incomplete draft is deleted. The checkpoint below syncs the complete draft.
    db.exec("PRAGMA synchronous = OFF; BEGIN IMMEDIATE");
    copyTables(sql, pages);
    const trees = readTrees(sql);
    const events = writeSetAside(sql, trees, `${path}.set-aside-${stamp}.jsonl`);
    const intact = writeTrees(sql, trees);
    if (storeId !== undefined) sql.run("INSERT OR IGNORE INTO meta VALUES ('id', ?)", storeId);
    const damaged = trees.filter(({ problem }) => problem !== undefined);
    const runs = intact.reduce((sum, tree) => sum + tree.runs.length, 0);
    const isWhole = damaged.length === 0 && intact.every(({ runs }) => runs.every((run) => !run.isRepaired));
    const result = {
      ...{ trees: intact.length, runs, events },
      setAside: damaged.map(({ root, agent, problem }) => ({ root, agent, reason: problem! })),
    };
    const isUnchanged = isWhole && isIntact(path);
    if (runs === 0 && events === undefined && !isUnchanged) throw nothingReadable(path);
    if (isUnchanged) return { ...result, kept: undefined };
    db.exec("COMMIT; PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    replace(path, draft, kept);
    return { ...result, kept };
  } finally {
    pages.close();
    if (db.isOpen) db.close();
    for (const file of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(file, { force: true });
  }
}

const nothingReadable = (path: string): CadreError =>
  new CadreError(
    "STORAGE_UNUSABLE",
    `No run of ${path} could be read. Nothing was changed; restore a copy, or move the file away to begin anew.`,
  );

/** Whether SQLite itself finds nothing wrong, so that there is nothing to salvage. */
function isIntact(path: string): boolean {
  if (isLogDamaged(path) || hasUnknownFormat(path)) return false;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { readOnly: true });
    const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
    if (version < 1 || version > MIGRATIONS.length) return false;
    const fresh = new DatabaseSync(":memory:");
    fresh.exec(MIGRATIONS.slice(0, version).join(";"));
    // If the version number is damaged, the tables are not those of that version.
    if (!isDeepStrictEqual(db.prepare(SHAPE).all(), fresh.prepare(SHAPE).all())) return false;
    return db.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"] === "ok";
  } catch {
    return false;
  } finally {
    db?.close();
  }
}

const SHAPE = `SELECT sqlite_schema.type, sqlite_schema.name, columns.name AS "column" FROM sqlite_schema
  LEFT JOIN pragma_table_info(sqlite_schema.name) AS columns ORDER BY 2, 3`;

/** The old file keeps its name until the new file takes it. The old log is removed before that, because SQLite would apply it to the new file. */
function replace(path: string, draft: string, kept: string): void {
  keep(path, kept);
  if (existsSync(`${path}-wal`)) keep(`${path}-wal`, `${kept}-wal`);
  for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
  renameSync(draft, path);
}

/** Gives the file a second name. If the file system has no hard links, copies the file. */
function keep(path: string, kept: string): void {
  try {
    linkSync(path, kept);
  } catch {
    copyFileSync(path, kept);
  }
}

/** Tables that are computed again: from the journals, or from the workers that are alive. */
const COMPUTED = new Set(["approvals", "workers", "quarantine", "messages", "recordings", "tree_usages"]);
/** The rows of `meta` that are copied. The other rows are about the old file or about tables that are computed again. */
const COPIED_META = new Set(["id", "position"]);

interface Table {
  name: string;
  columns: { name: string; type: string; otherwise: Value; isRowId: boolean }[];
  root: number;
  insert: (values: readonly Value[]) => void;
}

function copyTables(sql: Sql, pages: Pages): void {
  const tables = tablesOf(sql, pages);
  const seen = new Set<number>();
  for (const table of tables) for (const row of rowsBelow(pages, table.root, seen)) copyRow(table, row);
  // On stray pages, only the shape of a row shows its table. So only rows of the journals are taken from them.
  const journals = tables.filter(({ name }) => name === "events" || name === "runs" || name === "blobs");
  for (const row of strayRows(pages, seen)) for (const table of journals) if (copyRow(table, row)) break;
}

/** Returns false if the row does not belong to this table. */
function copyRow({ name, columns, insert }: Table, { rowId, values }: StoredRow): boolean {
  if (values.length > columns.length) return false;
  const row: Value[] = [];
  for (const [index, { type, otherwise, isRowId }] of columns.entries()) {
    const value = values[index] ?? (isRowId ? (rowId ?? null) : index < values.length ? null : otherwise);
    if (!fits(value, type)) return false;
    row.push(value);
  }
  if (name === "meta" && !COPIED_META.has(row[0] as string)) return true;
  if (name === "blobs" && !isBlob(row[0] as string, row[1] as string)) return false;
  try {
    insert(row);
    return true;
  } catch {
    // The row was copied already, or it breaks a constraint of the table and so is damaged.
    return false;
  }
}

function fits(value: Value, type: string): boolean {
  if (value === null) return true;
  if (type === "INTEGER") return Number.isSafeInteger(value);
  if (type === "REAL") return typeof value === "number";
  return type === "TEXT" ? typeof value === "string" : value instanceof Uint8Array;
}

function isBlob(name: string, stored: string): boolean {
  try {
    return decodeBlob(name, stored) !== undefined;
  } catch {
    return false;
  }
}

/** The tables of the new file that are copied, with their roots in the old file. */
function tablesOf(sql: Sql, pages: Pages): Table[] {
  const roots = rootsOf(pages);
  const found = sql.all(
    "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search%'",
  ) as { name: string; rootpage: number }[];
  return found.flatMap(({ name, rootpage }): Table[] => {
    if (COMPUTED.has(name)) return [];
    const described = sql.all(`SELECT * FROM pragma_table_info('${name}')`);
    const columns = described.map((column) => ({
      name: column["name"] as string,
      type: column["type"] as string,
      otherwise: column["dflt_value"] === null ? null : (JSON.parse(quoted(column["dflt_value"])) as Value),
      isRowId: column["pk"] === 1 && column["type"] === "INTEGER" && !isWithoutRowId(sql, name),
    }));
    const names = columns.map((column) => column.name);
    const text = `INSERT INTO ${name} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
    const insert = (values: readonly Value[]): void => void sql.run(text, ...values);
    // Every file of this version has its tables in the same places, unless a later version has moved them.
    return [{ name, columns, root: roots.get(name) ?? rootpage, insert }];
  });
}

/** A default of the schema as JSON: a number, or a text in single quotes. */
const quoted = (text: unknown): string => String(text).replaceAll("'", '"');

const isWithoutRowId = (sql: Sql, name: string): boolean =>
  sql.get("SELECT wr FROM pragma_table_list(?)", name)?.["wr"] === 1;

/** The first page of each table that the list of tables still shows. */
function rootsOf(pages: Pages): Map<string, number> {
  const roots = new Map<string, number>();
  for (const { values } of rowsBelow(pages, 1, new Set())) {
    const [type, name, , root] = values;
    if (type === "table" && typeof name === "string" && typeof root === "number") roots.set(name, root);
  }
  return roots;
}

interface Tree {
  root: RunId | undefined;
  agent: string | undefined;
  runs: FoundRun[];
  /** Undefined if the whole tree can be read. */
  problem: string | undefined;
}

interface FoundRun {
  n: number;
  /** Undefined if neither the row nor the first event shows the id. */
  id: RunId | undefined;
  root: RunId | undefined;
  agent: string | undefined;
  record: RunRecord | undefined;
  /** The runs that this run's journal has started. */
  children: RunId[];
  problem: string | undefined;
  /** The row did not match the journal. */
  isRepaired: boolean;
}

/** Finds all trees, and the first problem of each. */
function readTrees(sql: Sql): Tree[] {
  const numbers = sql.all(
    "SELECT n FROM runs UNION SELECT run FROM events WHERE run NOT IN (SELECT run FROM pruned) ORDER BY 1",
  );
  const runs = numbers.map(({ n }) => readRun(sql, n as number));
  const trees = new Map<RunId | undefined, FoundRun[]>();
  for (const run of runs) trees.set(run.root, [...(trees.get(run.root) ?? []), run]);
  return [...trees].map(([root, found]) => {
    const problem = root === undefined ? found[0]?.problem : problemOf(root, found);
    const agent = found.find(({ id }) => id === root)?.agent ?? found[0]?.agent;
    return { root, agent, runs: found, problem };
  });
}

function problemOf(root: RunId, runs: readonly FoundRun[]): string | undefined {
  const ids = new Set(runs.map(({ id }) => id));
  if (!ids.has(root)) return `its root run ${root} is missing`;
  for (const { problem, children } of runs) {
    if (problem !== undefined) return problem;
    const missing = children.find((child) => !ids.has(child));
    if (missing !== undefined) return `its run ${missing} is missing`;
  }
  return undefined;
}

function readRun(sql: Sql, n: number): FoundRun {
  const columns = sql.get("SELECT * FROM runs WHERE n = ?", n);
  const links = sql.all("SELECT * FROM events WHERE run = ? ORDER BY seq", n);
  const first = links[0]?.["seq"] === 1 ? parsePayload(links[0]["payload"]) : undefined;
  const root = (columns?.["root"] ?? first?.["rootRunId"]) as RunId | undefined;
  const isRoot = first !== undefined && first["parentRunId"] === undefined;
  const id = (columns?.["id"] ?? (isRoot ? root : undefined)) as RunId | undefined;
  const agent = (columns?.["agent"] ?? first?.["agent"]) as string | undefined;
  const run = { ...{ n, id, root, agent, record: undefined, isRepaired: false }, children: [] as RunId[] };
  if (id === undefined) return { ...run, problem: "the row of one of its runs is missing" };
  try {
    const { record, events } = verifiedRun(sql, n, { id, columns, links });
    for (const [event] of events ?? [])
      if (event.type === "CHILD_RUN_STARTED") run.children.push(event.payload.child_run_id);
    const isRepaired = !columns || !isDeepStrictEqual(readStored(columns), plain(record.row));
    return { ...run, record, isRepaired, problem: undefined };
  } catch (error) {
    if (isNewer(error)) throw error;
    return { ...run, problem: messageOf(error) };
  }
}

function parsePayload(text: unknown): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text as string) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

interface Found {
  id: RunId;
  columns: Columns | undefined;
  links: readonly Columns[];
}

/** Throws if the journal is not whole. If the run's row is missing, only an end event proves that no later events are missing. */
function verifiedRun(sql: Sql, n: number, { id, columns, links }: Found) {
  const last = links.at(-1);
  if (!columns && !(last && TERMINAL_TYPES.has(last["type"] as JournalEvent["type"])))
    throw new Error(`the row of its run ${id} is missing`);
  const head = columns ?? last!;
  verifyChain(
    id,
    { seq: head["seq"] as number, hash: hex(head["hash"]) },
    { after: 0, before: undefined, found: links, toEnd: true },
  );
  const events = readable(eventsOf(sql, id, links));
  if (!events && !(columns && readStored(columns))) throw new Error(`its run ${id} cannot be read`);
  const missing = events
    ?.flatMap(([event, text]) => neededBlobs(event, text))
    .find((name) => !blobOf(sql, name));
  if (missing !== undefined) throw new Error(`the stored value ${missing} of its run ${id} is missing`);
  const stored = columns && readStored(columns) ? readRecord(columns) : undefined;
  const row = events ? foldRow(events.map(([event]) => event)) : stored!.row;
  // Every run that has not ended is driven once, because its due time may be damaged.
  const dueAt = row.endedAt === undefined ? DUE_ON_ARRIVAL : undefined;
  const record = { ...newRecord(n, row), ...stored, row, hash: hex(head["hash"]) };
  return { events, record: { ...record, worker: undefined, previousUntil: undefined, dueAt } };
}

type ReadEvent = [event: JournalEvent, text: string];

/** Undefined if this version of Cadre cannot read the journal's events. The driver will quarantine the run. */
function readable(read: () => ReadEvent[]): ReadEvent[] | undefined {
  try {
    return read();
  } catch (error) {
    if (isNewer(error) || !(error instanceof CadreError && error.details)) throw error;
    return undefined;
  }
}

const eventsOf = (sql: Sql, id: RunId, links: readonly Columns[]) => (): ReadEvent[] =>
  links.map((link) => {
    const { text, ...place } = readLink(link);
    const position = link["position"] as number;
    const payload = payloadText(text, (name) => blobOf(sql, name));
    return [readEvent({ runId: id, position, ...place, text: payload }), text];
  });

const blobOf = (sql: Sql, name: string): string | undefined =>
  sql.get("SELECT text FROM blobs WHERE hash = ?", name)?.["text"] as string | undefined;

/** The row as stored. Undefined if it cannot be read. */
function readStored(columns: Columns): unknown {
  try {
    return plain(readRecord(columns).row);
  } catch {
    return undefined;
  }
}

/** Removes the undefined fields of a row, so that two rows can be compared. */
const plain = (row: RunRow): unknown => JSON.parse(JSON.stringify(row));

/** Writes the readable events of the trees with problems into a file, and deletes them. Returns undefined if there are none. */
function writeSetAside(sql: Sql, trees: readonly Tree[], path: string): string | undefined {
  const lines = trees
    .filter(({ problem }) => problem !== undefined)
    .flatMap(({ root, runs }) =>
      runs.flatMap(({ n, id }) =>
        sql
          .all("SELECT position, seq, ts, type, key, payload FROM events WHERE run = ? ORDER BY seq", n)
          .map(({ payload, ...place }) => JSON.stringify({ root, run: id ?? n, ...place, payload })),
      ),
    );
  if (lines.length === 0) return undefined;
  const file = openSync(path, "wx", 0o600);
  for (const line of lines) writeSync(file, `${line}\n`);
  fsyncSync(file);
  closeSync(file);
  return path;
}

/** Writes the trees without problems, and deletes everything that belongs to the others. */
function writeTrees(sql: Sql, trees: readonly Tree[]): Tree[] {
  const intact = trees.filter(({ problem }) => problem === undefined);
  const unreadable = trees.filter(({ problem }) => problem !== undefined).flatMap(({ runs }) => runs);
  for (const { n } of unreadable) {
    for (const table of ["events", "grants"]) sql.run(`DELETE FROM ${table} WHERE run = ?`, n);
    sql.run("DELETE FROM runs WHERE n = ?", n);
  }
  for (const { runs } of intact) for (const { record } of runs) writeRun(sql, record!);
  const known = "(SELECT id FROM runs)";
  const kept = "(SELECT n FROM runs UNION ALL SELECT run FROM pruned)";
  for (const table of ["events", "refs"]) sql.run(`DELETE FROM ${table} WHERE run NOT IN ${kept}`);
  for (const table of ["idempotency", "claims", "slots"])
    sql.run(`DELETE FROM ${table} WHERE run NOT IN ${known}`);
  sql.run(`DELETE FROM budgets WHERE root NOT IN ${known}`);
  sql.run(LAST_POSITION);
  return intact;
}

const LAST_POSITION = `INSERT INTO meta SELECT 'position', coalesce(max(position), 0) FROM events WHERE TRUE
  ON CONFLICT (name) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))`;

function writeRun(sql: Sql, record: RunRecord): void {
  const { n, row, hash } = record;
  const events = sql.all("SELECT * FROM events WHERE run = ? ORDER BY seq", n);
  const first = parsePayload(events[0]!["payload"])!;
  const continues = first["continues"] as { runId: RunId } | undefined;
  const values: Record<string, SQLInputValue> = {
    ...{ n, id: row.id, root: row.rootRunId, budget: payerOf(row), parent: row.parentRunId ?? null },
    ...{ agent: row.agent, session: row.sessionId ?? null, user_id: row.userId ?? null },
    ...{ continues: continues?.runId ?? null, born: immutableJson(row), created_at: row.createdAt },
    hash: Buffer.from(hash, "hex"),
  };
  for (const [name, read] of Object.entries(CHANGING_COLUMNS)) values[name] = read(record);
  const names = Object.keys(values);
  sql.run("DELETE FROM runs WHERE n = ?", n);
  const text = `INSERT INTO runs (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  sql.run(text, ...Object.values(values));
  for (const [event, text] of readable(eventsOf(sql, row.id, events)) ?? []) {
    for (const name of neededBlobs(event, text)) sql.run("INSERT OR IGNORE INTO refs VALUES (?, ?)", n, name);
    writeItems(sql, n, event);
  }
}

function writeItems(sql: Sql, n: number, event: JournalEvent): void {
  for (const change of itemChanges(event)) {
    if (change.type === "open")
      sql.run(
        "INSERT OR IGNORE INTO approvals VALUES (?, ?, ?, ?, ?)",
        ...[n, change.itemId, change.kind, event.ts, wholeMs(change.expiresAt)],
      );
    else if (change.type === "close")
      sql.run("DELETE FROM approvals WHERE run = ? AND item = ?", n, change.itemId);
    else sql.run("DELETE FROM approvals WHERE run = ?", n);
  }
}
