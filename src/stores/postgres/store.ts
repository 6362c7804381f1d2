// The store on Postgres: what each of its operations does to the tables. How they are committed stands in committer.ts,
// what is read in reader.ts. Any number of processes may have it open: the head's lock orders what they write, leases and
// epochs say who drives.

import type { RunId } from "../../ids.ts";
import type { EventBody, Payload } from "../../journal/events.ts";
import { keyOf } from "../../journal/keys.ts";
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
  type PoolFilter,
  type PruneFilter,
  type PruneResult,
  type Quarantine,
  type SessionMessage,
  type Store,
  type WorkerCard,
  type WorkerRow,
  type Writer,
} from "../store.ts";
import { heartbeatAnswer, isDriver, mayAcquire, takeLease } from "../transaction/append-rules.ts";
import { acceptsMessages, continueSession } from "../transaction/start-rules.ts";
import type { Batch } from "./batch.ts";
import { Beside } from "./beside.ts";
import type { CommitterParts } from "./commit-loop.ts";
import { type PostgresOptions, prepare } from "./prepare.ts";
import { prune } from "./prune.ts";
import { importTree, moveTree, settleMove } from "./transfers.ts";
import { freezeBranch, goingOn, holdersOf, reportSetAside } from "./tree.ts";
import { aliveUntil, driverOf, keepAlive, keepKey, letGo, listWorkers, runUnder } from "./workers.ts";

/** How long a blob that was put is kept for whoever may need it, if its process is not heard of again. */
const FRESH_MS = 86_400_000;

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { id, ...parts } = await prepare(options);
  return groupStore(new PostgresStore(id, parts));
}

class PostgresStore extends Beside implements FlatStore {
  readonly id: string;
  /** The workers that were heard of through this process. */
  private readonly beating = new Set<string>();
  /** Runs that were perhaps taken: nobody knows, so nobody drives them. */
  private readonly doubtful = new Set<RunId>();

  constructor(id: string, parts: CommitterParts) {
    super(parts);
    this.id = id;
  }

  start(
    runId: RunId,
    start: Payload<"RUN_STARTED">,
    idempotency?: SessionMessage["idempotency"],
  ): Promise<{ runId: RunId; existed: boolean }> {
    return this.enqueue(
      async (batch) => {
        const known = await runUnder(batch.sql, idempotency);
        if (known !== undefined) return { runId: known, existed: true };
        await keepKey(batch.sql, idempotency, runId);
        const existing = await batch.find(runId);
        if (existing) return { runId: await batch.sameStart(existing, start), existed: true };
        const payload =
          start.parentRunId === undefined ? continueSession(start, await this.lastOf(start, batch)) : start;
        const held = batch.admitted(runId, payload, "none");
        await batch.signal(held, [{ type: "RUN_STARTED", payload }]);
        return { runId, existed: false };
      },
      { keys: [runId], rows: start.parentRunId === undefined ? [] : [start.parentRunId] },
    );
  }

  append(append: Append): Promise<AppendResult> {
    return this.enqueue((batch) => batch.append(append), { keys: [append.runId] });
  }

  say(said: SessionMessage): ReturnType<FlatStore["say"]> {
    return this.enqueue(async (batch) => {
      const before = await runUnder(batch.sql, said.idempotency);
      if (before !== undefined) {
        const key = keyOf({ type: "CONTEXT_ADDED", payload: said.context });
        return { runId: before, joined: await batch.hasKey(await batch.load(before), key) };
      }
      const answer = await this.saidOnce(said, batch);
      if (!("refused" in answer)) await keepKey(batch.sql, said.idempotency, answer.runId);
      return answer;
    });
  }

