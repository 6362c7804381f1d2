// One transaction over all operations that were waiting when it began (J4). The operations are applied in the order of arrival.
// Each operation sees the records as the previous operation left them.
//
// A transaction is written once, as generators, and run in two ways. SQLite answers a query immediately, so a transaction runs without a pause.
// Postgres answers later, so its commit loop waits for every promise.

import { runNotFound } from "../../errors.ts";
import type { Position, RunId, Seq } from "../../ids.ts";
import type { JournalEvent, Payload } from "../../journal/events.ts";
import { initialRow } from "../../projections/folds/run-row.ts";
import type { RunRecord, Slot } from "../run-record.ts";
import type { Answer, Queries } from "./queries.ts";

export interface Transaction {
  readonly queries: Queries;
  /** The time of all events that the transaction writes. */
  readonly now: number;
  /** The position of the latest event. */
  position: Position;
  readonly written: JournalEvent[];
  /** Runs that became due without an event, because it is their turn to get a slot (B4). */
  readonly woken: RunId[];
  grantsChanged: boolean;
}

export const createTransaction = (queries: Queries, now: number, position: Position): Transaction => ({
  queries,
  now,
  position,
  written: [],
  woken: [],
  grantsChanged: false,
});

/** A part of a transaction, as a generator. It yields each answer that is still a promise, and receives its value. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** `const rows = yield* ask(queries.rows())` */
export function* ask<T>(answer: Answer<T>): Steps<T> {
  return answer instanceof Promise ? ((yield answer) as T) : answer;
}

/** Applies a function to an answer, immediately or once the promise is fulfilled. */
export function mapAnswer<T, U>(answer: Answer<T>, apply: (value: T) => Answer<U>): Answer<U> {
  return answer instanceof Promise ? answer.then(apply) : apply(answer);
}

/** Runs a transaction of a store that answers every query immediately. */
export function runNow<T>(steps: Steps<T>): T {
  const { done, value } = steps.next();
  if (!done) throw new Error("A query of a synchronous store has answered with a promise.");
  return value;
}

/** Runs a transaction of a store that answers with promises. */
export async function runLater<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    let answer: unknown;
    try {
      answer = await step.value;
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(answer);
  }
  return step.value;
}

/*
 * An append runs several times per step of every run, and each generator costs about 80 ns.
 * The hot path therefore looks in memory first (`record.keys ??`, `recentAfter`), and calls a generator only if the value is not there.
 */

export function* findRun({ queries }: Transaction, runId: RunId): Steps<RunRecord | undefined> {
  return yield* ask(queries.find(runId));
}

export function* loadRun(tx: Transaction, runId: RunId): Steps<RunRecord> {
  const record = yield* ask(tx.queries.find(runId));
  if (!record) throw runNotFound(runId);
  return record;
}

/** Keys are read once and kept while the run is under way. An index over them would slow down every event. */
export function* keysOf({ queries }: Transaction, record: RunRecord): Steps<Map<string, Seq>> {
  record.keys ??= yield* ask(queries.readKeys(record));
  return record.keys;
}

/** The events of a run after a seq. The latest events are read from memory. */
export function* journalAfter(
  { queries }: Transaction,
  record: RunRecord,
  after: Seq,
): Steps<JournalEvent[]> {
  return recentAfter(record, after) ?? (yield* ask(queries.eventsAfter(record, after)));
}

/** The events of a run after a seq. Undefined if some of them are not in memory. */
export function recentAfter({ row, recent }: RunRecord, after: Seq): JournalEvent[] | undefined {
  if (row.seq <= after) return [];
  const first = recent[0];
  return first && first.seq <= after + 1 ? recent.slice(after + 1 - first.seq) : undefined;
}

/** Inserts a run without events. */
export function* admitRun(
  { queries, now }: Transaction,
  runId: RunId,
  start: Payload<"RUN_STARTED">,
  { slot = "none", at = now }: { slot?: Slot; at?: number } = {},
): Steps<RunRecord> {
  const row = { ...initialRow(runId, start, at), seq: 0 };
  return yield* ask(queries.insertRun(row, { slot, continues: start.continues?.runId }));
}
