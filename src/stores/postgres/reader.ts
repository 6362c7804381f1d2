// Everything that is read from the database, outside of any commit: each answer is one statement, so that it shows one
// moment. A journal is verified against its chain as it is read (J9).

import { CadreError } from "../../errors.ts";
import type { Position, RunId, Seq } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { markQuarantined, readApproval, readGrant, readQuarantine, verifiedBlob } from "../columns.ts";
import type { FlatStore } from "../flat-store.ts";
import { type Columns, hex, optional, readRow } from "../run-record.ts";
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
import { readStoredEvent, verifyChain } from "../stored-event.ts";
import { storageError } from "./faults.ts";
import { countRuns, firstHits, runConditions, treeTotals } from "./lists.ts";
import { type Database, NOW_MS, withRetries } from "./open.ts";
import { eventsOf, pageOf } from "./read-events.ts";
import { Sql, type Value } from "./sql.ts";
import { countTotals, listSessions } from "./totals.ts";

const DEFAULT_PAGE = 50;
/** A signal makes a resting run due; one that was set aside stays aside, or it would crowd out the others. */
const NOT_SET_ASIDE = "NOT EXISTS (SELECT 1 FROM quarantine WHERE quarantine.run = runs.id)";

interface DueQuestion {
  now: number;
  /** Null: the database's. */
  clock: number | null;
  limit: number;
  of: PoolFilter | undefined;
}

export class PostgresReader {
  protected readonly database: Database;
  private readonly outside: Sql;
  protected closed = false;

  constructor(database: Database) {
    this.database = database;
    this.outside = new Sql(database.pool);
  }