  private async saidOnce(said: SessionMessage, batch: Batch): ReturnType<FlatStore["say"]> {
    const { context, runId, start, maxRuns = Infinity } = said;
    if (await batch.find(runId)) return { runId, joined: false };
    const last = await this.lastOf(said, batch);
    const event: EventBody = { type: "CONTEXT_ADDED", payload: context };
    const holders = last ? await holdersOf(batch, last) : [];
    for (const holder of holders)
      if (await batch.hasKey(holder, keyOf(event))) return { runId: holder.row.id, joined: true };
    const hearer = holders.at(-1);
    if (hearer && acceptsMessages(last!)) {
      await batch.signal(hearer, [event]);
      return { runId: hearer.row.id, joined: true };
    }
    await batch.writeRows();
    const paying = await batch.sql.get(COUNT_BUDGET, start.budgetRunId ?? runId);
    if ((paying!["runs"] as number) >= maxRuns) return { runId, joined: false, refused: "runs" as const };
    const payload = continueSession(start, last);
    await batch.signal(batch.admitted(runId, payload, "none"), [{ type: "RUN_STARTED", payload }]);
    return { runId, joined: false };
  }

  private async lastOf(
    { sessionId, agent }: Pick<Payload<"RUN_STARTED">, "sessionId" | "agent">,
    batch: Batch,
  ) {
    if (sessionId === undefined) return undefined;
    await batch.writeRows();
    const latest = (await batch.sql.get(LAST_IN_SESSION, sessionId, agent))?.["id"] as RunId | undefined;
    return latest === undefined ? undefined : batch.load(latest);
  }

  cancel(runId: RunId, request: Payload<"CANCEL_REQUESTED">): Promise<RunId[]> {
    return this.enqueue(
      async (batch) => {
        const subtree = await goingOn(batch, runId);
        for (const id of subtree) {
          const payload = id === runId ? request : { via: runId, ...request };
          await batch.signal(await batch.load(id), [{ type: "CANCEL_REQUESTED", payload }]);
        }
        return subtree;
      },
      { keys: [runId] },
    );
  }

  freeze(runId: RunId, freeze: Parameters<FlatStore["freeze"]>[1]): Promise<RunId[]> {
    return this.enqueue((batch) => freezeBranch(batch, runId, freeze), { keys: [runId] });
  }

  async acquire(runId: RunId, worker: string, lost?: LostWorkers): Promise<Lease | undefined> {
    try {
      return await this.enqueue((batch) => this.taken(runId, worker, batch, lost), { rows: [runId] });
    } catch (error) {
      this.doubtful.add(runId);
      throw error;
    }
  }

  private async taken(
    runId: RunId,
    worker: string,
    batch: Batch,
    lost: LostWorkers | undefined,
  ): Promise<Lease | undefined> {
    const held = await batch.find(runId);
    const { now, sql } = batch;
    if (!held || held.row.endedAt !== undefined) return undefined;
    const until = held.worker === undefined ? undefined : await aliveUntil(sql, held.worker, now);
    if (!mayAcquire(held, worker, { now, until, lost })) return undefined;
    if ((await batch.setAside()).has(runId)) return undefined;
    await this.beat(worker, batch);
    batch.touch(held);
    return takeLease(held, worker, { now, until });
  }

  release(runId: RunId, writer: Writer, rest?: { wakeAt: number }): Promise<void> {
    return this.enqueue(
      async (batch) => {
        const held = await batch.find(runId);
        if (!held || !isDriver(held, { writer })) return;
        await batch.giveBack(held, rest);
      },
      { rows: [runId] },
    );
  }

  due(now: number, limit: number, of?: PoolFilter): Promise<RunId[]> {
    return this.dueRuns({ now, clock: this.testClock?.now() ?? null, limit, of });
  }

  workers(): Promise<WorkerRow[]> {
    return this.reading((sql) => listWorkers(sql, this.testClock?.now() ?? null));
  }

  driverOf(runId: RunId): Promise<string | undefined> {
    return this.reading((sql) => driverOf(sql, runId, this.testClock?.now() ?? null));
  }

