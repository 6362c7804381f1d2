// The store on one SQLite file: what each of its operations does to the tables. How they are committed stands in
// committer.ts, what is read in reader.ts.

import type { RunId } from "../../ids.ts";
import type { EventBody, Payload } from "../../journal/events.ts";
import { keyOf } from "../../journal/keys.ts";
import type { FreezeRequest } from "../../projections/folds/freeze.ts";
import { encodeBlob } from "../blobs.ts";
import { type FlatStore, groupStore } from "../flat-store.ts";
import {
  type Append,
  type AppendResult,
  type CarriedTree,
  type Heartbeat,
  LEASE_MS,
  type Lease,
  type LostWorkers,
  type MovedTree,
  type MoveOutcome,
  type PruneFilter,
  type PruneResult,
  type Quarantine,
  type SessionMessage,
  type Store,
  type WorkerCard,
  type WorkerRow,
  type Writer,
} from "../store.ts";
import {
  heartbeatAnswer,
  isDriver,
  LISTED_RUNS,
  mayAcquire,
  takeLease,
  workerRows,
} from "../transaction/append-rules.ts";
import { acceptsMessages, continueSession, runUnderKey } from "../transaction/start-rules.ts";
import type { Batch } from "./batch.ts";
import { Beside } from "./beside.ts";
import type { SqliteOptions } from "./commit-loop.ts";
import { prune } from "./prune.ts";
import { getMeta, setMeta } from "./sql.ts";
import { importTree, moveTree, settleMove } from "./transfers.ts";
import { freezeBranch, goingOn, holdersOf, reportSetAside } from "./tree.ts";

/** Opening is taking ownership: the process before is gone, so its leases are void and a restart does not wait (E1). */
export function openSqliteStore(options: SqliteOptions): Store {
  return groupStore(new SqliteStore(options));
}

class SqliteStore extends Beside implements FlatStore {
  readonly id: string;

  constructor(options: SqliteOptions) {
    super(options);
    // What could not be read may be readable by this version, or mended; what is not is set aside again.
    this.sql.withStorageErrors(() =>
      this.db.exec(`UPDATE runs SET worker = NULL, due_at = 0 WHERE worker IS NOT NULL; DELETE FROM workers;
      UPDATE runs SET previous_until = NULL WHERE previous_until IS NOT NULL;
      UPDATE runs SET due_at = 0 WHERE ended_at IS NULL AND id IN (SELECT run FROM quarantine);
      DELETE FROM quarantine`),
    );
    this.id = this.identity();
  }

  start(
    runId: RunId,
    start: Payload<"RUN_STARTED">,
    idempotency?: { key: string; body: string },
  ): Promise<{ runId: RunId; existed: boolean }> {
    return this.enqueue((batch) => {
      const known = this.runUnder(idempotency);
      if (known !== undefined) return { runId: known, existed: true };
      this.keepKey(idempotency, runId);
      const existing = batch.find(runId);
      if (existing) return { runId: batch.sameStart(existing, start), existed: true };
      const payload =
        start.parentRunId === undefined ? continueSession(start, this.lastOf(start, batch)) : start;
      batch.signal(batch.admitted(runId, payload), [{ type: "RUN_STARTED", payload }]);
      return { runId, existed: false };
    });
  }

  append(append: Append): Promise<AppendResult> {
    return this.enqueue((batch) => batch.append(append));
  }

  say(said: SessionMessage): ReturnType<FlatStore["say"]> {
    return this.enqueue((batch) => {
      const before = this.runUnder(said.idempotency);
      if (before !== undefined) {
        const joined = batch.hasKey(
          batch.load(before),
          keyOf({ type: "CONTEXT_ADDED", payload: said.context }),
        );
        return { runId: before, joined };
      }
      const answer = this.saidOnce(said, batch);
      if (!("refused" in answer)) this.keepKey(said.idempotency, answer.runId);
      return answer;
    });
  }

  private saidOnce(said: SessionMessage, batch: Batch): Awaited<ReturnType<FlatStore["say"]>> {
    const { context, runId, start, maxRuns = Infinity } = said;
    const known = batch.find(runId);
    if (known) return { runId, joined: false };
    const last = this.lastOf(said, batch);
    const event: EventBody = { type: "CONTEXT_ADDED", payload: context };
    const holders = last ? holdersOf(batch, this.sql, last) : [];
    const heard = holders.find((holder) => batch.hasKey(holder, keyOf(event)));
    if (heard) return { runId: heard.row.id, joined: true };
    const hearer = holders.at(-1);
    if (hearer && acceptsMessages(last!)) {
      batch.signal(hearer, [event]);
      return { runId: hearer.row.id, joined: true };
    }
    batch.writeRows();
    const paying = this.statements.countBudget.get(start.budgetRunId ?? runId)?.["runs"] as number;
    if (paying >= maxRuns) return { runId, joined: false, refused: "runs" as const };
    const payload = continueSession(start, last);
    batch.signal(batch.admitted(runId, payload), [{ type: "RUN_STARTED", payload }]);
    return { runId, joined: false };
  }

  private lastOf({ sessionId, agent }: Pick<Payload<"RUN_STARTED">, "sessionId" | "agent">, batch: Batch) {
    if (sessionId === undefined) return undefined;
    const latest = this.statements.lastInSession.get(sessionId, agent)?.["id"] as RunId | undefined;
    return latest === undefined ? undefined : batch.load(latest);
  }

  cancel(runId: RunId, request: Payload<"CANCEL_REQUESTED">): Promise<RunId[]> {
    return this.enqueue((batch) => {
      const subtree = goingOn(batch, this.sql, runId);
      for (const id of subtree) {
        const payload = id === runId ? request : { via: runId, ...request };
        batch.signal(batch.load(id), [{ type: "CANCEL_REQUESTED", payload }]);
      }
      return subtree;
    });
  }