  /** Reading may be done twice: a connection that breaks under it is replaced. */
  protected async reading<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    if (this.closed) throw closedError();
    try {
      return await withRetries(
        () => work(this.outside),
        () => this.closed,
      );
    } catch (error) {
      throw storageError(error, this.database.place);
    }
  }

  /** `now` is the caller's; whether a worker is alive is told by the database's clock, unless a test has its own. */
  protected dueRuns({ now, clock, limit, of }: DueQuestion): Promise<RunId[]> {
    const [ours, values] = inPool(of);
    return this.reading(async (sql) => {
      const orphaned = await sql.all(
        `SELECT id FROM runs WHERE worker IS NOT NULL AND ${NOT_SET_ASIDE} ${ours}
           AND NOT EXISTS (SELECT 1 FROM workers WHERE name = runs.worker AND expires_at > coalesce($1, ${NOW_MS}))
           ORDER BY n LIMIT $2`,
        clock,
        limit,
        ...values,
      );
      const free = await sql.all(
        `SELECT id FROM runs WHERE due_at <= $1 AND ${NOT_SET_ASIDE} ${ours} ORDER BY due_at, n LIMIT $2`,
        now,
        limit - orphaned.length,
        ...values,
      );
      // Given back between the two questions, a run would be told twice.
      return [...new Set([...orphaned, ...free].map((columns) => columns["id"] as string))];
    });
  }

  nextDue(): Promise<number | undefined> {
    return this.reading(async (sql) => {
      const first = await sql.get(
        `SELECT min(due_at) AS at FROM runs WHERE due_at IS NOT NULL AND ${NOT_SET_ASIDE}`,
      );
      return optional(first?.["at"]) as number | undefined;
    });
  }

  quarantined(): Promise<Quarantine[]> {
    return this.reading(async (sql) => {
      const found = await sql.all("SELECT run, reason, seq FROM quarantine ORDER BY run");
      return found.map(readQuarantine);
    });
  }

  orphans(): Promise<RunId[]> {
    return this.reading(async (sql) => {
      const found = await sql.all(
        `SELECT runs.id FROM runs JOIN runs AS above ON above.id = runs.parent
         WHERE runs.ended_at IS NULL AND runs.parent IS NOT NULL AND above.ended_at IS NOT NULL
           AND runs.waiting IS DISTINCT FROM 'quarantine' AND ${NOT_SET_ASIDE}`,
      );
      return found.map((columns) => columns["id"] as string);
    });
  }

  async run(runId: RunId): Promise<RunRow | undefined> {
    return (await this.rowsWhere("WHERE runs.id = $1", [runId]))[0]?.row;
  }

  async runs(filter: RunFilter): Promise<{ runs: RunRow[]; nextCursor: string | undefined }> {
    const limit = filter.limit ?? DEFAULT_PAGE;
    const { where, values } = runConditions(filter);
    const found = await this.rowsWhere(`${where} ORDER BY n DESC LIMIT $${values.length + 1}`, [
      ...values,
      limit + 1,
    ]);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return { runs: page.map(({ row }) => row), nextCursor: last && String(last.n) };
  }

  private rowsWhere(rest: string, values: readonly Value[]): Promise<{ n: number; row: RunRow }[]> {
    return this.reading(async (sql) => {
      const found = await sql.all(
        `SELECT runs.*, quarantine.reason FROM runs LEFT JOIN quarantine ON quarantine.run = runs.id ${rest}`,
        ...values,
      );
      return found.map((columns) => ({ n: columns["n"] as number, row: listed(columns) }));
    });
  }

  countRuns(filter: RunFilter): Promise<number> {
    return this.reading((sql) => countRuns(sql, filter));
  }

  treeTotals(roots: readonly RunId[]) {
    return this.reading((sql) => treeTotals(sql, roots));
  }

  firstHits(q: string, runs: readonly RunId[]) {
    return this.reading((sql) => firstHits(sql, q, runs));
  }

  sessions(filter: Parameters<FlatStore["sessions"]>[0]) {
    return this.reading((sql) => listSessions(sql, filter));
  }

  totals(): Promise<StoreTotals> {
    return this.reading(countTotals);
  }

  journal(runId: RunId, after: Seq = 0, limit = -1): Promise<JournalEvent[]> {
    return this.reading(async (sql) => {
      const rows = await sql.all(
        `SELECT runs.seq AS head_seq, runs.hash AS head_hash, link.* FROM runs LEFT JOIN LATERAL (
           SELECT * FROM events WHERE events.run = runs.n AND events.seq >= $2 ORDER BY events.seq LIMIT $3
         ) AS link ON TRUE WHERE runs.id = $1 ORDER BY link.seq`,
        runId,
        Math.max(after, 1),
        limit < 0 ? null : limit + (after > 0 ? 1 : 0),
      );
      const head = rows[0] && { seq: rows[0]["head_seq"] as number, hash: hex(rows[0]["head_hash"]) };
      if (!head || after >= head.seq) return [];
      const links = rows.filter((columns) => columns["seq"] !== null);
      const before = after > 0 && links[0]?.["seq"] === after ? links.shift() : undefined;
      const toEnd = limit < 0 || links.length < limit;
      verifyChain(runId, head, { after, before, found: links, toEnd });
      return eventsOf(sql, runId, links);
    });
  }

  head(runId: RunId, at?: Seq): Promise<{ seq: Seq; hash: string } | undefined> {
    return this.reading(async (sql) => {
      const columns =
        at === undefined
          ? await sql.get("SELECT seq, hash FROM runs WHERE id = $1", runId)
          : await sql.get(
              "SELECT seq, hash FROM events WHERE run = (SELECT n FROM runs WHERE id = $1) AND seq = $2",
              runId,
              at,
            );
      return columns && { seq: columns["seq"] as number, hash: hex(columns["hash"]) };
    });
  }

  stored(root: RunId, after: Position, limit: number): Promise<StoredEvent[]> {
    return this.reading(async (sql) => {
      const found = await sql.all(
        `SELECT events.*, runs.id FROM runs JOIN events ON events.run = runs.n
         WHERE runs.root = $1 AND position > $2 ORDER BY position LIMIT $3`,
        root,
        after,
        limit,
      );
      return found.map(readStoredEvent);
    });
  }

  read(after: Position, limit: number, of: ReadOptions = {}): Promise<JournalEvent[]> {
    return this.reading((sql) => readPage(sql, after, limit, of));
  }

  position(): Promise<Position> {
    return this.reading(async (sql) => (await sql.get("SELECT position FROM head"))!["position"] as number);
  }

  openApprovals(filter: JournalScope = {}): Promise<ApprovalRef[]> {
    return this.reading(async (sql) => {
      const found = await sql.all(
        `SELECT runs.id, approvals.* FROM approvals JOIN runs ON runs.n = approvals.run
         WHERE ($1::text IS NULL OR runs.id = $1) AND ($2::text IS NULL OR runs.root = $2)
           AND ($3::text IS NULL OR runs.user_id = $3) ORDER BY opened_at, item COLLATE "C"`,
        filter.run ?? null,
        filter.root ?? null,
        filter.user ?? null,
      );
      return found.map(readApproval);
    });
  }

  /** Asked for every call that is judged, and each time of the database: another process may have revoked one. */
  grants(): Promise<StandingGrant[]> {
    return this.reading(async (sql) => {
      const found = await sql.all(
        `SELECT grants.*, coalesce(grants.run_id, runs.id) AS given_in
         FROM grants LEFT JOIN runs ON runs.n = grants.run ORDER BY grants.id`,
      );
      return found.map(readGrant);
    });
  }

  blob(name: string, of?: { user: string }): Promise<string | undefined> {
    return this.reading(async (sql) => {
      if (of && !(await sql.get(NEEDED_BY, name, of.user))) return undefined;
      const stored = (await sql.get("SELECT text FROM blobs WHERE hash = $1", name))?.["text"];
      return stored === undefined ? undefined : verifiedBlob(name, (stored as Buffer).toString("utf8"));
    });
  }
}

