// The queries of a transaction on Postgres, under the lock of the head: no other process writes meanwhile. Records are read
// together and written together, so that a commit takes a handful of round trips, however many appends it holds. A cached
// record counts only if no other process has written since it was read. If another one has, but the row turns out to be the
// same, its keys and recent events are kept.

import type { Position, RunId } from "../../ids.ts";
import type { JournalEvent, UnjournaledState } from "../../journal/events.ts";
import type { ItemChange } from "../../projections/folds/approvals.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { MessageRow, Recording } from "../../projections/formats/message-rows.ts";
import type { TreeUsage } from "../../projections/usage/tree-usage.ts";
import { type Columns, readBudget, readUnjournaled, wholeMs } from "../columns.ts";
import { newRecord, payerOf, type RunRecord, type Slot } from "../run-record.ts";
import type { Budget, PruneFilter, Quarantine, SessionMessage, WorkerCard } from "../store.ts";
import type {
  DerivedTable,
  Needs,
  NewGrant,
  Queries,
  SpentByOthers,
  StoredText,
} from "../transaction/queries.ts";
import type { Answer } from "../transaction/steps.ts";
import { eventsOf, readUnderstood } from "./journal.ts";
import { readRecordings, writeMessages, writeRecordings } from "./messages.ts";
import * as pruning from "./prune.ts";
import { changedRuns, newRuns, readKeys, readRuns } from "./run-rows.ts";
import { indexWords } from "./search.ts";
import { getMeta, hexText, type Sql, setMeta, type Write, writeTogether } from "./sql.ts";
import { readTreeUsages, rootsOf, writeTreeUsages } from "./usage.ts";

/** Characters of payloads that wait to be written. More would make one statement too large. */
const MAX_PENDING = 8_000_000;

/** Records that a process keeps from commit to commit. */
export interface RecordCache {
  records: Map<RunId, RunRecord>;
  /** Those that no other process can have changed since they were read. */
  current: Set<RunId>;
}

export class PostgresQueries implements Queries {
  readonly sql: Sql;
  private readonly cache: RecordCache;
  /** The highest number of a run. */
  private runs: number;
  /** Runs that were looked for: the cache has them as the tables do, or they do not exist. */
  private readonly seen = new Set<RunId>();
  private readonly changed = new Set<RunRecord>();
  /** New runs, each with the run that it continues. */
  private readonly born = new Map<RunRecord, RunId | undefined>();
  private pendingEvents: Columns[] = [];
  private pendingCharacters = 0;
  private refs: Columns[] = [];
  private quarantined: Set<RunId> | undefined;
  /** Workers that were heard of in this transaction. */
  private readonly alive = new Set<string>();
  /** Blobs that are needed from now on. */
  readonly needed = new Set<string>();

  constructor(sql: Sql, cache: RecordCache, runs: number) {
    this.sql = sql;
    this.cache = cache;
    this.runs = runs;
  }

  /** Writes all that is left, and moves the head. */
  async finish(position: number): Promise<void> {
    const writes = [...this.takeRecords(), this.takeEvents(), { text: ADD_REFS, rows: this.refs }];
    await writeTogether(this.sql, writes, { text: MOVE_HEAD, values: [position, this.runs] });
  }

  find(runId: RunId): Answer<RunRecord | undefined> {
    const { records, current } = this.cache;
    const known = records.get(runId);
    if (known ? this.seen.has(runId) || current.has(runId) : this.seen.has(runId)) return known;
    return this.look([runId]).then(() => records.get(runId));
  }

  /** One round trip for the records, and one for the keys. */
  async prefetch({ rows = [], keys = [] }: Needs): Promise<void> {
    await this.look([...rows, ...keys]);
    const records = [...new Set(keys)].flatMap((runId) => this.cache.records.get(runId) ?? []);
    const without = records.filter((record) => record.keys === undefined);
    await readKeys(
      this.sql,
      without.map((record) => ({ record, after: 0 })),
    );
  }

  private async look(runIds: readonly RunId[]): Promise<void> {
    const { records, current } = this.cache;
    const missing = new Set(
      runIds.filter((runId) => !this.seen.has(runId) && !(current.has(runId) && records.has(runId))),
    );
    if (missing.size === 0) return;
    const found = new Map((await readRuns(this.sql, [...missing])).map((record) => [record.row.id, record]));
    const behind: { record: RunRecord; after: number }[] = [];
    for (const runId of missing) {
      this.seen.add(runId);
      current.add(runId);
      const known = records.get(runId);
      const record = found.get(runId);
      records.delete(runId);
      if (record) records.set(runId, record);
      if (!record || known?.n !== record.n) continue;
      record.keys = known.keys;
      if (known.hash === record.hash)
        Object.assign(record, { recent: known.recent, characters: known.characters });
      else if (record.keys) behind.push({ record, after: known.row.seq });
    }
    await readKeys(this.sql, behind);
  }

