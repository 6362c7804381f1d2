// The queries of a transaction on one SQLite file. One process owns the file (see owner.ts), so records of runs under way
// are cached here. A record is read once, changed in memory, and written back once, however many appends change it.

import type { Position, RunId } from "../../ids.ts";
import type { JournalEvent, UnjournaledState } from "../../journal/events.ts";
import type { ItemChange } from "../../projections/folds/approvals.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { MessageRow, Recording } from "../../projections/formats/message-rows.ts";
import type { TreeUsage } from "../../projections/usage/tree-usage.ts";
import { readBudget, readUnjournaled, wholeMs } from "../columns.ts";
import { payerOf, type RunRecord, readRecord, type Slot } from "../run-record.ts";
import type { Budget, PruneFilter, Quarantine, SessionMessage, WorkerCard } from "../store.ts";
import type { DerivedTable, NewGrant, Queries, SpentByOthers, StoredText } from "../transaction/queries.ts";
import { eventsOf, readUnderstood } from "./journal.ts";
import { readRecordings, writeMessage, writeRecording } from "./messages.ts";
import * as pruning from "./prune.ts";
import { insertRow, type Statements, writeRecord } from "./run-rows.ts";
import { indexWords } from "./search.ts";
import { getMeta, type Sql, setMeta } from "./sql.ts";

export class SqliteQueries implements Queries {
  private readonly statements: Statements;
  private readonly sql: Sql;
  readonly cache = new Map<RunId, RunRecord>();
  private readonly changed = new Set<RunRecord>();
  /** Blobs between being put and being needed by an append: no prune may take them. */
  readonly freshBlobs: Set<string>;

  constructor(statements: Statements, sql: Sql, freshBlobs: Set<string>) {
    this.statements = statements;
    this.sql = sql;
    this.freshBlobs = freshBlobs;
  }

  /** Writes the records that were changed: at the end, and before a query over several runs. */
  writeRecords(): void {
    for (const record of this.changed) writeRecord(this.statements, record);
    this.changed.clear();
  }

  /** After a rollback nothing in memory can be trusted. */
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

  countItems({ n }: RunRecord): number {
    return this.statements.countItems.get(n)!["items"] as number;
  }

  openItem({ n }: RunRecord, { itemId, kind, expiresAt }: ItemChange & { type: "open" }, at: number): number {
    return Number(this.statements.openItem.run(n, itemId, kind, at, wholeMs(expiresAt)).changes);
  }

  closeItem({ n }: RunRecord, itemId: string): number {
    return Number(this.statements.closeItem.run(n, itemId).changes);
  }

  closeItems({ n }: RunRecord): number {
    return Number(this.statements.closeItems.run(n).changes);
  }

  addGrant({ n }: RunRecord, { rule, by, at, until, folder, scope }: NewGrant): void {
    this.statements.addGrant.run(n, rule, by, at, wholeMs(until), scope, folder ?? null);
  }

  endGrants({ n }: RunRecord): number {
    return Number(this.statements.endGrants.run(n).changes);
  }

  deleteGrant(id: number): number {
    return this.sql.run("DELETE FROM grants WHERE id = ?", id);
  }

  countFamily({ id, rootRunId }: RunRow): { children: number; runs: number } {
    return {
      children: this.statements.countChildren.get(id)!["runs"] as number,
      runs: this.statements.countTree.get(rootRunId)!["runs"] as number,
    };
  }

  activeBranch(runId: RunId): RunId[] {
    this.writeRecords();
    return ids(this.sql.all(BRANCH, runId));
  }

  claimant(root: RunId, path: string): RunId | undefined {
    return this.statements.claimOf.get(root, path)?.["run"] as RunId | undefined;
  }

  claim(root: RunId, path: string, runId: RunId): void {
    this.statements.claim.run(root, path, runId);
  }

  endClaims(runId: RunId): void {
    this.statements.endClaims.run(runId);
  }

