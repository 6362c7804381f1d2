// A run's row with its lease and the head of its journal, as a store caches it.
// A transaction changes the record in memory, and the store writes it to the tables once.
// Both stores keep the record in columns with the same names.

import { CadreError } from "../errors.ts";
import type { RunId } from "../ids.ts";
import type { JournalEvent } from "../journal/events.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import { totalTokens } from "../projections/usage/run-usage.ts";
import { type Columns, hex, optional } from "./columns.ts";
import { CHAIN_START } from "./hashes.ts";
import type { Append } from "./store.ts";

export interface RunRecord {
  n: number;
  row: RunRow;
  hash: string;
  lastSignal: number;
  worker: string | undefined;
  epoch: number;
  dueAt: number | undefined;
  /** E2: until this time an earlier worker might still be busy with calls that it started. Releasing the run does not change this time. */
  previousUntil: number | undefined;
  acquisitions: number;
  /** Budget that is reserved for the open call. */
  openTokens: number;
  openCost: number;
  /** Budget that is reserved for the run's last turn (B3). */
  keptTokens: number;
  keptCost: number;
  /** The latest events, in order and without a gap, and the total length of the payloads that this process wrote. */
  recent: JournalEvent[];
  characters: number;
  /** The seq of every key. Undefined until the keys have been read. */
  keys: Map<string, number> | undefined;
  /** The number of open inbox items. Undefined until it has been read. */
  openItems: number | undefined;
  /** The run's slot in its workspace (B4). Undefined until it has been read. */
  slot: Slot | undefined;
  /** Stored values of the columns that a step rarely changes. */
  storedColumns: readonly unknown[] | undefined;
}

/** `held` means that the run is at work. `queued` means that it waits for a slot. */
export type Slot = "held" | "queued" | "none";

const IMMUTABLE = [
  "definition",
  "parentKey",
  "budgetRunId",
  "kind",
  "depth",
  "trigger",
  "task",
  "mode",
  "attended",
  "userId",
  "workspace",
  "pool",
] as const satisfies (keyof RunRow)[];

/** The fields of a row, as JSON, that never change and have no separate column. */
export const immutableJson = (row: RunRow): string => JSON.stringify(row, [...IMMUTABLE]);

/** The columns that a commit can change. `hash` is not among them, because each store encodes it differently. */
export const CHANGING_COLUMNS = {
  status: ({ row }) => row.status,
  waiting_on: ({ row }) => json(row.waitingOn),
  waiting: ({ row }) => row.waitingOn?.kind ?? null,
  stop_reason: ({ row }) => row.stopReason ?? null,
  summary: ({ row }) => json(row.summary),
  turns: ({ row }) => row.turns,
  tokens: ({ row }) => Math.ceil(totalTokens(row.usage)),
  cost: ({ row }) => row.usage.cost,
  usage: ({ row }) => JSON.stringify(row.usage),
  started_at: ({ row }) => row.startedAt ?? null,
  updated_at: ({ row }) => row.updatedAt,
  ended_at: ({ row }) => row.endedAt ?? null,
  seq: ({ row }) => row.seq,
  last_signal: ({ lastSignal }) => lastSignal,
  cancel: ({ row }) => (row.cancelRequested ? 1 : 0),
  worker: ({ worker }) => worker ?? null,
  epoch: ({ epoch }) => epoch,
  due_at: ({ dueAt }) => dueAt ?? null,
  previous_until: ({ previousUntil }) => previousUntil ?? null,
  acquisitions: ({ acquisitions }) => acquisitions,
  open_tokens: ({ openTokens }) => Math.ceil(openTokens),
  open_cost: ({ openCost }) => openCost,
  kept_tokens: ({ keptTokens }) => Math.ceil(keptTokens),
  kept_cost: ({ keptCost }) => keptCost,
} satisfies Record<string, (record: RunRecord) => string | number | null>;

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** F30: JSON that cannot be parsed is damaged. The error names the run, and the others continue. */
export function readRow(columns: Columns): RunRow {
  try {
    return parseRow(columns);
  } catch (error) {
    const runId = String(columns["id"]);
    throw new CadreError(
      "JOURNAL_CORRUPT",
      `The row of run ${runId} is damaged. The run is set aside; the others go on. \`cadre doctor --salvage\` computes the rows of a SQLite file again from its journals.`,
      { runId },
      error,
    );
  }
}

function parseRow(columns: Columns): RunRow {
  const born = JSON.parse(columns["born"] as string) as Pick<RunRow, (typeof IMMUTABLE)[number]>;
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
    keptTokens: columns["kept_tokens"] as number,
    keptCost: columns["kept_cost"] as number,
    recent: [],
    characters: 0,
    keys: undefined,
    openItems: undefined,
    slot: undefined,
    storedColumns: undefined,
  };
}

/** The record of a run that was just inserted. */
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
    keptTokens: 0,
    keptCost: 0,
    recent: [],
    characters: 0,
    keys: new Map(),
    openItems: 0,
    slot: undefined,
    storedColumns: undefined,
  };
}

/** Whether all events of the run's journal are in memory. */
export const hasWholeJournal = ({ recent }: RunRecord): boolean => recent[0]?.seq === 1;

/** The root whose budget pays for a run. */
export const payerOf = ({ budgetRunId, rootRunId }: RunRow): string => budgetRunId ?? rootRunId;

/** The due time of an imported run. Like 0, it makes the run due immediately, but the run is resting until it is driven or gets a signal. */
export const DUE_ON_ARRIVAL = 1;

const RECENT_EVENTS = 32;
/** Maximum number of payload characters that a resting run can keep in memory. */
const MAX_KEPT_CHARACTERS = 50_000;

/** Keeps the latest events in memory, because a driver often has not read its own last appends yet. */
export function rememberEvent({ recent }: RunRecord, event: JournalEvent): void {
  if (recent.length >= 2 * RECENT_EVENTS) recent.splice(0, RECENT_EVENTS);
  recent.push(event);
}

/** Whether the writer holds the run's lease. */
export const isDriver = (record: RunRecord, { writer }: Pick<Append, "writer">): boolean =>
  writer !== undefined && record.worker === writer.worker && record.epoch === writer.epoch;

/** Drops the records of resting runs. Small runs that will soon be driven are kept, so that they need not be loaded again. */
export function evictResting(cache: Map<RunId, RunRecord>, most: number): void {
  const isFull = cache.size > most;
  for (const [id, record] of cache)
    if (record.worker === undefined && (isFull || !isWorthKeeping(record))) cache.delete(id);
}

/** Whether the run is small and will soon be driven: it was just started, or it waits for its children. */
const isWorthKeeping = (record: RunRecord): boolean =>
  (record.dueAt === 0 || record.row.waitingOn?.kind === "child") &&
  hasWholeJournal(record) &&
  record.characters <= MAX_KEPT_CHARACTERS;
