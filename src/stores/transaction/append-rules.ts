// What every store decides alike about an append, without asking its tables: who may write, what an event does to its run's
// row and the lease's books, which blobs it needs. Pure.

import type { RunId } from "../../ids.ts";
import {
  type EventBody,
  type EventType,
  isProgress,
  type JournalEvent,
  OUTCOME_TYPES,
  type Payload,
  TERMINAL_TYPES,
} from "../../journal/events.ts";
import { chainHash } from "../../journal/hash.ts";
import { keyOf } from "../../journal/keys.ts";
import { referencedBlobs } from "../../journal/named-values.ts";
import { applyRunRow } from "../../projections/folds/run-row.ts";
import { digest } from "../blobs.ts";
import { hasWholeJournal, type RunRecord } from "../run-record.ts";
import {
  type Append,
  type Heartbeat,
  LEASE_MS,
  type Lease,
  type LostWorkers,
  type Refusal,
  type WorkerCard,
  type WorkerRow,
} from "../store.ts";

/** Larger payloads are kept as blobs, so that reading a journal stays cheap. */
export const MAX_INLINE_PAYLOAD = 2_000_000;
const RECENT = 32;
/** Of the payloads of a run that rests. */
const MAX_KEPT_CHARACTERS = 50_000;

/** Types that open or close an item of the inbox, or give a standing grant; all others skip the bookkeeping. */
export const INBOX_TYPES: ReadonlySet<EventType> = new Set([
  "TOOL_PROPOSED",
  "APPROVAL_DECIDED",
  "OUTCOME_DECIDED",
  "TOOL_RESULT",
  "RUN_SUSPENDED",
  "CANCEL_REQUESTED",
  "RUN_COMPLETED",
  "RUN_FAILED",
  "RUN_CANCELLED",
  "RUN_MOVED",
]);

type Keys = ReadonlyMap<string, number>;

export const isDriver = (held: RunRecord, { writer }: Pick<Append, "writer">): boolean =>
  writer !== undefined && held.worker === writer.worker && held.epoch === writer.epoch;

/** J1: where these events stand already, if they are there. Undefined: none of their keys is known. */
export function storedSeqs(keys: Keys, events: readonly EventBody[]): number[] | "conflict" | undefined {
  const wanted = events.map(keyOf);
  if (new Set(wanted).size < wanted.length) return "conflict";
  const found = wanted.flatMap((key) => keys.get(key) ?? []);
  if (found.length === 0) return undefined;
  return found.length === wanted.length ? found : "conflict";
}

export function refusalOf(
  held: RunRecord,
  append: Append,
  keys: Keys,
  conflict: boolean,
): Refusal | undefined {
  // That another driver has answered a call meanwhile is no conflict of the one that lost it.
  if (conflict && !isLate(held, append)) return "conflict";
  return refusalByRow(held, append, keys) ?? (conflict ? "conflict" : undefined);
}

const isLate = (held: RunRecord, append: Append): boolean =>
  append.writer !== undefined && !isDriver(held, append) && areOutcomes(append.events);

const areOutcomes = (events: readonly EventBody[]): boolean =>
  events.length > 0 && events.every(({ type }) => OUTCOME_TYPES.has(type));

function refusalByRow(held: RunRecord, append: Append, keys: Keys): Refusal | undefined {
  if (held.row.endedAt !== undefined) return "ended";
  const driver = isDriver(held, append);
  if (append.writer && !driver) {
    if (!areOutcomes(append.events)) return "epoch";
    if (!append.events.every((event) => isOpen(keys, event))) return "closed";
  }
  const guarded = append.guard === "signals" || (append.rest !== undefined && driver);
  if (guarded && held.lastSignal > append.after) return "signals";
  if (append.guard === "unchanged" && held.row.seq > append.after) return "changed";
  return undefined;
}

/** J3: for an outcome that comes from a driver whose epoch is over. A person's word on its attempt closes it too. */
function isOpen(keys: Keys, event: EventBody): boolean {
  const end = keyOf(event);
  const { attempt = 1 } = event.payload as { attempt?: number };
  const id = end.slice(0, -"/e".length).replace(/~\d+$/, "");
  const call = attempt === 1 ? id : `${id}~${attempt}`;
  return keys.has(`${call}/s`) && !keys.has(end) && !keys.has(`${call}/o`);
}

/** L4: told that these are on disk, a driver goes on to act; told so after it has lost the run, it would act twice. */
export const permitsAction = ({ type }: EventBody): boolean =>
  !OUTCOME_TYPES.has(type) && !TERMINAL_TYPES.has(type);

/** The next event of a run, with the hash of its chain. `text`: its payload, as it is stored. */
export function nextEvent(
  held: RunRecord,
  body: EventBody,
  { position, ts, text }: { position: number; ts: number; text: string },
): { event: JournalEvent; hash: string } {
  const { type, payload } = body;
  const seq = held.row.seq + 1;
  const key = keyOf(body);
  const event = { runId: held.row.id, seq, position, ts, type, key, payload } as JournalEvent;
  return { event, hash: chainHash(digest, held.hash, { seq, ts, type, key, text }) };
}

/** What an event changes of its run, wherever it came from. */
export function applyEvent(held: RunRecord, event: JournalEvent, { text, hash }: StoredText): void {
  held.hash = hash;
  held.characters += text.length;
  applyRunRow(held.row, event);
  account(held, event);
  remember(held, event);
}

export interface StoredText {
  text: string;
  hash: string;
}

/** J2, J6: somebody else than the driver has written these. */
export function noteSignal(held: RunRecord, events: readonly JournalEvent[]): void {
  held.lastSignal = held.row.seq;
  const idle = held.worker === undefined && held.row.endedAt === undefined;
  if (idle && !events.every(isNews)) held.dueAt = 0;
}