  freeze(runId: RunId, freeze: FreezeRequest): Promise<RunId[]> {
    return this.enqueue((batch) => freezeBranch(batch, this.sql, runId, freeze));
  }

  acquire(runId: RunId, worker: string, lost?: LostWorkers): Promise<Lease | undefined> {
    return this.enqueue((batch) => {
      const held = batch.find(runId);
      const { now } = batch;
      if (!held || held.row.endedAt !== undefined) return undefined;
      const until = held.worker === undefined ? undefined : this.aliveUntil(held.worker, now);
      if (!mayAcquire(held, worker, { now, until, lost })) return undefined;
      if (this.sql.get("SELECT 1 FROM quarantine WHERE run = ?", runId)) return undefined;
      this.keepAlive(worker, now);
      batch.touch(held);
      return takeLease(held, worker, { now, until });
    });
  }

  release(runId: RunId, writer: Writer, rest?: { wakeAt: number }): Promise<void> {
    return this.enqueue((batch) => {
      const held = batch.find(runId);
      if (!held || !isDriver(held, { writer })) return;
      batch.giveBack(held, rest);
    });
  }

  heartbeat(
    worker: string,
    holds: readonly { runId: RunId; epoch: number }[],
    card?: WorkerCard,
  ): Promise<Heartbeat> {
    return this.enqueue((batch) => {
      this.keepAlive(worker, batch.now, card);
      const found = holds.map((hold) => ({ ...hold, held: batch.find(hold.runId) }));
      return heartbeatAnswer(worker, found);
    });
  }

  async workers(): Promise<WorkerRow[]> {
    return workerRows(
      this.sql.all(
        `SELECT name, expires_at, card, expires_at <= ? AS silent,
           (SELECT count(*) FROM runs WHERE runs.worker = workers.name) AS runs,
           (SELECT json_group_array(id) FROM
             (SELECT id FROM runs WHERE runs.worker = workers.name ORDER BY n LIMIT ${LISTED_RUNS})) AS holds
         FROM workers WHERE card IS NOT NULL ORDER BY name`,
        this.clock.now(),
      ),
    );
  }

  async driverOf(runId: RunId): Promise<string | undefined> {
    const found = this.sql.get(
      "SELECT name FROM workers WHERE expires_at > ? AND name = (SELECT worker FROM runs WHERE id = ?)",
      this.clock.now(),
      runId,
    );
    return found?.["name"] as string | undefined;
  }

  quarantine({ runId, reason, seq }: Quarantine): Promise<void> {
    return this.enqueue((batch) => {
      this.sql.run(
        "INSERT INTO quarantine (run, reason, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        runId,
        reason,
        seq ?? null,
      );
      const held = batch.load(runId);
      batch.rest(held, undefined);
      batch.touch(held);
      reportSetAside(batch, held, reason);
    });
  }

  revokeGrant(id: number): Promise<boolean> {
    return this.enqueue((batch) => {
      batch.granted = true;
      return this.db.prepare("DELETE FROM grants WHERE id = ?").run(id).changes > 0;
    });
  }

  async putBlob(text: string): Promise<string> {
    const { name, stored } = encodeBlob(text);
    this.fresh.add(name);
    if (this.statements.getBlob.get(name)) return name;
    return this.enqueue(() => {
      this.statements.putBlob.run(name, stored);
      return name;
    });
  }

  prune(filter: PruneFilter): Promise<PruneResult> {
    const { sql, fresh } = this;
    return prune(filter, { sql, fresh, write: (apply) => this.enqueue(apply) });
  }

  moveTree(root: RunId, transferId: string, to?: string): Promise<MovedTree> {
    return this.enqueue((batch) => moveTree(root, { transferId, to }, { sql: this.sql, batch }));
  }

  settleMove(root: RunId, to: string, outcome: MoveOutcome): Promise<void> {
    return this.enqueue((batch) => settleMove(root, { to, outcome }, { sql: this.sql, batch }));
  }

  importTree(tree: CarriedTree): ReturnType<FlatStore["importTree"]> {
    return this.enqueue((batch) => importTree(tree, { sql: this.sql, batch }));
  }

  /** The run that a key was used for. */
  private runUnder(idempotency: SessionMessage["idempotency"]): RunId | undefined {
    if (!idempotency) return undefined;
    const known = this.sql.get("SELECT body, run FROM idempotency WHERE key = ?", idempotency.key);
    return runUnderKey(known, idempotency.body);
  }

  private keepKey(idempotency: SessionMessage["idempotency"], runId: RunId): void {
    if (!idempotency) return;
    const { key, body } = idempotency;
    this.sql.run("INSERT INTO idempotency (key, body, run) VALUES (?, ?, ?)", key, body, runId);
  }

  private keepAlive(worker: string, now: number, card?: WorkerCard): void {
    this.sql.run(
      `INSERT INTO workers (name, expires_at, card) VALUES (?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at, card = coalesce(excluded.card, card)`,
      worker,
      now + LEASE_MS,
      card ? JSON.stringify(card) : null,
    );
  }

  private aliveUntil(worker: string, now: number): number | undefined {
    const known = this.sql.get(
      "SELECT expires_at FROM workers WHERE name = ? AND expires_at > ?",
      worker,
      now,
    );
    return known?.["expires_at"] as number | undefined;
  }

  private identity(): string {
    const known = getMeta(this.sql, "id");
    if (known !== undefined) return known;
    const id = crypto.randomUUID().slice(0, 8);
    setMeta(this.sql, "id", id);
    return id;
  }
}
