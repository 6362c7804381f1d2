// SQL that is the same on SQLite and Postgres. SQLite returns results immediately, Postgres returns promises.

import type { RunId } from "../ids.ts";
import type { UnjournaledState } from "../journal/events.ts";
import type { ItemChange } from "../projections/folds/approvals.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import { type Columns, readBudget, readUnjournaled, wholeMs } from "./columns.ts";
import { payerOf, type RunRecord, type Slot } from "./run-record.ts";
import type { Budget, Quarantine, SessionMessage, WorkerCard } from "./store.ts";
import type { Answer, NewGrant, SpentByOthers } from "./transaction/queries.ts";
import { mapAnswer, type Steps, type Transaction } from "./transaction/transaction.ts";

/** Runs statements in which parameters are written as `$1`. */
export interface CommonSql {
  all(text: string, ...values: CommonValue[]): Answer<Columns[]>;
  get(text: string, ...values: CommonValue[]): Answer<Columns | undefined>;
  /** Returns the number of rows that the statement changed. */
  run(text: string, ...values: CommonValue[]): Answer<number>;
}

export type CommonValue = string | number | null;

/** Executes a piece of work: `write` in the next commit, `read` outside of any commit. */
export interface TableAccess {
  read<T>(work: (sql: CommonSql) => Steps<T>): Promise<T>;
  write<T>(work: (sql: CommonSql, tx: Transaction) => Steps<T>): Promise<T>;
}

/** The queries of a transaction that both stores share. */
export abstract class CommonQueries<S extends CommonSql> {
  readonly sql: S;

  constructor(sql: S) {
    this.sql = sql;
  }

  /** Writes the changed records to the tables. Must be called before a query over several runs. */
  protected abstract writeRecords(): Answer<void>;

  /** Writes the new runs. Does nothing in SQLite, which has already inserted each run. */
  protected abstract writeNewRuns(): Answer<void>;

  countItems({ n }: RunRecord): Answer<number> {
    return this.count("SELECT count(*) AS count FROM approvals WHERE run = $1", n);
  }

  openItem({ n }: RunRecord, { itemId, kind, expiresAt }: ItemChange & { type: "open" }, at: number) {
    return this.sql.run(OPEN_ITEM, n, itemId, kind, at, wholeMs(expiresAt));
  }

  closeItem({ n }: RunRecord, itemId: string): Answer<number> {
    return this.sql.run("DELETE FROM approvals WHERE run = $1 AND item = $2", n, itemId);
  }

  closeItems({ n }: RunRecord): Answer<number> {
    return this.sql.run("DELETE FROM approvals WHERE run = $1", n);
  }

  addGrant({ n }: RunRecord, { rule, by, at, until, folder, scope }: NewGrant): Answer<void> {
    return this.change(ADD_GRANT, n, rule, by, at, wholeMs(until), scope, folder ?? null);
  }

  endGrants({ n }: RunRecord): Answer<number> {
    return this.sql.run("DELETE FROM grants WHERE run = $1 AND scope = 'tree'", n);
  }

  deleteGrant(id: number): Answer<number> {
    return this.sql.run("DELETE FROM grants WHERE id = $1", id);
  }

  countFamily({ id, rootRunId }: RunRow): Answer<{ children: number; runs: number }> {
    const counted = mapAnswer(this.writeNewRuns(), () => this.sql.get(COUNT_FAMILY, id, rootRunId));
    return counted as Answer<{ children: number; runs: number }>;
  }

  claimant(root: RunId, path: string): Answer<RunId | undefined> {
    return this.value("SELECT run AS value FROM claims WHERE root = $1 AND path = $2", root, path);
  }

  claim(root: RunId, path: string, runId: RunId): Answer<void> {
    return this.change(CLAIM, root, path, runId);
  }

  endClaims(runId: RunId): Answer<void> {
    return this.change("DELETE FROM claims WHERE run = $1", runId);
  }

