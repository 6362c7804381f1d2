// The queries of a transaction on Postgres. The transaction holds the lock on the head, so no other process can write.
// Records are read together and written together. So a commit needs only a few round trips for any number of appends.
// A cached record is valid only if no other process has written to the store since the record was read.
// If another process has written, the record's row is read again. If the row is unchanged, the record's keys and recent events stay valid.

import type { Position, RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { TreeUsage } from "../../projections/usage/tree-usage.ts";
import type { Columns } from "../columns.ts";
import { CommonQueries, idsIn } from "../common-queries.ts";
import { deleteTreeRows, findContinuing, findNextPruned, findPrunable } from "../prune-queries.ts";
import {
  CHANGING_COLUMNS,
  immutableJson,
  newRecord,
  payerOf,
  type RunRecord,
  readRecord,
  type Slot,
} from "../run-record.ts";
import type { PruneFilter, Quarantine, WorkerCard } from "../store.ts";
import type { Answer, DerivedTable, Needs, Queries, StoredText } from "../transaction/queries.ts";
import { runLater } from "../transaction/transaction.ts";
import { eventsOf, readUnderstood } from "./journal.ts";
import * as pruning from "./prune.ts";
import { indexWords } from "./search.ts";
import { getMeta, hexText, type Sql, setMeta, type Write, writeTogether } from "./sql.ts";
import { readTreeUsages, rootsOf, writeTreeUsages } from "./usage.ts";

/** Maximum number of payload characters in one statement. */
const MAX_PENDING = 8_000_000;

/** The run records that a process keeps in memory between commits. */
export interface RecordCache {
  records: Map<RunId, RunRecord>;
  /** Runs that no other process can have changed since they were read. */
  current: Set<RunId>;
}

export class PostgresQueries extends CommonQueries<Sql> implements Queries {
  private readonly cache: RecordCache;
  /** The highest run number so far. */
  private runs: number;
  /** Runs that this transaction has read. The cache and the tables agree on them: both have the same content, or neither has the run. */
  private readonly seen = new Set<RunId>();
  private readonly changed = new Set<RunRecord>();
  /** New runs, each with the run that it continues, if any. */
  private readonly born = new Map<RunRecord, RunId | undefined>();
  private pendingEvents: Columns[] = [];
  private pendingCharacters = 0;
  private refs: Columns[] = [];
  private quarantined: Set<RunId> | undefined;
  /** Workers whose heartbeat this transaction has written. */
  private readonly alive = new Set<string>();
  /** Blobs to which an append of this transaction refers. */
  readonly needed = new Set<string>();

  constructor(sql: Sql, cache: RecordCache, runs: number) {
    super(sql);
    this.cache = cache;
    this.runs = runs;
  }

  /** Writes all remaining changes, and advances the head. */
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

  /** Reads the records in one round trip, and the keys in another. */
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

  /** The new record is written with the others at the end of the transaction, and is not read back. */
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

  protected async writeRecords(): Promise<void> {
    await writeTogether(this.sql, this.takeRecords());
  }

  protected writeNewRuns(): Promise<void> {
    return this.writeRecords();
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

  async activeBranch(runId: RunId): Promise<RunId[]> {
    await this.writeRecords();
    return idsIn(await this.sql.all(BRANCH, runId));
  }

  async queue(workspace: string): Promise<RunId[]> {
    const queued = await this.sql.all(
      "SELECT run FROM slots WHERE workspace = $1 AND held = 0 ORDER BY n",
      workspace,
    );
    return queued.map(({ run }) => run as RunId);
  }

  override async keepAlive(worker: string, until: number, card?: WorkerCard): Promise<void> {
    if (this.alive.has(worker) && !card) return;
    this.alive.add(worker);
    await super.keepAlive(worker, until, card);
  }

  /** Reads all quarantined runs once: they are few, and every acquisition checks them. */
  async isQuarantined(runId: RunId): Promise<boolean> {
    this.quarantined ??= new Set(
      (await this.sql.all("SELECT run FROM quarantine")).map(({ run }) => run as RunId),
    );
    return this.quarantined.has(runId);
  }

  override async addQuarantine(entry: Quarantine): Promise<void> {
    await super.addQuarantine(entry);
    this.quarantined?.add(entry.runId);
  }

  async prunable(filter: PruneFilter, below: number, limit: number) {
    await this.writeRecords();
    return findPrunable(this.sql, filter, { below, limit, workspaceColumn: "workspace" });
  }

  continuedBy(root: RunId): Answer<RunId[]> {
    return findContinuing(this.sql, root);
  }

  async deleteTree(root: RunId): Promise<number> {
    const dropped = await runLater(deleteTreeRows(this.sql, root));
    for (const runId of dropped) {
      const record = this.cache.records.get(runId);
      if (record) this.changed.delete(record);
      this.cache.records.delete(runId);
    }
    return dropped.length;
  }

  nextPruned() {
    return findNextPruned(this.sql);
  }

  deleteEvents(n: number, limit: number): Promise<number[]> {
    return pruning.deleteEvents(this.sql, n, limit);
  }

  finishPruned(n: number): Promise<void> {
    return pruning.finishPruned(this.sql, n);
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

/** Reads records, together with the slot and the number of open items. Reading these separately would need a round trip for each. */
async function readRuns(sql: Sql, ids: readonly string[]): Promise<RunRecord[]> {
  const found = await sql.all(
    `SELECT runs.*, slots.held AS slot, (SELECT count(*) FROM approvals WHERE approvals.run = runs.n) AS items
     FROM runs LEFT JOIN slots ON slots.run = runs.id WHERE runs.id = ANY($1)`,
    ids,
  );
  return found.map((columns) => {
    const record = readRecord(columns);
    record.openItems = columns["items"] as number;
    record.slot = columns["slot"] === null ? "none" : columns["slot"] === 1 ? "held" : "queued";
    return record;
  });
}

/** Reads the keys of these runs. For each run, it reads the keys after a given seq. */
async function readKeys(sql: Sql, wanted: readonly { record: RunRecord; after: number }[]): Promise<void> {
  if (wanted.length === 0) return;
  for (const { record } of wanted) record.keys ??= new Map();
  const byNumber = new Map(wanted.map(({ record }) => [record.n, record.keys!]));
  const found = await sql.all(
    `SELECT events.run, events.key, events.seq FROM unnest($1::bigint[], $2::bigint[]) AS wanted (run, after)
     JOIN events ON events.run = wanted.run AND events.seq > wanted.after`,
    wanted.map(({ record }) => record.n),
    wanted.map(({ after }) => after),
  );
  for (const { run, key, seq } of found) byNumber.get(run as number)!.set(key as string, seq as number);
}

/** Inserts new runs, each with the run that it continues. */
const newRuns = (born: ReadonlyMap<RunRecord, string | undefined>): Write => ({
  text: "INSERT INTO runs SELECT * FROM json_populate_recordset(NULL::runs, $rows)",
  rows: Array.from(born, ([record, continues]) => ({ continues: continues ?? null, ...columnsOf(record) })),
});

const changedRuns = (dirty: Iterable<RunRecord>): Write => ({
  text: CHANGE_RUNS,
  rows: Array.from(dirty, changingColumns),
});

function columnsOf(record: RunRecord): Columns {
  const { row } = record;
  return {
    id: row.id,
    root: row.rootRunId,
    budget: payerOf(row),
    parent: row.parentRunId ?? null,
    agent: row.agent,
    session: row.sessionId ?? null,
    user_id: row.userId ?? null,
    workspace: row.workspace,
    pool: row.pool ?? null,
    born: immutableJson(row),
    created_at: row.createdAt,
    ...changingColumns(record),
  };
}

const changingColumns = (record: RunRecord): Columns => ({
  n: record.n,
  hash: hexText(record.hash),
  ...Object.fromEntries(Object.entries(CHANGING_COLUMNS).map(([name, read]) => [name, read(record)])),
});

const CHANGE_RUNS = `UPDATE runs SET ${[...Object.keys(CHANGING_COLUMNS), "hash"]
  .map((name) => `${name} = now.${name}`)
  .join(", ")}
  FROM json_populate_recordset(NULL::runs, $rows) AS now WHERE runs.n = now.n`;

/** The position up to which a derived table is complete. */
export const tableCursor = async (sql: Sql, table: DerivedTable): Promise<Position> =>
  Number((await getMeta(sql, table)) ?? 0);

const ADD_EVENTS = "INSERT INTO events SELECT * FROM json_populate_recordset(NULL::events, $rows)";

const ADD_REFS =
  "INSERT INTO refs SELECT * FROM json_populate_recordset(NULL::refs, $rows) ON CONFLICT DO NOTHING";

const MOVE_HEAD = "UPDATE head SET position = $1, runs = $2, commits = commits + 1";

export const PUT_BLOB = "INSERT INTO blobs (hash, text) VALUES ($1, $2) ON CONFLICT DO NOTHING";

const BRANCH = `WITH RECURSIVE below (id, level) AS (
    SELECT $1::text, 0 UNION ALL SELECT runs.id, level + 1 FROM below JOIN runs ON runs.parent = below.id)
  SELECT runs.id FROM below JOIN runs ON runs.id = below.id
  WHERE runs.ended_at IS NULL AND runs.cancel = 0 ORDER BY level, runs.id COLLATE "C"`;