/** That somebody below needs a person, that its tree has spent much or may, or what a probe found is news for whoever looks: the run has nothing to do. */
const isNews = (event: JournalEvent): boolean =>
  event.type === "LIMIT_REACHED" ||
  event.type === "OUTCOME_PROBED" ||
  event.type === "BUDGET_SET" ||
  (event.type === "RUN_SUSPENDED" && event.payload.waitingOn.kind === "child_hitl");

export function neededBlobs(event: JournalEvent, stored: string): string[] {
  const whole = blobNameIn(stored);
  return [...(whole === undefined ? [] : [whole]), ...referencedBlobs(event)];
}

export function blobNameIn(stored: string): string | undefined {
  return stored.startsWith('{"$blob":') ? (JSON.parse(stored) as { $blob: string }).$blob : undefined;
}

/** A driver that has not yet heard of its own last appends is answered from memory. */
function remember(held: RunRecord, event: JournalEvent): void {
  if (held.recent.length >= 2 * RECENT) held.recent.splice(0, RECENT);
  held.recent.push(event);
}

/** A run that rests costs no memory, unless it is small and goes on soon: then its driver reads nothing back. */
export function evictResting(cache: Map<RunId, RunRecord>, most: number): void {
  const isFull = cache.size > most;
  for (const [id, held] of cache)
    if (held.worker === undefined && (isFull || !isKept(held))) cache.delete(id);
}

/** It was just started, or waits for its children. */
const isKept = (held: RunRecord): boolean =>
  (held.dueAt === 0 || held.row.waitingOn?.kind === "child") &&
  hasWholeJournal(held) &&
  held.characters <= MAX_KEPT_CHARACTERS;

/** J6: the lease goes back; the run is due at its time, or when a signal comes. */
export function putToRest(held: RunRecord, wakeAt: number | undefined): void {
  held.worker = undefined;
  held.dueAt = held.row.endedAt === undefined && wakeAt !== undefined ? Math.ceil(wakeAt) : undefined;
  held.acquisitions = 0;
}

/** J6: it is due; or the worker that has it is dead, or lost. `until`: how long that one counts as alive. */
export function mayAcquire(
  held: RunRecord,
  worker: string,
  { now, until, lost }: TakenAt & { lost: LostWorkers | undefined },
): boolean {
  if (held.worker === undefined) return held.dueAt !== undefined && held.dueAt <= now;
  if (until === undefined) return true;
  if (!lost || held.worker === worker) return false;
  return "workers" in lost ? lost.workers.includes(held.worker) : until - LEASE_MS + lost.silentFor <= now;
}

interface TakenAt {
  now: number;
  until: number | undefined;
}

/** Runs that the list of workers names, of each. */
export const LISTED_RUNS = 5;

/** Those that have shown a card; both stores name the columns alike. */
export function workerRows(found: readonly Record<string, unknown>[]): WorkerRow[] {
  const rows = found.map(({ name, expires_at: until, card, silent, runs, holds }) => ({
    name: name as string,
    ...(JSON.parse(card as string) as WorkerCard),
    seenAt: (until as number) - LEASE_MS,
    silent: Boolean(silent),
    runs: runs as number,
    holds: JSON.parse(holds as string) as string[],
  }));
  return rows.sort((one, other) => one.since - other.since);
}

/** The run is this worker's, in the next epoch. `until`: the worker before may be alive until then. */
export function takeLease(held: RunRecord, worker: string, { now, until }: TakenAt): Lease {
  // Also what an earlier one may still be at: a rest in between has settled nothing of it.
  const latest = Math.max(until ?? 0, held.previousUntil ?? 0);
  held.previousUntil = latest > now ? latest : undefined;
  held.worker = worker;
  held.epoch++;
  held.dueAt = undefined;
  held.acquisitions++;
  const { epoch, acquisitions, previousUntil } = held;
  const row = { ...held.row, usage: { ...held.row.usage } };
  const events = hasWholeJournal(held) ? { events: [...held.recent] } : {};
  return { worker, epoch, acquisitions, row, previousUntil, ...events };
}

/** What a worker hears of the runs that it believes to have. */
export function heartbeatAnswer(
  worker: string,
  holds: readonly { runId: RunId; epoch: number; held: RunRecord | undefined }[],
): Heartbeat {
  const answer: Heartbeat = { cancelled: [], lost: [] };
  for (const { runId, epoch, held } of holds)
    if (!held || !isDriver(held, { writer: { worker, epoch } })) answer.lost.push(runId);
    else if (held.row.cancelRequested) answer.cancelled.push(runId);
  return answer;
}

/** As it is, without a word: a driver that leaves in order has not been lost with the run. */
export function returnLease(held: RunRecord, wakeAt: number): void {
  const { acquisitions } = held;
  putToRest(held, wakeAt);
  held.acquisitions = wakeAt === 0 ? Math.max(0, acquisitions - 1) : acquisitions;
}

/** What an event does to the lease's books: reservations, lost acquisitions, the end. */
function account(held: RunRecord, event: JournalEvent): void {
  if (event.type === "MODEL_CALL_STARTED") reserve(held, event.payload);
  if (OUTCOME_TYPES.has(event.type)) {
    if (isProgress(event)) held.acquisitions = 0;
    if (event.type !== "TOOL_RESULT") clearReservation(held);
  }
  if (TERMINAL_TYPES.has(event.type)) clearReservation(held);
}

function reserve(held: RunRecord, { estimate }: Payload<"MODEL_CALL_STARTED">): void {
  held.openTokens = estimate?.tokens ?? 0;
  held.openCost = estimate?.cost ?? 0;
}

function clearReservation(held: RunRecord): void {
  held.openTokens = 0;
  held.openCost = 0;
}