  /** It is written with the others, and not read back. */
  insertRun(row: RunRow, { slot, continues }: { slot: Slot; continues: RunId | undefined }): RunRecord {
    const record = newRecord(++this.runs, row);
    record.slot = slot;
    this.cache.records.set(row.id, record);
    this.cache.current.add(row.id);
    this.seen.add(row.id);
    this.born.set(record, continues);
    return record;
  }

  touch(record: RunRecord): void {
    this.changed.add(record);
  }

  private async writeRecords(): Promise<void> {
    await writeTogether(this.sql, this.takeRecords());
  }

  private takeRecords(): Write[] {
    const { born, changed } = this;
    for (const record of born.keys()) changed.delete(record);
    const writes = [newRuns(born), changedRuns(changed)];
    born.clear();
    changed.clear();
    return writes;
  }

  async readKeys(record: RunRecord): Promise<Map<string, number>> {
    await readKeys(this.sql, [{ record, after: 0 }]);
    return record.keys!;
  }

  insertEvent({ n }: RunRecord, event: JournalEvent, { text, hash }: StoredText): Answer<void> {
    const { position, seq, ts, type, key } = event;
    this.pendingEvents.push({ position, run: n, seq, ts, type, key, payload: text, hash: hexText(hash) });
    this.pendingCharacters += text.length;
    if (this.pendingCharacters > MAX_PENDING) return this.writeEvents();
  }

  private async writeEvents(): Promise<void> {
    await writeTogether(this.sql, [this.takeEvents()]);
  }

  private takeEvents(): Write {
    const rows = this.pendingEvents;
    this.pendingEvents = [];
    this.pendingCharacters = 0;
    return { text: ADD_EVENTS, rows };
  }

  async eventAt({ n }: RunRecord, seq: number): Promise<{ type: string; payload: string } | undefined> {
    await this.writeEvents();
    const found = await this.sql.get("SELECT type, payload FROM events WHERE run = $1 AND seq = $2", n, seq);
    return found as { type: string; payload: string } | undefined;
  }

  async eventsAfter({ n, row }: RunRecord, seq: number): Promise<JournalEvent[]> {
    await this.writeEvents();
    const found = await this.sql.all("SELECT * FROM events WHERE run = $1 AND seq > $2 ORDER BY seq", n, seq);
    return eventsOf(this.sql, row.id, found);
  }

  async putBlob(name: string, stored: string): Promise<void> {
    await this.sql.run(PUT_BLOB, name, Buffer.from(stored));
  }

  needBlob({ n }: RunRecord, name: string): void {
    this.refs.push({ run: n, hash: name });
    this.needed.add(name);
  }

  async countItems({ n }: RunRecord): Promise<number> {
    return (await this.sql.get("SELECT count(*) AS items FROM approvals WHERE run = $1", n))![
      "items"
    ] as number;
  }

  openItem(
    { n }: RunRecord,
    { itemId, kind, expiresAt }: ItemChange & { type: "open" },
    at: number,
  ): Promise<number> {
    return this.sql.run(OPEN_ITEM, n, itemId, kind, at, wholeMs(expiresAt));
  }

  closeItem({ n }: RunRecord, itemId: string): Promise<number> {
    return this.sql.run("DELETE FROM approvals WHERE run = $1 AND item = $2", n, itemId);
  }

  closeItems({ n }: RunRecord): Promise<number> {
    return this.sql.run("DELETE FROM approvals WHERE run = $1", n);
  }

  async addGrant({ n }: RunRecord, { rule, by, at, until, folder, scope }: NewGrant): Promise<void> {
    await this.sql.run(ADD_GRANT, n, rule, by, at, wholeMs(until), scope, folder ?? null);
  }

  endGrants({ n }: RunRecord): Promise<number> {
    return this.sql.run("DELETE FROM grants WHERE run = $1 AND scope = 'tree'", n);
  }

  deleteGrant(id: number): Promise<number> {
    return this.sql.run("DELETE FROM grants WHERE id = $1", id);
  }

  async countFamily({ id, rootRunId }: RunRow): Promise<{ children: number; runs: number }> {
    await this.writeRecords();
    return (await this.sql.get(FAMILY, id, rootRunId)) as { children: number; runs: number };
  }

