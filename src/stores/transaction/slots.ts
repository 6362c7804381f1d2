// Decides which runs are at work in a workspace, and which runs wait for a slot (B4).
// A run takes a slot when it writes an intent, and gives it back when it rests or ends.
// If a run's process dies or shuts down, the run keeps its slot and continues with it.
//  1  The number of runs with a slot never exceeds the number of runs that are allowed to work at the same time.
//  2  The queue is first come, first served: no run takes a slot while an older run waits for one.
//  3  A run that gives a slot back, or leaves the queue, makes the next run due in the same transaction.

import type { RunId } from "../../ids.ts";
import type { RunRecord, Slot } from "../run-record.ts";
import type { Append, Spawn } from "../store.ts";
import { ask, findRun, type Steps, type Transaction } from "./transaction.ts";

/** How long the first run in a queue rests before it asks again. Runs further back rest longer. */
const ASK_AGAIN_MS = 1_000;
/** The ticket of a run that is not in the queue. It sorts after all queued runs. */
const LAST_TICKET = Number.MAX_SAFE_INTEGER;

/** Takes the slot that the events of an append need. Returns false, and changes nothing, if every slot is taken. */
export function* takeSlot(tx: Transaction, record: RunRecord, { spawn, concurrent }: Append): Steps<boolean> {
  if (spawn) return yield* takeSlotForChild(tx, record, spawn);
  if (concurrent === undefined || (yield* slotOf(tx, record)) === "held") return true;
  if ((yield* countAhead(tx, record, yield* ticketOf(tx, record))) >= concurrent) return false;
  yield* drop(tx, record);
  yield* add(tx, record, record.row.id, "held");
  record.slot = "held";
  return true;
}

function* takeSlotForChild(
  tx: Transaction,
  parent: RunRecord,
  { runId, slot, limits }: Spawn,
): Steps<boolean> {
  if (slot === "queues") return true;
  const passesOn = slot === "parents" && (yield* slotOf(tx, parent)) === "held";
  const ticket = slot === "parents" ? yield* ticketOf(tx, parent) : LAST_TICKET;
  if (!passesOn && (yield* countAhead(tx, parent, ticket)) >= limits.concurrent) return false;
  if (slot === "parents") yield* drop(tx, parent);
  yield* add(tx, parent, runId, "held");
  return true;
}

/** Frees the slot of a run that rests or ends, or removes the run from the queue. */
export function* leaveSlot(tx: Transaction, record: RunRecord): Steps<void> {
  if ((yield* slotOf(tx, record)) === "none") return;
  yield* drop(tx, record);
  yield* wakeNext(tx, yield* workspaceOf(tx, record));
}

/** A cancelled run starts no new work, so no other run should wait behind it. */
export function* leaveQueue(tx: Transaction, record: RunRecord): Steps<void> {
  if ((yield* slotOf(tx, record)) === "queued") yield* leaveSlot(tx, record);
}

/** Queues a run that got no slot. Returns the time when the run should ask again: 0 means now, because a slot became free. */
export function* joinQueue(tx: Transaction, record: RunRecord, concurrent: number): Steps<number> {
  if ((yield* slotOf(tx, record)) === "held") yield* leaveSlot(tx, record);
  if (record.slot === "none") yield* add(tx, record, record.row.id, "queued");
  record.slot = "queued";
  const ahead = yield* countAhead(tx, record, yield* ticketOf(tx, record));
  if (ahead >= concurrent) return tx.now + ASK_AGAIN_MS * Math.floor(ahead / concurrent);
  tx.woken.push(record.row.id);
  return 0;
}

function* wakeNext(tx: Transaction, workspace: string): Steps<void> {
  for (const runId of yield* ask(tx.queries.queue(workspace))) {
    const next = yield* findRun(tx, runId);
    // A run that has a driver, or is already due, will ask for a slot by itself.
    if (!next || next.worker !== undefined || (next.dueAt ?? Infinity) <= tx.now) continue;
    next.dueAt = 0;
    tx.queries.touch(next);
    tx.woken.push(next.row.id);
    return;
  }
}

function* countAhead(tx: Transaction, record: RunRecord, ticket: number): Steps<number> {
  return yield* ask(tx.queries.countAhead(yield* workspaceOf(tx, record), ticket));
}

function* ticketOf(tx: Transaction, record: RunRecord): Steps<number> {
  if ((yield* slotOf(tx, record)) === "none") return LAST_TICKET;
  return (yield* ask(tx.queries.slotOf(record.row.id)))?.ticket ?? LAST_TICKET;
}

function* slotOf({ queries }: Transaction, record: RunRecord): Steps<Slot> {
  record.slot ??= (yield* ask(queries.slotOf(record.row.id)))?.slot ?? "none";
  return record.slot;
}

function* add(tx: Transaction, among: RunRecord, runId: RunId, slot: "held" | "queued"): Steps<void> {
  yield* ask(tx.queries.addSlot(yield* workspaceOf(tx, among), runId, slot));
}

function* drop({ queries }: Transaction, record: RunRecord): Steps<void> {
  if (record.slot !== "none") yield* ask(queries.dropSlot(record.row.id));
  record.slot = "none";
}

/** Slots belong to the workspace of the root. Otherwise, children in their own worktrees would get extra slots. */
function* workspaceOf(tx: Transaction, { row }: RunRecord): Steps<string> {
  return (yield* findRun(tx, row.rootRunId))?.row.workspace ?? row.workspace;
}
