// Everything that is read from the file. A journal is verified against its chain as it is read (J9).

import type { DatabaseSync } from "node:sqlite";
import type { Position, RunId, Seq } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { readEvent } from "../../journal/upcast.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { markQuarantined, readApproval, readGrant, readQuarantine, verifiedBlob } from "../columns.ts";
import type { FlatStore } from "../flat-store.ts";
import { hex, optional, readRow } from "../run-record.ts";
import type {
  ApprovalRef,
  JournalScope,
  PoolFilter,
  Quarantine,
  ReadOptions,
  RunFilter,
  StandingGrant,
  StoredEvent,
  StoreTotals,
} from "../store.ts";
import { readableEvents, readLink, readStoredEvent, verifyChain } from "../stored-event.ts";
import { payloadText } from "./batch.ts";
import { countRuns, firstHits, runConditions, treeTotals } from "./lists.ts";
import { prepareStatements, type Statements } from "./run-rows.ts";
import { type Columns, Sql } from "./sql.ts";
import { countTotals, listSessions } from "./totals.ts";

const DEFAULT_PAGE = 50;
/** Events that are looked through faster than a run's own are sorted. */
const NEAR = 1_000;
/** A signal makes a resting run due; one that was set aside stays aside, or it would crowd out the others. */
const NOT_SET_ASIDE = "id NOT IN (SELECT run FROM quarantine)";

export class SqliteReader {
  protected readonly db: DatabaseSync;
  protected readonly statements: Statements;
  protected readonly sql: Sql;

  constructor(db: DatabaseSync) {
    this.db = db;
    this.sql = new Sql(db);
    this.statements = this.sql.withStorageErrors(() => prepareStatements(db));
  }

  async due(now: number, limit: number, of?: PoolFilter): Promise<RunId[]> {
    const [ours, values] = inPool(of);
    // +n: left to choose, SQLite looks through every run in that order.
    const orphaned = this.sql.all(
      `SELECT id FROM runs WHERE worker IS NOT NULL AND ${NOT_SET_ASIDE}
         AND worker NOT IN (SELECT name FROM workers WHERE expires_at > ?) ${ours} ORDER BY +n LIMIT ?`,
      now,
      ...values,
      limit,
    );
    const free = this.sql.all(
      `SELECT id FROM runs WHERE due_at <= ? AND ${NOT_SET_ASIDE} ${ours} ORDER BY due_at, n LIMIT ?`,
      now,
      ...values,
      limit - orphaned.length,
    );
    return [...orphaned, ...free].map((columns) => columns["id"] as string);
  }

  async nextDue(): Promise<number | undefined> {
    const first = this.sql.get(
      `SELECT min(due_at) AS at FROM runs WHERE due_at IS NOT NULL AND ${NOT_SET_ASIDE}`,
    );
    return optional(first?.["at"]) as number | undefined;
  }

  async quarantined(): Promise<Quarantine[]> {
    return this.sql.all("SELECT run, reason, seq FROM quarantine ORDER BY run").map(readQuarantine);
  }

  /** By two small indexes first: rows are read only of those whose parent is not among the living. */
  async orphans(): Promise<RunId[]> {
    const found = this.sql.all(
      `SELECT id FROM runs AS child WHERE n IN (
         SELECT n FROM runs AS below INDEXED BY runs_alive_below WHERE ended_at IS NULL AND parent IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM runs INDEXED BY runs_alive WHERE id = below.parent AND ended_at IS NULL))
       AND (SELECT ended_at FROM runs WHERE id = child.parent) IS NOT NULL
       AND coalesce(waiting_on ->> '$.kind', '') <> 'quarantine' AND ${NOT_SET_ASIDE}`,
    );
    return found.map((columns) => columns["id"] as string);
  }

  async run(runId: RunId): Promise<RunRow | undefined> {
    const columns = this.sql.withStorageErrors(() => this.statements.runById.get(runId));
    return columns && this.listed([readRow(columns)])[0];
  }