  async activeBranch(runId: RunId): Promise<RunId[]> {
    await this.writeRecords();
    return ids(await this.sql.all(BRANCH, runId));
  }

  async claimant(root: RunId, path: string): Promise<RunId | undefined> {
    const claim = await this.sql.get("SELECT run FROM claims WHERE root = $1 AND path = $2", root, path);
    return claim?.["run"] as RunId | undefined;
  }

  async claim(root: RunId, path: string, runId: RunId): Promise<void> {
    await this.sql.run(CLAIM, root, path, runId);
  }

  async endClaims(runId: RunId): Promise<void> {
    await this.sql.run("DELETE FROM claims WHERE run = $1", runId);
  }

  async slotOf(runId: RunId): Promise<{ ticket: number; slot: Slot } | undefined> {
    const found = await this.sql.get("SELECT n, held FROM slots WHERE run = $1", runId);
    return found && { ticket: found["n"] as number, slot: found["held"] === 1 ? "held" : "queued" };
  }

  async addSlot(workspace: string, runId: RunId, slot: "held" | "queued"): Promise<void> {
    await this.sql.run(ADD_SLOT, workspace, runId, slot === "held" ? 1 : 0);
  }

  async dropSlot(runId: RunId): Promise<void> {
    await this.sql.run("DELETE FROM slots WHERE run = $1", runId);
  }

  async countAhead(workspace: string, ticket: number): Promise<number> {
    return (await this.sql.get(COUNT_AHEAD, workspace, ticket))!["runs"] as number;
  }

  async queue(workspace: string): Promise<RunId[]> {
    const queued = await this.sql.all(
      "SELECT run FROM slots WHERE workspace = $1 AND held = 0 ORDER BY n",
      workspace,
    );
    return queued.map(({ run }) => run as RunId);
  }

  async setBudget(payer: RunId): Promise<Budget | undefined> {
    const found = await this.sql.get("SELECT max_tokens, max_cost FROM budgets WHERE root = $1", payer);
    return found && readBudget(found);
  }

  async raiseBudget(payer: RunId, { maxTokens, maxCost }: Budget): Promise<void> {
    await this.sql.run(RAISE_BUDGET, payer, maxTokens ?? null, maxCost ?? null);
  }

  async spentByOthers({ n, row }: RunRecord): Promise<SpentByOthers> {
    await this.writeRecords();
    return (await this.sql.get(SPENT_BY_OTHERS, payerOf(row), n)) as unknown as SpentByOthers;
  }

  async countPaidBy(payer: RunId): Promise<number> {
    await this.writeRecords();
    return (await this.sql.get("SELECT count(*) AS runs FROM runs WHERE budget = $1", payer))![
      "runs"
    ] as number;
  }

  async activePaidBy(payer: RunId): Promise<RunId[]> {
    await this.writeRecords();
    return ids(
      await this.sql.all("SELECT id FROM runs WHERE budget = $1 AND ended_at IS NULL ORDER BY n", payer),
    );
  }

  async requestUnder(key: string): Promise<{ body: string; runId: RunId } | undefined> {
    const found = await this.sql.get("SELECT body, run FROM idempotency WHERE key = $1", key);
    return found && { body: found["body"] as string, runId: found["run"] as RunId };
  }

  async keepRequest({ key, body }: NonNullable<SessionMessage["idempotency"]>, runId: RunId): Promise<void> {
    await this.sql.run("INSERT INTO idempotency (key, body, run) VALUES ($1, $2, $3)", key, body, runId);
  }

  async lastInSession(sessionId: string, agent: string): Promise<RunId | undefined> {
    await this.writeRecords();
    return (await this.sql.get(LAST_IN_SESSION, sessionId, agent))?.["id"] as RunId | undefined;
  }

  async aliveUntil(worker: string, now: number): Promise<number | undefined> {
    const found = await this.sql.get("SELECT expires_at FROM workers WHERE name = $1", worker);
    const until = found?.["expires_at"] as number | undefined;
    return until !== undefined && until > now ? until : undefined;
  }

  async keepAlive(worker: string, until: number, card?: WorkerCard): Promise<void> {
    if (this.alive.has(worker) && !card) return;
    this.alive.add(worker);
    await this.sql.run(KEEP_ALIVE, worker, until, card ? JSON.stringify(card) : null);
  }

  /** They are few, and every acquisition asks for them: they are read once. */
  async isQuarantined(runId: RunId): Promise<boolean> {
    this.quarantined ??= new Set(
      (await this.sql.all("SELECT run FROM quarantine")).map(({ run }) => run as RunId),
    );
    return this.quarantined.has(runId);
  }