  slotOf(runId: RunId): Answer<{ ticket: number; slot: Slot } | undefined> {
    const row = this.sql.get("SELECT n, held FROM slots WHERE run = $1", runId);
    return mapAnswer(
      row,
      (columns) =>
        columns && { ticket: columns["n"] as number, slot: columns["held"] === 1 ? "held" : "queued" },
    );
  }

  addSlot(workspace: string, runId: RunId, slot: "held" | "queued"): Answer<void> {
    const held = slot === "held" ? 1 : 0;
    return this.change(
      "INSERT INTO slots (workspace, run, held) VALUES ($1, $2, $3)",
      workspace,
      runId,
      held,
    );
  }

  dropSlot(runId: RunId): Answer<void> {
    return this.change("DELETE FROM slots WHERE run = $1", runId);
  }

  countAhead(workspace: string, ticket: number): Answer<number> {
    return this.count(COUNT_AHEAD, workspace, ticket);
  }

  setBudget(payer: RunId): Answer<Budget | undefined> {
    return mapAnswer(this.sql.get(BUDGET, payer), (columns) => columns && readBudget(columns));
  }

  raiseBudget(payer: RunId, { maxTokens, maxCost }: Budget): Answer<void> {
    return this.change(RAISE_BUDGET, payer, maxTokens ?? null, maxCost ?? null);
  }

  spentByOthers({ n, row }: RunRecord): Answer<SpentByOthers> {
    const sums = mapAnswer(this.writeRecords(), () => this.sql.get(SPENT_BY_OTHERS, payerOf(row), n));
    return sums as unknown as Answer<SpentByOthers>;
  }

  countPaidBy(payer: RunId): Answer<number> {
    return mapAnswer(this.writeNewRuns(), () =>
      this.count("SELECT count(*) AS count FROM runs WHERE budget = $1", payer),
    );
  }

  activePaidBy(payer: RunId): Answer<RunId[]> {
    return this.runIds("SELECT id FROM runs WHERE budget = $1 AND ended_at IS NULL ORDER BY n", payer);
  }

  requestUnder(key: string): Answer<{ body: string; runId: RunId } | undefined> {
    const row = this.sql.get("SELECT body, run FROM idempotency WHERE key = $1", key);
    return mapAnswer(
      row,
      (columns) => columns && { body: columns["body"] as string, runId: columns["run"] as RunId },
    );
  }

  keepRequest({ key, body }: NonNullable<SessionMessage["idempotency"]>, runId: RunId): Answer<void> {
    return this.change("INSERT INTO idempotency (key, body, run) VALUES ($1, $2, $3)", key, body, runId);
  }

  lastInSession(sessionId: string, agent: string): Answer<RunId | undefined> {
    return mapAnswer(this.writeNewRuns(), () => this.value(LAST_IN_SESSION, sessionId, agent));
  }

  aliveUntil(worker: string, now: number): Answer<number | undefined> {
    return this.value(
      "SELECT expires_at AS value FROM workers WHERE name = $1 AND expires_at > $2",
      worker,
      now,
    );
  }

  keepAlive(worker: string, until: number, card?: WorkerCard): Answer<void> {
    return this.change(KEEP_ALIVE, worker, until, card ? JSON.stringify(card) : null);
  }

  addQuarantine({ runId, reason, seq }: Quarantine): Answer<void> {
    return this.change(ADD_QUARANTINE, runId, reason, seq ?? null);
  }

  runsOfTree(root: RunId): Answer<RunId[]> {
    return this.runIds("SELECT id FROM runs WHERE root = $1 ORDER BY n", root);
  }

  otherPayees(root: RunId): Answer<RunId[]> {
    return this.runIds("SELECT id FROM runs WHERE budget = $1 AND root <> $1 AND ended_at IS NULL", root);
  }

  unjournaledState({ n, row }: RunRecord): Answer<UnjournaledState> {
    const { sql } = this;
    return mapAnswer(sql.all("SELECT path FROM claims WHERE run = $1 ORDER BY path", row.id), (claims) =>
      mapAnswer(sql.all(TREE_GRANTS, n), (grants) =>
        mapAnswer(sql.get(BUDGET, row.id), (budget) => readUnjournaled({ claims, grants, budget })),
      ),
    );
  }

