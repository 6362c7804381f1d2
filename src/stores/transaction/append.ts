// The order of checks in an append, the same for every store. The first refusal is returned, and a refused append changes nothing.
//  1  Keys (J1): appending the same events again writes nothing.
//  2  The writer must hold the run, the run must not have ended, and the writer must have folded all signals (J2, J3).
//  3  The tree must have room for a child, the budget must suffice (B2), and no other branch may be changing the same files (D6).
//  4  The run must get a slot (B4). This is checked last, because the check takes the slot.

import { runNotFound } from "../../errors.ts";
import type { RunId, Seq } from "../../ids.ts";
import { type EventBody, keyOf, OUTCOME_TYPES, TERMINAL_TYPES } from "../../journal/events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { treeBudgetChangeIn } from "../../projections/usage/budgets.ts";
import { isDriver, type RunRecord } from "../run-record.ts";
import type { Append, AppendResult, Refusal, Spawn } from "../store.ts";
import { applyTreeBudget, checkBudget, warnRoot } from "./budgets.ts";
import { restRun } from "./leases.ts";
import { takeSlot } from "./slots.ts";
import {
  admitRun,
  ask,
  findRun,
  journalAfter,
  keysOf,
  recentAfter,
  type Steps,
  type Transaction,
} from "./transaction.ts";
import { signal, textOf, writeEvents } from "./write-events.ts";

export function* append(tx: Transaction, request: Append): Steps<AppendResult> {
  const found = tx.queries.find(request.runId);
  const record = found instanceof Promise ? yield* ask(found) : found;
  if (!record) throw runNotFound(request.runId);
  const keys = record.keys ?? (yield* keysOf(tx, record));
  const seqs = storedSeqs(keys, request.events);
  const repeated = Array.isArray(seqs) ? yield* compareStored(tx, record, request.events, seqs) : seqs;
  const byDriver = isDriver(record, request);
  const isStale = request.writer !== undefined && !byDriver && request.events.some(permitsAction);
  if (repeated === "same" && !isStale) return { events: yield* journalAfter(tx, record, request.after) };
  const refusal =
    refusalOf(record, request, keys, repeated === "conflict") ??
    (request.spawn && (yield* spawnRefusal(tx, record, request.spawn)));
  if (refusal) return yield* refuse(tx, record, request, { refused: refusal });
  const budget = request.reserve ? yield* checkBudget(tx, record, request.reserve) : {};
  if (budget.refused) return yield* refuse(tx, record, request, budget.refused);
  const claimedBy = request.claims && (yield* findClaimant(tx, record, request.claims));
  if (claimedBy) return yield* refuse(tx, record, request, { refused: "claimed", claimedBy });
  if (!hasSlot(record, request) && !(yield* takeSlot(tx, record, request)))
    return yield* refuse(tx, record, request, { refused: "slots" });

  for (const path of request.claims ?? [])
    yield* ask(tx.queries.claim(record.row.rootRunId, path, record.row.id));
  const missed = recentAfter(record, request.after) ?? (yield* journalAfter(tx, record, request.after));
  const { seq } = record.row;
  if (byDriver) yield* writeEvents(tx, record, request.events);
  else yield* signal(tx, record, request.events);
  if (request.spawn) yield* admitChild(tx, request.spawn);
  if (budget.warnings?.length) yield* warnRoot(tx, record, budget.warnings);
  const change = treeBudgetChangeIn(request.events);
  if (change) yield* applyTreeBudget(tx, record, change);
  if (request.rest && byDriver) yield* restRun(tx, record, request.rest.wakeAt, request.rest.queue);
  const written = recentAfter(record, seq) ?? (yield* journalAfter(tx, record, seq));
  return { events: missed.length === 0 ? written : [...missed, ...written] };
}

function* refuse(
  tx: Transaction,
  record: RunRecord,
  { after }: Append,
  why: Omit<AppendResult, "events">,
): Steps<AppendResult> {
  return { events: yield* journalAfter(tx, record, after), ...why };
}

/** J1: whether these events are in the journal already. */
export function* findRepeated(
  tx: Transaction,
  record: RunRecord,
  events: readonly EventBody[],
): Steps<"same" | "conflict" | undefined> {
  const seqs = storedSeqs(yield* keysOf(tx, record), events);
  return Array.isArray(seqs) ? yield* compareStored(tx, record, events, seqs) : seqs;
}

function* compareStored(
  tx: Transaction,
  record: RunRecord,
  events: readonly EventBody[],
  seqs: readonly Seq[],
): Steps<"same" | "conflict"> {
  for (const [index, { type, payload }] of events.entries()) {
    const stored = yield* ask(tx.queries.eventAt(record, seqs[index]!));
    if (stored?.type !== type || stored.payload !== (yield* textOf(tx, payload))) return "conflict";
  }
  return "same";
}

