// A run's row with its lease and the head of its journal, as a store caches it. A transaction changes the record in memory,
// and the store writes it back once. Both stores keep it in columns of the same names.

import type { RunId } from "../ids.ts";
import type { JournalEvent } from "../journal/events.ts";
import { CHAIN_START } from "../journal/hash.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import { type Columns, hex, optional } from "./columns.ts";

export interface RunRecord {
  n: number;
  row: RunRow;
  hash: string;
  lastSignal: number;
  worker: string | undefined;
  epoch: number;
  dueAt: number | undefined;
  /** E2: until then an earlier worker may still be at what it began here. Releasing the run does not change it. */
  previousUntil: number | undefined;
  acquisitions: number;
  openTokens: number;
  openCost: number;
  /** The latest events, in order and without a gap; and the length of all payloads that this process wrote. */
  recent: JournalEvent[];
  characters: number;
  /** The seq of every key, once it was asked for. */
  keys: Map<string, number> | undefined;
  /** Open items of the inbox, once it was asked for. */
  openItems: number | undefined;
  /** Its slot in the workspace, once it was asked for (B4). */
  slot: Slot | undefined;
  /** The columns that a step rarely changes, as they are on disk. */
  storedColumns: readonly unknown[] | undefined;
}

/** `held`: at work. `queued`: waiting for a slot. */
export type Slot = "held" | "queued" | "none";

type Born = Pick<
  RunRow,
  | "definition"
  | "parentKey"
  | "budgetRunId"
  | "kind"
  | "depth"
  | "trigger"
  | "task"
  | "mode"
  | "attended"
  | "userId"
  | "workspace"
  | "pool"
>;

/** The immutable rest of a row, as JSON. */
export function immutableJson(row: RunRow): string {
  const { definition, parentKey, budgetRunId, kind, depth, trigger, task, mode, attended } = row;
  const { userId, workspace, pool } = row;
  const born: Born = {
    definition,
    parentKey,
    budgetRunId,
    kind,
    depth,
    trigger,
    task,
    mode,
    attended,
    userId,
    workspace,
    pool,
  };
  return JSON.stringify(born);
}

export function readRow(columns: Columns): RunRow {
  const born = JSON.parse(columns["born"] as string) as Born;
  return {
    ...born,
    parentKey: born.parentKey,
    budgetRunId: born.budgetRunId,
    userId: born.userId,
    pool: born.pool,
    id: columns["id"] as string,
    rootRunId: columns["root"] as string,
    parentRunId: optional(columns["parent"]) as string | undefined,
    agent: columns["agent"] as string,
    sessionId: optional(columns["session"]) as string | undefined,
    status: columns["status"] as RunRow["status"],
    waitingOn: columns["waiting_on"] === null ? undefined : JSON.parse(columns["waiting_on"] as string),
    stopReason: optional(columns["stop_reason"]) as RunRow["stopReason"],
    summary: columns["summary"] === null ? undefined : JSON.parse(columns["summary"] as string),
    turns: columns["turns"] as number,
    usage: JSON.parse(columns["usage"] as string),
    cancelRequested: columns["cancel"] === 1,
    seq: columns["seq"] as number,
    createdAt: columns["created_at"] as number,
    startedAt: optional(columns["started_at"]) as number | undefined,
    updatedAt: columns["updated_at"] as number,
    endedAt: optional(columns["ended_at"]) as number | undefined,
  };
}

export function readRecord(columns: Columns): RunRecord {
  return {
    n: columns["n"] as number,
    row: readRow(columns),
    hash: hex(columns["hash"]),
    lastSignal: columns["last_signal"] as number,
    worker: optional(columns["worker"]) as string | undefined,
    epoch: columns["epoch"] as number,
    dueAt: optional(columns["due_at"]) as number | undefined,
    previousUntil: optional(columns["previous_until"]) as number | undefined,
    acquisitions: columns["acquisitions"] as number,
    openTokens: columns["open_tokens"] as number,
    openCost: columns["open_cost"] as number,
    recent: [],
    characters: 0,
    keys: undefined,
    openItems: undefined,
    slot: undefined,
    storedColumns: undefined,
  };
}

/** A run that was just made, without reading it back. */
export function newRecord(n: number, row: RunRow): RunRecord {
  return {
    n,
    row,
    hash: CHAIN_START,
    lastSignal: 1,
    worker: undefined,
    epoch: 0,
    dueAt: 0,
    previousUntil: undefined,
    acquisitions: 0,
    openTokens: 0,
    openCost: 0,
    recent: [],
    characters: 0,
    keys: new Map(),
    openItems: 0,
    slot: undefined,
    storedColumns: undefined,
  };
}

/** Whether all events of its journal are in memory. */
export const hasWholeJournal = ({ recent }: RunRecord): boolean => recent[0]?.seq === 1;

/** The root whose budget pays for a run. */
export const payerOf = ({ budgetRunId, rootRunId }: RunRow): string => budgetRunId ?? rootRunId;

/** Due at once, like 0. A run that was imported counts as at rest until it is driven or hears something. */
export const DUE_ON_ARRIVAL = 1;

const RECENT_EVENTS = 32;
/** Payloads of a resting run that is kept in memory. */
const MAX_KEPT_CHARACTERS = 50_000;

/** A driver that has not heard of its own last appends yet is answered from memory. */
export function rememberEvent({ recent }: RunRecord, event: JournalEvent): void {
  if (recent.length >= 2 * RECENT_EVENTS) recent.splice(0, RECENT_EVENTS);
  recent.push(event);
}

/** Drops the records of resting runs, except small ones that will soon be driven: their drivers read nothing back. */
export function evictResting(cache: Map<RunId, RunRecord>, most: number): void {
  const isFull = cache.size > most;
  for (const [id, record] of cache)
    if (record.worker === undefined && (isFull || !isWorthKeeping(record))) cache.delete(id);
}

/** The run was just started, or waits for its children. */
const isWorthKeeping = (record: RunRecord): boolean =>
  (record.dueAt === 0 || record.row.waitingOn?.kind === "child") &&
  hasWholeJournal(record) &&
  record.characters <= MAX_KEPT_CHARACTERS;