  slotOf(runId: RunId): { ticket: number; slot: Slot } | undefined {
    const found = this.statements.slotOf.get(runId);
    return found && { ticket: found["n"] as number, slot: found["held"] === 1 ? "held" : "queued" };
  }

  addSlot(workspace: string, runId: RunId, slot: "held" | "queued"): void {
    this.statements.addSlot.run(workspace, runId, slot === "held" ? 1 : 0);
  }

  dropSlot(runId: RunId): void {
    this.statements.dropSlot.run(runId);
  }

  countAhead(workspace: string, ticket: number): number {
    return this.statements.countAhead.get(workspace, workspace, ticket)!["runs"] as number;
  }

  *queue(workspace: string): Generator<RunId> {
    for (const { run } of this.statements.queued.iterate(workspace)) yield run as RunId;
  }

  setBudget(payer: RunId): Budget | undefined {
    const found = this.statements.setBudget.get(payer);
    return found && readBudget(found);
  }

  raiseBudget(payer: RunId, { maxTokens, maxCost }: Budget): void {
    this.statements.raiseBudget.run(payer, maxTokens ?? null, maxCost ?? null);
  }

  spentByOthers({ n, row }: RunRecord): SpentByOthers {
    this.writeRecords();
    return this.statements.spentByOthers.get(payerOf(row), n) as unknown as SpentByOthers;
  }

  countPaidBy(payer: RunId): number {
    return this.statements.countPaidBy.get(payer)!["runs"] as number;
  }

  activePaidBy(payer: RunId): RunId[] {
    this.writeRecords();
    return ids(this.sql.all("SELECT id FROM runs WHERE budget = ? AND ended_at IS NULL ORDER BY n", payer));
  }

  requestUnder(key: string): { body: string; runId: RunId } | undefined {
    const found = this.sql.get("SELECT body, run FROM idempotency WHERE key = ?", key);
    return found && { body: found["body"] as string, runId: found["run"] as RunId };
  }

  keepRequest({ key, body }: NonNullable<SessionMessage["idempotency"]>, runId: RunId): void {
    this.sql.run("INSERT INTO idempotency (key, body, run) VALUES (?, ?, ?)", key, body, runId);
  }

  lastInSession(sessionId: string, agent: string): RunId | undefined {
    return this.statements.lastInSession.get(sessionId, agent)?.["id"] as RunId | undefined;
  }

  aliveUntil(worker: string, now: number): number | undefined {
    const found = this.sql.get(
      "SELECT expires_at FROM workers WHERE name = ? AND expires_at > ?",
      worker,
      now,
    );
    return found?.["expires_at"] as number | undefined;
  }

  keepAlive(worker: string, until: number, card?: WorkerCard): void {
    this.sql.run(KEEP_ALIVE, worker, until, card ? JSON.stringify(card) : null);
  }

  isQuarantined(runId: RunId): boolean {
    return this.sql.get("SELECT 1 FROM quarantine WHERE run = ?", runId) !== undefined;
  }

  addQuarantine({ runId, reason, seq }: Quarantine): void {
    this.sql.run(
      "INSERT INTO quarantine (run, reason, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      runId,
      reason,
      seq ?? null,
    );
  }

  runsOfTree(root: RunId): RunId[] {
    this.writeRecords();
    return ids(this.sql.all("SELECT id FROM runs WHERE root = ? ORDER BY n", root));
  }

  otherPayees(root: RunId): RunId[] {
    this.writeRecords();
    return ids(
      this.sql.all("SELECT id FROM runs WHERE budget = ?1 AND root <> ?1 AND ended_at IS NULL", root),
    );
  }

  unjournaledState({ n, row }: RunRecord): UnjournaledState {
    return readUnjournaled({
      claims: this.sql.all("SELECT path FROM claims WHERE run = ? ORDER BY path", row.id),
      grants: this.sql.all("SELECT * FROM grants WHERE run = ? AND scope = 'tree' ORDER BY id", n),
      budget: this.sql.get("SELECT max_tokens, max_cost FROM budgets WHERE root = ?", row.id),
    });
  }