type Keys = ReadonlyMap<string, Seq>;

/** The seqs of these events in the journal. Undefined if the journal has none of their keys. */
function storedSeqs(keys: Keys, events: readonly EventBody[]): Seq[] | "conflict" | undefined {
  const found: Seq[] = [];
  for (const event of events) {
    const seq = keys.get(keyOf(event));
    if (seq !== undefined) found.push(seq);
  }
  if (events.length > 1 && new Set(events.map(keyOf)).size < events.length) return "conflict";
  if (found.length === 0) return undefined;
  return found.length === events.length ? found : "conflict";
}

/** L4: a driver acts once it learns that this event is stored. A driver that lost the run must not learn this, or the action happens twice. */
const permitsAction = ({ type }: EventBody): boolean => !OUTCOME_TYPES.has(type) && !TERMINAL_TYPES.has(type);

function refusalOf(record: RunRecord, request: Append, keys: Keys, isConflict: boolean): Refusal | undefined {
  // A driver that lost the run gets this answer even if another driver has recorded the call's outcome in the meantime.
  if (isConflict && !isLateOutcome(record, request)) return "conflict";
  return refusalByRecord(record, request, keys) ?? (isConflict ? "conflict" : undefined);
}

const isLateOutcome = (record: RunRecord, request: Append): boolean =>
  request.writer !== undefined && !isDriver(record, request) && areOutcomes(request.events);

const areOutcomes = (events: readonly EventBody[]): boolean =>
  events.length > 0 && events.every(({ type }) => OUTCOME_TYPES.has(type));

function refusalByRecord(record: RunRecord, request: Append, keys: Keys): Refusal | undefined {
  if (record.row.endedAt !== undefined) return "ended";
  const byDriver = isDriver(record, request);
  if (request.writer && !byDriver) {
    if (!areOutcomes(request.events)) return "epoch";
    if (!request.events.every((event) => isOpen(keys, event))) return "closed";
  }
  const isGuarded = request.guard === "signals" || (request.rest !== undefined && byDriver);
  if (isGuarded && record.lastSignal > request.after) return "signals";
  if (request.guard === "unchanged" && record.row.seq > request.after) return "changed";
  return undefined;
}

/** J3: whether the call of a late outcome is still open. A person's decision on the attempt closes the call too. */
function isOpen(keys: Keys, event: EventBody): boolean {
  const end = keyOf(event);
  const { attempt = 1 } = event.payload as { attempt?: number };
  const id = end.slice(0, -"/e".length).replace(/~\d+$/, "");
  const call = attempt === 1 ? id : `${id}~${attempt}`;
  return keys.has(`${call}/s`) && !keys.has(end) && !keys.has(`${call}/o`);
}

/** Whether the run has the slot that it needs, according to its record in memory. */
const hasSlot = ({ slot }: RunRecord, { spawn, concurrent }: Append): boolean =>
  !spawn && (concurrent === undefined || slot === "held");

function* spawnRefusal(
  { queries }: Transaction,
  { row }: RunRecord,
  { limits }: Spawn,
): Steps<Refusal | undefined> {
  const counted = yield* ask(queries.countFamily(row));
  if (counted.children >= limits.children) return "children";
  return counted.runs >= limits.runs ? "runs" : undefined;
}

/** D6: the first of these files that a run of another branch is changing. Runs above and below this run can change the same files. */
function* findClaimant(
  tx: Transaction,
  { row }: RunRecord,
  paths: readonly string[],
): Steps<AppendResult["claimedBy"]> {
  for (const path of paths) {
    const runId = yield* ask(tx.queries.claimant(row.rootRunId, path));
    const other = runId === undefined || runId === row.id ? undefined : yield* findRun(tx, runId);
    if (!other || other.row.endedAt !== undefined) continue;
    if ((yield* isAbove(tx, other.row, row)) || (yield* isAbove(tx, row, other.row))) continue;
    return { path, runId: other.row.id, agent: other.row.agent };
  }
  return undefined;
}

function* isAbove(tx: Transaction, upper: RunRow, lower: RunRow): Steps<boolean> {
  for (let row: RunRow | undefined = lower; row; ) {
    if (row.id === upper.id) return true;
    const above: RunId | undefined = row.parentRunId;
    row = above === undefined ? undefined : (yield* findRun(tx, above))?.row;
  }
  return false;
}

/** J7: the child exists if, and only if, its parent's journal says so. */
function* admitChild(tx: Transaction, { runId, start, events, slot }: Spawn): Steps<void> {
  const record = yield* admitRun(tx, runId, start, { slot: slot === "queues" ? "none" : "held" });
  yield* signal(tx, record, [{ type: "RUN_STARTED", payload: start }, ...events]);
}