export const closedError = (): CadreError =>
  new CadreError("STORAGE_UNUSABLE", "The store is closed: nothing was read or written.");

/** All journals in commit order, after a position. */
export async function readPage(
  sql: Sql,
  after: Position,
  limit: number,
  { run, root, user, ...upTo }: ReadOptions = {},
): Promise<JournalEvent[]> {
  const narrowest: [sql: string, value: string | undefined][] = [
    [ONE_RUN, run],
    ["AND runs.root = $3", root],
    ["AND runs.user_id = $3", user],
  ];
  const [condition = "", value] = narrowest.find(([, given]) => given !== undefined) ?? [];
  const values = value === undefined ? [] : [value];
  for (let from = after; ; ) {
    const rows = await sql.all(
      `SELECT events.*, runs.id FROM events JOIN runs ON runs.n = events.run
       WHERE position > $1 ${condition} ORDER BY position LIMIT $2`,
      from,
      limit,
      ...values,
    );
    const events = await pageOf(sql, rows, upTo);
    // A page on which nothing can be read is not the end.
    if (events.length > 0 || rows.length < limit) return events;
    from = rows.at(-1)!["position"] as number;
  }
}

const NEEDED_BY =
  "SELECT 1 FROM refs JOIN runs ON runs.n = refs.run WHERE refs.hash = $1 AND runs.user_id = $2 LIMIT 1";

/** From the end: a live reader of a long journal asks after every commit. */
const ONE_RUN = `AND runs.id = $3 AND events.seq > coalesce((
  SELECT seq FROM events AS seen WHERE seen.run = (SELECT n FROM runs WHERE id = $3) AND seen.position <= $1
  ORDER BY seq DESC LIMIT 1), 0)`;

function listed(columns: Columns): RunRow {
  return markQuarantined(readRow(columns), optional(columns["reason"]) as string | undefined);
}

/** By the root's workspace: a child may work in a worktree of its own. */
function inPool(of: PoolFilter | undefined): [condition: string, values: (string | readonly string[])[]] {
  if (!of) return ["", []];
  const { pool, pools, workspaces } = of;
  const [test, folders] =
    "in" in workspaces
      ? (["= ANY($5)", workspaces.in] as const)
      : (["<> ALL($5)", workspaces.notIn] as const);
  return [
    `AND (runs.pool = $3 OR coalesce(runs.pool, '') <> ALL($4)
       AND EXISTS (SELECT 1 FROM runs AS top WHERE top.id = runs.root AND top.workspace ${test}))`,
    [pool, pools, folders],
  ];
}
