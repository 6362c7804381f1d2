// Decides which worker drives a run. A worker acquires a run in a new epoch, keeps it with heartbeats, and gives it back (J6, E2).

import type { RunId } from "../../ids.ts";
import { hasWholeJournal, isDriver, type RunRecord } from "../run-record.ts";
import {
  type Heartbeat,
  LEASE_MS,
  type Lease,
  type LostWorkers,
  SUSPECT_AFTER,
  type WorkerCard,
  type Writer,
} from "../store.ts";
import { joinQueue, leaveSlot } from "./slots.ts";
import { ask, findRun, type Steps, type Transaction } from "./transaction.ts";

export function* acquireRun(
  tx: Transaction,
  runId: RunId,
  worker: string,
  lost: LostWorkers | undefined,
): Steps<Lease | undefined> {
  const { now, queries } = tx;
  const record = yield* findRun(tx, runId);
  if (!record || record.row.endedAt !== undefined) return undefined;
  const until = record.worker === undefined ? undefined : yield* ask(queries.aliveUntil(record.worker, now));
  if (!mayAcquire(record, worker, { now, until, lost })) return undefined;
  if (yield* ask(queries.isQuarantined(runId))) return undefined;
  yield* ask(queries.keepAlive(worker, now + LEASE_MS));
  queries.touch(record);
  return takeLease(record, worker, { now, until });
}

interface TakenAt {
  now: number;
  /** The store treats the worker that holds the run as alive until this time. */
  until: number | undefined;
}

/** J6: a worker can acquire a run that is due, or whose worker is dead or lost. */
function mayAcquire(
  record: RunRecord,
  worker: string,
  { now, until, lost }: TakenAt & { lost: LostWorkers | undefined },
): boolean {
  if (record.worker === undefined) return record.dueAt !== undefined && record.dueAt <= now;
  if (until === undefined) return true;
  if (!lost || record.worker === worker) return false;
  return "workers" in lost ? lost.workers.includes(record.worker) : until - LEASE_MS + lost.silentFor <= now;
}

function takeLease(record: RunRecord, worker: string, { now, until }: TakenAt): Lease {
  // `previousUntil` covers earlier workers. Even if the run has rested since, calls that an earlier worker started can still be running.
  const latest = Math.max(until ?? 0, record.previousUntil ?? 0);
  record.previousUntil = latest > now ? latest : undefined;
  record.worker = worker;
  record.epoch++;
  record.dueAt = undefined;
  if (record.acquisitions <= SUSPECT_AFTER) record.acquisitions++;
  const { epoch, acquisitions, previousUntil } = record;
  const row = { ...record.row, usage: { ...record.row.usage } };
  const lease = { worker, epoch, acquisitions, row, previousUntil };
  return hasWholeJournal(record) ? { ...lease, events: [...record.recent] } : lease;
}

export function* releaseRun(
  tx: Transaction,
  runId: RunId,
  writer: Writer,
  rest: { wakeAt: number } | undefined,
): Steps<void> {
  const record = yield* findRun(tx, runId);
  if (record && isDriver(record, { writer })) yield* giveBack(tx, record, rest);
}

/** E5: sets the count of acquisitions. The driver of a suspect calls this before it drives the suspect alone. */
export function* recordAcquisitions(
  tx: Transaction,
  runId: RunId,
  writer: Writer,
  count: number,
): Steps<void> {
  const record = yield* findRun(tx, runId);
  if (!record || !isDriver(record, { writer })) return;
  record.acquisitions = count;
  tx.queries.touch(record);
}

/** `doubtful` lists runs that this worker might have acquired without knowing it. Those that are not in `holds` are given back. */
export function* heartbeat(
  tx: Transaction,
  worker: string,
  holds: readonly { runId: RunId; epoch: number }[],
  { card, doubtful = [] }: { card?: WorkerCard | undefined; doubtful?: readonly RunId[] },
): Steps<Heartbeat> {
  yield* ask(tx.queries.keepAlive(worker, tx.now + LEASE_MS, card));
  for (const runId of doubtful) {
    const record = yield* findRun(tx, runId);
    if (record?.worker === worker && !holds.some((hold) => hold.runId === runId)) yield* giveBack(tx, record);
  }
  const answer: Heartbeat = { cancelled: [], lost: [] };
  for (const { runId, epoch } of holds) {
    const record = yield* findRun(tx, runId);
    if (!record || !isDriver(record, { writer: { worker, epoch } })) answer.lost.push(runId);
    else if (record.row.cancelRequested) answer.cancelled.push(runId);
  }
  return answer;
}

/** J6: gives back the run's lease. Frees the run's slot or, if the number of slots is given, puts the run into the queue. */
export function* restRun(tx: Transaction, record: RunRecord, wakeAt?: number, slots?: number): Steps<void> {
  if (slots === undefined) yield* leaveSlot(tx, record);
  clearLease(record, slots === undefined ? wakeAt : yield* joinQueue(tx, record, slots));
  tx.queries.touch(record);
}

/** Gives the lease back. The run is due immediately and keeps its slot. If the driver cannot continue (`rest`), the slot is freed too. */
function* giveBack(tx: Transaction, record: RunRecord, rest?: { wakeAt: number }): Steps<void> {
  if (rest) yield* leaveSlot(tx, record);
  const { acquisitions } = record;
  const wakeAt = rest?.wakeAt ?? 0;
  clearLease(record, wakeAt);
  // If the run is due at once, its driver gave it back and was not lost. So this acquisition is not counted.
  record.acquisitions = wakeAt === 0 ? Math.max(0, acquisitions - 1) : acquisitions;
  tx.queries.touch(record);
}

function clearLease(record: RunRecord, wakeAt: number | undefined): void {
  record.worker = undefined;
  record.dueAt = record.row.endedAt === undefined && wakeAt !== undefined ? Math.ceil(wakeAt) : undefined;
  record.acquisitions = 0;
}