  async heartbeat(
    worker: string,
    holds: readonly { runId: RunId; epoch: number }[],
    card?: WorkerCard,
  ): Promise<Heartbeat> {
    const doubtful = [...this.doubtful];
    const answer = await this.enqueue(
      async (batch) => {
        await this.beat(worker, batch, card);
        for (const runId of doubtful) await letGoOfDoubtful(runId, worker, holds, batch);
        const found = [];
        for (const hold of holds) found.push({ ...hold, held: await batch.find(hold.runId) });
        return heartbeatAnswer(worker, found);
      },
      { rows: [...doubtful, ...holds.map(({ runId }) => runId)] },
    );
    for (const runId of doubtful) this.doubtful.delete(runId);
    return answer;
  }

  quarantine({ runId, reason, seq }: Quarantine): Promise<void> {
    return this.enqueue(
      async (batch) => {
        const held = await batch.load(runId);
        await batch.sql.run(SET_ASIDE, runId, reason, seq ?? null);
        (await batch.setAside()).add(runId);
        await batch.rest(held, undefined);
        await reportSetAside(batch, held, reason);
      },
      { rows: [runId] },
    );
  }

  revokeGrant(id: number): Promise<boolean> {
    return this.enqueue(async ({ sql }) => (await sql.run("DELETE FROM grants WHERE id = $1", id)) > 0);
  }

  async putBlob(text: string): Promise<string> {
    const { name, stored } = encodeBlob(text);
    if (this.fresh.has(name)) return name;
    await this.enqueue(async (batch) => {
      await batch.putBlob(name, stored);
      await batch.sql.run(KEEP_FRESH, name, this.holder, batch.now + FRESH_MS);
    });
    // Not before: taken for written by a commit that fails, it would be missing for whoever puts it again.
    this.fresh.add(name);
    return name;
  }

  prune(filter: PruneFilter): Promise<PruneResult> {
    return prune(filter, {
      read: (work) => this.reading(work),
      write: (apply) => this.enqueue(apply),
    });
  }

  moveTree(root: RunId, transferId: string, to?: string): Promise<MovedTree> {
    return this.enqueue((batch) => moveTree(root, { transferId, to }, batch));
  }

  settleMove(root: RunId, to: string, outcome: MoveOutcome): Promise<void> {
    return this.enqueue((batch) => settleMove(root, { to, outcome }, batch));
  }

  importTree(tree: CarriedTree): ReturnType<FlatStore["importTree"]> {
    return this.enqueue((batch) => importTree(tree, batch));
  }

  /** Leaves in order: nobody waits for leases of a process that is gone, or keeps blobs for it. */
  override async close(): Promise<void> {
    if (this.closed) return;
    const [workers, { holder }] = [[...this.beating], this];
    // Without the database the leases run out by themselves.
    const left = this.enqueue(({ sql }) => letGo(sql, workers, holder)).catch(() => {});
    await super.close();
    await left;
  }

  private async beat(worker: string, batch: Batch, card?: WorkerCard): Promise<void> {
    this.beating.add(worker);
    if (batch.alive.has(worker) && !card) return;
    batch.alive.add(worker);
    await keepAlive(batch.sql, worker, batch.now + LEASE_MS, card);
  }
}

/** Taken by a commit whose answer never came, a run would be this worker's for as long as it lives, and driven by nobody. */
async function letGoOfDoubtful(
  runId: RunId,
  worker: string,
  holds: readonly { runId: RunId }[],
  batch: Batch,
): Promise<void> {
  const held = await batch.find(runId);
  if (held?.worker !== worker || holds.some((hold) => hold.runId === runId)) return;
  await batch.giveBack(held);
}

const LAST_IN_SESSION = `SELECT id FROM runs WHERE session = $1 AND agent = $2 AND parent IS NULL ORDER BY n DESC LIMIT 1`;
const COUNT_BUDGET = "SELECT count(*) AS runs FROM runs WHERE budget = $1";
const SET_ASIDE = "INSERT INTO quarantine (run, reason, seq) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
const KEEP_FRESH = `INSERT INTO fresh (hash, holder, until) VALUES ($1, $2, $3)
  ON CONFLICT (hash, holder) DO UPDATE SET until = excluded.until`;