  sentTo(transferId: string): Answer<{ target: string; hasArrived: boolean } | undefined> {
    const row = this.sql.get("SELECT target, arrived_at FROM sent WHERE transfer = $1", transferId);
    return mapAnswer(
      row,
      (columns) =>
        columns && { target: columns["target"] as string, hasArrived: columns["arrived_at"] !== null },
    );
  }

  noteSent(transferId: string, target: string): Answer<void> {
    return this.change(NOTE_SENT, transferId, target);
  }

  takeBackSent(transferId: string, target: string): Answer<void> {
    return this.change(TAKE_BACK_SENT, transferId, target);
  }

  noteArrival(transferId: string, target: string, at: number): Answer<void> {
    return this.change(NOTE_ARRIVAL, transferId, target, at);
  }

  importedRoot(transferId: string): Answer<RunId | undefined> {
    return this.value("SELECT root AS value FROM transfers WHERE id = $1", transferId);
  }

  noteImport(transferId: string, root: RunId): Answer<void> {
    return this.change("INSERT INTO transfers (id, root) VALUES ($1, $2)", transferId, root);
  }

  private change(text: string, ...values: CommonValue[]): Answer<void> {
    return mapAnswer(this.sql.run(text, ...values), () => {});
  }

  private count(text: string, ...values: CommonValue[]): Answer<number> {
    return mapAnswer(this.sql.get(text, ...values), (columns) => columns!["count"] as number);
  }

  /** The column `value` of the first row. */
  private value<T>(text: string, ...values: CommonValue[]): Answer<T | undefined> {
    return mapAnswer(this.sql.get(text, ...values), (columns) => columns?.["value"] as T | undefined);
  }

  private runIds(text: string, ...values: CommonValue[]): Answer<RunId[]> {
    const rows = mapAnswer(this.writeRecords(), () => this.sql.all(text, ...values));
    return mapAnswer(rows, idsIn);
  }
}

export const idsIn = (rows: readonly Columns[]): RunId[] => rows.map(({ id }) => id as RunId);

const OPEN_ITEM = `INSERT INTO approvals (run, item, kind, opened_at, expires_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING`;

const ADD_GRANT = `INSERT INTO grants (run, rule, given_by, given_at, until, scope, folder)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;

const TREE_GRANTS = "SELECT * FROM grants WHERE run = $1 AND scope = 'tree' ORDER BY id";

const COUNT_FAMILY = `SELECT (SELECT count(*) FROM runs WHERE parent = $1) AS children,
    (SELECT count(*) FROM runs WHERE root = $2) AS runs`;

const CLAIM = `INSERT INTO claims (root, path, run) VALUES ($1, $2, $3)
  ON CONFLICT (root, path) DO UPDATE SET run = excluded.run`;

const COUNT_AHEAD = `SELECT (SELECT count(*) FROM slots WHERE workspace = $1 AND held = 1)
    + (SELECT count(*) FROM slots WHERE workspace = $1 AND held = 0 AND n < $2) AS count`;

const BUDGET = "SELECT max_tokens, max_cost FROM budgets WHERE root = $1";

const RAISE_BUDGET = `INSERT INTO budgets (root, max_tokens, max_cost) VALUES ($1, $2, $3) ON CONFLICT (root) DO UPDATE SET
  max_tokens = coalesce(excluded.max_tokens, budgets.max_tokens), max_cost = coalesce(excluded.max_cost, budgets.max_cost)`;

const SPENT_BY_OTHERS = `SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost), 0) AS cost,
    coalesce(sum(open_tokens), 0) AS "openTokens", coalesce(sum(open_cost), 0) AS "openCost",
    coalesce(sum(kept_tokens), 0) AS "keptTokens", coalesce(sum(kept_cost), 0) AS "keptCost"
  FROM runs WHERE budget = $1 AND n <> $2`;

const LAST_IN_SESSION = `SELECT id AS value FROM runs WHERE session = $1 AND agent = $2 AND parent IS NULL
  ORDER BY n DESC LIMIT 1`;

/** A heartbeat without a description of the worker keeps the previous description. */
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
