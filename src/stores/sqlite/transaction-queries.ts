// The queries of a transaction on one SQLite file.
// One process owns the file (see owner.ts), so this process can cache the records of active runs.
// A record is read once, changed in memory, and written back once, however many appends change it.

import type { SQLInputValue, StatementSync } from "node:sqlite";
import type { Position, RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { TreeUsage } from "../../projections/usage/tree-usage.ts";
import { CommonQueries, idsIn } from "../common-queries.ts";
import { deleteLastRows, findContinuing, findNextPruned, findPrunable } from "../prune-queries.ts";
import {
  CHANGING_COLUMNS,
  immutableJson,
  newRecord,
  payerOf,
  type RunRecord,
  readRecord,
  type Slot,
} from "../run-record.ts";
import type { PruneFilter } from "../store.ts";
import type { Answer, DerivedTable, Queries, StoredText } from "../transaction/queries.ts";
import { runNow } from "../transaction/transaction.ts";
import { eventsOf, readUnderstood } from "./journal.ts";
import * as pruning from "./prune.ts";
import { indexWords } from "./search.ts";
import { CHANGING, getMeta, HEAD, type Sql, type Statements, setMeta } from "./sql.ts";

export class SqliteQueries extends CommonQueries<Sql> implements Queries {
  private readonly statements: Statements;
  readonly cache = new Map<RunId, RunRecord>();
  private readonly changed = new Set<RunRecord>();
  /** Blobs that were stored and that no append refers to yet. A prune keeps them. */
  readonly freshBlobs: Set<string>;

  constructor(statements: Statements, sql: Sql, freshBlobs: Set<string>) {
    super(sql);
    this.statements = statements;
    this.freshBlobs = freshBlobs;
  }

  /** Writes the changed records. Called at the end, and before a query over several runs. */
  writeRecords(): void {
    for (const record of this.changed) writeRecord(this.statements, record);
    this.changed.clear();
  }

  protected writeNewRuns(): void {}

  /** Forgets all cached records after a rollback, because they might contain changes that were rolled back. */
  forgetAll(): void {
    this.cache.clear();
    this.changed.clear();
  }

  find(runId: RunId): RunRecord | undefined {
    const known = this.cache.get(runId);
    if (known) return known;
    const columns = this.statements.runById.get(runId);
    if (!columns) return undefined;
    const record = readRecord(columns);
    this.cache.set(runId, record);
    return record;
  }

  prefetch(): void {}

  insertRun(row: RunRow, { slot, continues }: { slot: Slot; continues: RunId | undefined }): RunRecord {
    const record = insertRow(this.statements, row, continues);
    record.slot = slot;
    this.cache.set(row.id, record);
    return record;
  }

  touch(record: RunRecord): void {
    this.changed.add(record);
  }

  readKeys({ n }: RunRecord): Map<string, number> {
    const found = this.statements.keys.all(n);
    return new Map(found.map(({ key, seq }) => [key as string, seq as number]));
  }

  insertEvent({ n }: RunRecord, event: JournalEvent, { text, hash }: StoredText): void {
    const { position, seq, ts, type, key } = event;
    this.statements.insertEvent.run(position, n, seq, ts, type, key, text, Buffer.from(hash, "hex"));
  }

  eventAt({ n }: RunRecord, seq: number) {
    return this.statements.eventBySeq.get(n, seq) as { type: string; payload: string } | undefined;
  }

  eventsAfter({ n, row }: RunRecord, seq: number): JournalEvent[] {
    return eventsOf(this.statements, row.id, this.statements.eventsAfter.all(n, seq, -1));
  }

  putBlob(name: string, stored: string): void {
    this.statements.putBlob.run(name, stored);
  }

  needBlob({ n }: RunRecord, name: string): void {
    this.statements.addRef.run(n, name);
    this.freshBlobs.delete(name);
  }

  activeBranch(runId: RunId): RunId[] {
    this.writeRecords();
    return idsIn(this.sql.all(BRANCH, runId));
  }

  *queue(workspace: string): Generator<RunId> {
    for (const { run } of this.statements.queued.iterate(workspace)) yield run as RunId;
  }

  isQuarantined(runId: RunId): boolean {
    return this.sql.get("SELECT 1 FROM quarantine WHERE run = ?", runId) !== undefined;
  }

  prunable(filter: PruneFilter, below: number, limit: number) {
    this.writeRecords();
    return findPrunable(this.sql, filter, { below, limit, workspaceColumn: pruning.WORKSPACE });
  }

  continuedBy(root: RunId): Answer<RunId[]> {
    return findContinuing(this.sql, root);
  }

  deleteTree(root: RunId, position: Position): number {
    const dropped = pruning.deleteTree(this.sql, root, position);
    for (const runId of dropped) {
      const record = this.cache.get(runId);
      if (record) this.changed.delete(record);
      this.cache.delete(runId);
    }
    return dropped.length;
  }

  nextPruned() {
    return findNextPruned(this.sql);
  }

  deleteEvents(n: number, limit: number): number[] {
    return pruning.deleteEvents(this.sql, n, limit);
  }

  finishPruned(n: number): void {
    runNow(deleteLastRows(this.sql, n));
  }

  deleteBlobs(names: readonly string[]): number {
    return pruning.deleteBlobs(this.sql, names, this.freshBlobs);
  }

  /** SQLite keeps fresh blobs only in memory, so they are forgotten when the process ends. */
  expireFreshBlobs(): void {}

  tableCursor(table: DerivedTable): Position {
    return tableCursor(this.sql, table);
  }

  setTableCursor(table: DerivedTable, position: Position): void {
    setMeta(this.sql, table, String(position));
  }

  readPage(after: Position, limit: number): JournalEvent[] {
    return readUnderstood(this.sql, this.statements, after, limit);
  }

  rootsOf(runIds: readonly RunId[]): Map<RunId, RunId> {
    const found = this.sql.all(
      "SELECT id, root FROM runs WHERE id IN (SELECT value FROM json_each(?))",
      JSON.stringify(runIds),
    );
    return new Map(found.map(({ id, root }) => [id as RunId, root as RunId]));
  }

  treeUsages(roots: readonly RunId[]): Map<RunId, TreeUsage> {
    const found = this.sql.all(
      "SELECT root, usage FROM tree_usages WHERE root IN (SELECT value FROM json_each(?))",
      JSON.stringify(roots),
    );
    return new Map(found.map(({ root, usage }) => [root as RunId, JSON.parse(usage as string) as TreeUsage]));
  }

  writeTreeUsages(trees: ReadonlyMap<RunId, TreeUsage>): void {
    for (const [root, tree] of trees)
      this.sql.run(WRITE_TREE_USAGE, root, tree.updatedAt, JSON.stringify(tree));
  }

  indexWords(events: readonly JournalEvent[]): void {
    indexWords(this.sql, events);
  }
}

function insertRow(statements: Statements, row: RunRow, continues: string | undefined): RunRecord {
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

function writeRecord(statements: Statements, record: RunRecord): void {
  const rare = rareColumns(record);
  if (record.storedColumns && rare.every((value, index) => value === record.storedColumns![index]))
    write(statements.updateHead, HEAD_VALUES, record);
  else write(statements.updateRun, CHANGING_VALUES, record);
  record.storedColumns = rare;
}

/** The values of the columns that a step rarely changes. */
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

type ValueOf = (record: RunRecord) => string | number | null;

const HEAD_VALUES: readonly ValueOf[] = HEAD.map((name) => CHANGING_COLUMNS[name]);
const CHANGING_VALUES: readonly ValueOf[] = CHANGING.map((name) => CHANGING_COLUMNS[name]);

function write(statement: StatementSync, columns: readonly ValueOf[], record: RunRecord): void {
  const values: SQLInputValue[] = [];
  for (const read of columns) values.push(read(record));
  values.push(Buffer.from(record.hash, "hex"), record.n);
  statement.run(...values);
}

/** The position up to which a derived table is complete. */
export const tableCursor = (sql: Sql, table: DerivedTable): Position => Number(getMeta(sql, table) ?? 0);

/** CROSS JOIN makes SQLite start at the tree. Otherwise it scans every run. */
const BRANCH = `WITH RECURSIVE below (id, level) AS (
    SELECT ?, 0 UNION ALL SELECT runs.id, level + 1 FROM below CROSS JOIN runs ON runs.parent = below.id)
  SELECT runs.id FROM below CROSS JOIN runs ON runs.id = below.id
  WHERE runs.ended_at IS NULL AND runs.cancel = 0 ORDER BY level, runs.id`;

const WRITE_TREE_USAGE = `INSERT INTO tree_usages (root, updated_at, usage) VALUES (?, ?, ?)
  ON CONFLICT (root) DO UPDATE SET updated_at = excluded.updated_at, usage = excluded.usage`;