  async addQuarantine({ runId, reason, seq }: Quarantine): Promise<void> {
    await this.sql.run(ADD_QUARANTINE, runId, reason, seq ?? null);
    this.quarantined?.add(runId);
  }

  async runsOfTree(root: RunId): Promise<RunId[]> {
    await this.writeRecords();
    return ids(await this.sql.all("SELECT id FROM runs WHERE root = $1 ORDER BY n", root));
  }

  async otherPayees(root: RunId): Promise<RunId[]> {
    await this.writeRecords();
    return ids(
      await this.sql.all("SELECT id FROM runs WHERE budget = $1 AND root <> $1 AND ended_at IS NULL", root),
    );
  }

  async unjournaledState({ n, row }: RunRecord): Promise<UnjournaledState> {
    const { sql } = this;
    return readUnjournaled({
      claims: await sql.all('SELECT path FROM claims WHERE run = $1 ORDER BY path COLLATE "C"', row.id),
      grants: await sql.all("SELECT * FROM grants WHERE run = $1 AND scope = 'tree' ORDER BY id", n),
      budget: await sql.get("SELECT max_tokens, max_cost FROM budgets WHERE root = $1", row.id),
    });
  }

  async sentTo(transferId: string): Promise<{ target: string; hasArrived: boolean } | undefined> {
    const found = await this.sql.get("SELECT target, arrived_at FROM sent WHERE transfer = $1", transferId);
    return found && { target: found["target"] as string, hasArrived: found["arrived_at"] !== null };
  }

  async noteSent(transferId: string, target: string): Promise<void> {
    await this.sql.run(NOTE_SENT, transferId, target);
  }

  async takeBackSent(transferId: string, target: string): Promise<void> {
    await this.sql.run(TAKE_BACK_SENT, transferId, target);
  }

  async noteArrival(transferId: string, target: string, at: number): Promise<void> {
    await this.sql.run(NOTE_ARRIVAL, transferId, target, at);
  }

  async importedRoot(transferId: string): Promise<RunId | undefined> {
    const found = await this.sql.get("SELECT root FROM transfers WHERE id = $1", transferId);
    return found?.["root"] as RunId | undefined;
  }

  async noteImport(transferId: string, root: RunId): Promise<void> {
    await this.sql.run("INSERT INTO transfers (id, root) VALUES ($1, $2)", transferId, root);
  }

  async prunable(filter: PruneFilter, below: number, limit: number) {
    await this.writeRecords();
    return pruning.prunable(this.sql, filter, below, limit);
  }

  continuedBy(root: RunId): Promise<RunId[]> {
    return pruning.continuedBy(this.sql, root);
  }

  async deleteTree(root: RunId): Promise<number> {
    const dropped = await pruning.deleteTree(this.sql, root);
    for (const runId of dropped) {
      const record = this.cache.records.get(runId);
      if (record) this.changed.delete(record);
      this.cache.records.delete(runId);
    }
    return dropped.length;
  }

  nextPruned() {
    return pruning.nextPruned(this.sql);
  }

  deleteMessages(runId: RunId, limit: number): Promise<number> {
    return pruning.deleteMessages(this.sql, runId, limit);
  }

  deleteEvents(n: number, limit: number): Promise<number[]> {
    return pruning.deleteEvents(this.sql, n, limit);
  }

  finishPruned(n: number, runId: RunId): Promise<void> {
    return pruning.finishPruned(this.sql, n, runId);
  }

  deleteBlobs(names: readonly string[]): Promise<number> {
    return pruning.deleteBlobs(this.sql, names);
  }

  async expireFreshBlobs(now: number): Promise<void> {
    await this.sql.run("DELETE FROM fresh WHERE until <= $1", now);
  }

  tableCursor(table: DerivedTable): Promise<Position> {
    return tableCursor(this.sql, table);
  }

  setTableCursor(table: DerivedTable, position: Position): Promise<void> {
    return setMeta(this.sql, table, String(position));
  }

  readPage(after: Position, limit: number): Promise<JournalEvent[]> {
    return readUnderstood(this.sql, after, limit);
  }

  recordings(runIds: readonly RunId[]): Promise<Map<RunId, Recording>> {
    return readRecordings(this.sql, runIds);
  }

  writeRecordings(runIds: readonly RunId[], recordings: ReadonlyMap<RunId, Recording>): Promise<void> {
    return writeRecordings(this.sql, runIds, recordings);
  }

  writeMessages(rows: readonly MessageRow[]): Promise<void> {
    return writeMessages(this.sql, rows);
  }