  async runs(filter: RunFilter): Promise<{ runs: RunRow[]; nextCursor: string | undefined }> {
    const limit = filter.limit ?? DEFAULT_PAGE;
    const { where, values } = runConditions(filter);
    const found = this.sql.all(`SELECT * FROM runs ${where} ORDER BY n DESC LIMIT ?`, ...values, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const nextCursor = last && String(last["n"]);
    return { runs: this.listed(page.map(readRow)), nextCursor };
  }

  async countRuns(filter: RunFilter): Promise<number> {
    return countRuns(this.sql, filter);
  }

  async treeTotals(roots: readonly RunId[]) {
    return treeTotals(this.sql, roots);
  }

  async firstHits(q: string, runs: readonly RunId[]) {
    return firstHits(this.sql, q, runs);
  }

  async sessions(filter: Parameters<FlatStore["sessions"]>[0]) {
    return listSessions(this.sql, filter);
  }

  totals(): Promise<StoreTotals> {
    return countTotals(this.sql);
  }

  private listed(rows: RunRow[]): RunRow[] {
    const aside = new Map(
      this.sql.all("SELECT run, reason FROM quarantine").map((entry) => [entry["run"], entry["reason"]]),
    );
    if (aside.size === 0) return rows;
    return rows.map((row) => markQuarantined(row, aside.get(row.id) as string | undefined));
  }

  async journal(runId: RunId, after: Seq = 0, limit = -1): Promise<JournalEvent[]> {
    const run = this.sql.get("SELECT n, seq, hash FROM runs WHERE id = ?", runId);
    if (!run || after >= (run["seq"] as number)) return [];
    const n = run["n"] as number;
    const before =
      after === 0 ? undefined : this.sql.get("SELECT hash FROM events WHERE run = ? AND seq = ?", n, after);
    const found = this.sql.withStorageErrors(() => this.statements.eventsAfter.all(n, after, limit));
    verifyChain(
      runId,
      { seq: run["seq"] as number, hash: hex(run["hash"]) },
      { after, before, found, toEnd: limit < 0 || found.length < limit },
    );
    return found.map((columns) => this.eventOf(runId, columns));
  }

  async head(runId: RunId, at?: Seq): Promise<{ seq: Seq; hash: string } | undefined> {
    const columns =
      at === undefined
        ? this.sql.get("SELECT seq, hash FROM runs WHERE id = ?", runId)
        : this.sql.get(
            "SELECT seq, hash FROM events WHERE run = (SELECT n FROM runs WHERE id = ?) AND seq = ?",
            runId,
            at,
          );
    return columns && { seq: columns["seq"] as number, hash: hex(columns["hash"]) };
  }

  async stored(root: RunId, after: Position, limit: number): Promise<StoredEvent[]> {
    return this.sql
      .all(
        `SELECT events.*, runs.id FROM runs JOIN events ON events.run = runs.n
         WHERE runs.root = ? AND position > ? ORDER BY position LIMIT ?`,
        root,
        after,
        limit,
      )
      .map(readStoredEvent);
  }

  async read(after: Position, limit: number, of: ReadOptions = {}): Promise<JournalEvent[]> {
    return this.page(after, limit, of);
  }

  protected page(after: Position, limit: number, of: ReadOptions = {}): JournalEvent[] {
    const { where, values } = partConditions(of, "AND");
    // Near the end the latest events are looked through, whoever's they are: a live reader asks after every commit.
    const join = this.lag(after) < NEAR ? "CROSS JOIN" : "JOIN";
    for (let from = after; ; ) {
      const rows = this.sql.all(
        `SELECT events.*, runs.id FROM events ${join} runs ON runs.n = events.run
         WHERE position > ? ${where} ORDER BY position LIMIT ?`,
        from,
        ...values,
        limit,
      );
      const events = readableEvents(rows, (columns) => this.eventOf(columns["id"] as string, columns), of);
      // A page on which nothing can be read is not the end.
      if (events.length > 0 || rows.length < limit) return events;
      from = rows.at(-1)!["position"] as number;
    }
  }

  private lag(after: Position): number {
    return Number(this.sql.get("SELECT max(position) AS p FROM events")?.["p"] ?? 0) - after;
  }

  async openApprovals(filter: JournalScope = {}): Promise<ApprovalRef[]> {
    const { where, values } = partConditions(filter, "WHERE");
    return this.sql
      .all(
        `SELECT runs.id, approvals.* FROM approvals JOIN runs ON runs.n = approvals.run ${where} ORDER BY opened_at, item`,
        ...values,
      )
      .map(readApproval);
  }

  async grants(): Promise<StandingGrant[]> {
    return this.sql
      .all(
        `SELECT grants.*, coalesce(grants.run_id, runs.id) AS given_in
         FROM grants LEFT JOIN runs ON runs.n = grants.run ORDER BY grants.id`,
      )
      .map(readGrant);
  }

  async blob(name: string, of?: { user: string }): Promise<string | undefined> {
    if (of && !this.sql.get(NEEDED_BY, name, of.user)) return undefined;
    const stored = this.sql.withStorageErrors(() => this.statements.getBlob.get(name))?.["text"] as
      | string
      | undefined;
    return stored === undefined ? undefined : verifiedBlob(name, stored);
  }

  protected eventOf(runId: RunId, columns: Columns): JournalEvent {
    const { text, ...link } = readLink(columns);
    return readEvent({
      runId,
      position: columns["position"] as number,
      ...link,
      text: payloadText(this.statements, text),
    });
  }
}

const NEEDED_BY =
  "SELECT 1 FROM refs JOIN runs ON runs.n = refs.run WHERE refs.hash = ? AND runs.user_id = ? LIMIT 1";

function partConditions(
  { run, root, user }: JournalScope,
  begin: "AND" | "WHERE",
): { where: string; values: string[] } {
  const given = [
    ["runs.id = ?", run],
    ["runs.root = ?", root],
    ["runs.user_id = ?", user],
  ].filter(([, value]) => value !== undefined) as [string, string][];
  const texts = given.map(([text]) => text).join(" AND ");
  return { where: texts === "" ? "" : `${begin} ${texts}`, values: given.map(([, value]) => value) };
}

/** By the root's workspace: a child may work in a worktree of its own. */
function inPool(of: PoolFilter | undefined): [condition: string, values: string[]] {
  if (!of) return ["", []];
  const { pool, pools, workspaces } = of;
  const [test, folders] =
    "in" in workspaces ? (["IN", workspaces.in] as const) : (["NOT IN", workspaces.notIn] as const);
  return [
    `AND (born ->> '$.pool' = ? OR coalesce(born ->> '$.pool', '') NOT IN (SELECT value FROM json_each(?))
       AND (SELECT top.born ->> '$.workspace' FROM runs AS top WHERE top.id = runs.root) ${test} (SELECT value FROM json_each(?)))`,
    [pool, JSON.stringify(pools), JSON.stringify(folders)],
  ];
}