  sentTo(transferId: string): { target: string; hasArrived: boolean } | undefined {
    const found = this.sql.get("SELECT target, arrived_at FROM sent WHERE transfer = ?", transferId);
    return found && { target: found["target"] as string, hasArrived: found["arrived_at"] !== null };
  }

  noteSent(transferId: string, target: string): void {
    this.sql.run(
      `INSERT INTO sent (transfer, target, tries) VALUES (?, ?, 1)
       ON CONFLICT (transfer) DO UPDATE SET tries = tries + 1`,
      transferId,
      target,
    );
  }

  takeBackSent(transferId: string, target: string): void {
    this.sql.run(
      "DELETE FROM sent WHERE transfer = ? AND target = ? AND tries = 1 AND arrived_at IS NULL",
      transferId,
      target,
    );
  }

  noteArrival(transferId: string, target: string, at: number): void {
    this.sql.run(
      "UPDATE sent SET arrived_at = coalesce(arrived_at, ?) WHERE transfer = ? AND target = ?",
      at,
      transferId,
      target,
    );
  }

  importedRoot(transferId: string): RunId | undefined {
    return this.sql.get("SELECT root FROM transfers WHERE id = ?", transferId)?.["root"] as RunId | undefined;
  }

  noteImport(transferId: string, root: RunId): void {
    this.sql.run("INSERT INTO transfers (id, root) VALUES (?, ?)", transferId, root);
  }

  prunable(filter: PruneFilter, below: number, limit: number) {
    this.writeRecords();
    return pruning.prunable(this.sql, filter, below, limit);
  }

  continuedBy(root: RunId): RunId[] {
    return pruning.continuedBy(this.sql, root);
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
    return pruning.nextPruned(this.sql);
  }

  deleteMessages(runId: RunId, limit: number): number {
    return pruning.deleteMessages(this.sql, runId, limit);
  }

  deleteEvents(n: number, limit: number): number[] {
    return pruning.deleteEvents(this.sql, n, limit);
  }

  finishPruned(n: number, runId: RunId): void {
    pruning.finishPruned(this.sql, n, runId);
  }

  deleteBlobs(names: readonly string[]): number {
    return pruning.deleteBlobs(this.sql, names, this.freshBlobs);
  }

  /** They are only in memory here, and gone with the process. */
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

  recordings(runIds: readonly RunId[]): Map<RunId, Recording> {
    return readRecordings(this.sql, runIds);
  }

  writeRecordings(runIds: readonly RunId[], recordings: ReadonlyMap<RunId, Recording>): void {
    for (const runId of runIds) writeRecording(this.sql, runId, recordings.get(runId));
  }

  writeMessages(rows: readonly MessageRow[]): void {
    for (const row of rows) writeMessage(this.sql, row);
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

/** The position that a derived table has reached. */
export const tableCursor = (sql: Sql, table: DerivedTable): Position => Number(getMeta(sql, table) ?? 0);

const ids = (found: readonly Record<string, unknown>[]): RunId[] => found.map(({ id }) => id as RunId);

/** CROSS: from the tree to the rows. Left to choose, SQLite looks through every run. */
const BRANCH = `WITH RECURSIVE below (id, level) AS (
    SELECT ?, 0 UNION ALL SELECT runs.id, level + 1 FROM below CROSS JOIN runs ON runs.parent = below.id)
  SELECT runs.id FROM below CROSS JOIN runs ON runs.id = below.id
  WHERE runs.ended_at IS NULL AND runs.cancel = 0 ORDER BY level, runs.id`;

const KEEP_ALIVE = `INSERT INTO workers (name, expires_at, card) VALUES (?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at, card = coalesce(excluded.card, card)`;

const WRITE_TREE_USAGE = `INSERT INTO tree_usages (root, updated_at, usage) VALUES (?, ?, ?)
  ON CONFLICT (root) DO UPDATE SET updated_at = excluded.updated_at, usage = excluded.usage`;