  rootsOf(runIds: readonly RunId[]): Promise<Map<RunId, RunId>> {
    return rootsOf(this.sql, runIds);
  }

  treeUsages(roots: readonly RunId[]): Promise<Map<RunId, TreeUsage>> {
    return readTreeUsages(this.sql, roots);
  }

  writeTreeUsages(trees: ReadonlyMap<RunId, TreeUsage>): Promise<void> {
    return writeTreeUsages(this.sql, trees);
  }

  indexWords(events: readonly JournalEvent[]): Promise<void> {
    return indexWords(this.sql, events);
  }
}

/** The position that a derived table has reached. */
export const tableCursor = async (sql: Sql, table: DerivedTable): Promise<Position> =>
  Number((await getMeta(sql, table)) ?? 0);

const ids = (found: readonly Columns[]): RunId[] => found.map(({ id }) => id as RunId);

const ADD_EVENTS = "INSERT INTO events SELECT * FROM json_populate_recordset(NULL::events, $rows)";

const ADD_REFS =
  "INSERT INTO refs SELECT * FROM json_populate_recordset(NULL::refs, $rows) ON CONFLICT DO NOTHING";

const MOVE_HEAD = "UPDATE head SET position = $1, runs = $2, commits = commits + 1";

export const PUT_BLOB = "INSERT INTO blobs (hash, text) VALUES ($1, $2) ON CONFLICT DO NOTHING";

const OPEN_ITEM = `INSERT INTO approvals (run, item, kind, opened_at, expires_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING`;

const ADD_GRANT = `INSERT INTO grants (run, rule, given_by, given_at, until, scope, folder)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;

const FAMILY = `SELECT (SELECT count(*) FROM runs WHERE parent = $1) AS children,
    (SELECT count(*) FROM runs WHERE root = $2) AS runs`;

const BRANCH = `WITH RECURSIVE below (id, level) AS (
    SELECT $1::text, 0 UNION ALL SELECT runs.id, level + 1 FROM below JOIN runs ON runs.parent = below.id)
  SELECT runs.id FROM below JOIN runs ON runs.id = below.id
  WHERE runs.ended_at IS NULL AND runs.cancel = 0 ORDER BY level, runs.id COLLATE "C"`;

const CLAIM = `INSERT INTO claims (root, path, run) VALUES ($1, $2, $3)
  ON CONFLICT (root, path) DO UPDATE SET run = excluded.run`;

const ADD_SLOT = "INSERT INTO slots (workspace, run, held) VALUES ($1, $2, $3)";

const COUNT_AHEAD = `SELECT (SELECT count(*) FROM slots WHERE workspace = $1 AND held = 1)
    + (SELECT count(*) FROM slots WHERE workspace = $1 AND held = 0 AND n < $2) AS runs`;

const RAISE_BUDGET = `INSERT INTO budgets (root, max_tokens, max_cost) VALUES ($1, $2, $3) ON CONFLICT (root) DO UPDATE SET
  max_tokens = coalesce(excluded.max_tokens, budgets.max_tokens), max_cost = coalesce(excluded.max_cost, budgets.max_cost)`;

const SPENT_BY_OTHERS = `SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost), 0) AS cost,
    coalesce(sum(open_tokens), 0) AS "openTokens", coalesce(sum(open_cost), 0) AS "openCost"
  FROM runs WHERE budget = $1 AND n <> $2`;

const LAST_IN_SESSION = `SELECT id FROM runs WHERE session = $1 AND agent = $2 AND parent IS NULL
  ORDER BY n DESC LIMIT 1`;

/** Without a card the last one stays. */
const KEEP_ALIVE = `INSERT INTO workers (name, expires_at, card) VALUES ($1, $2, $3)
  ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at, card = coalesce(excluded.card, workers.card)
  WHERE workers.expires_at <> excluded.expires_at OR excluded.card <> coalesce(workers.card, '')`;

const ADD_QUARANTINE = "INSERT INTO quarantine (run, reason, seq) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";

const NOTE_SENT = `INSERT INTO sent (transfer, target, tries) VALUES ($1, $2, 1)
  ON CONFLICT (transfer) DO UPDATE SET tries = sent.tries + 1`;

const TAKE_BACK_SENT =
  "DELETE FROM sent WHERE transfer = $1 AND target = $2 AND tries = 1 AND arrived_at IS NULL";

const NOTE_ARRIVAL =
  "UPDATE sent SET arrived_at = coalesce(arrived_at, $3) WHERE transfer = $1 AND target = $2";
