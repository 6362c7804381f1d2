// A run's row with its lease and the head of its journal, as a store holds it while a batch is built. Both stores keep it
// in columns of the same names, so that what is read from either is the same.

import type { JournalEvent } from "../journal/events.ts";
import { CHAIN_START } from "../journal/hash.ts";
import type { RunRow } from "../projections/folds/run-row.ts";

export interface RunRecord {
  n: number;
  row: RunRow;
  hash: string;
  lastSignal: number;
  worker: string | undefined;
  epoch: number;
  dueAt: number | undefined;
  /** E2: until then one who had it before may still be at what it began there. Given back or taken again, it stays. */
  previousUntil: number | undefined;
  acquisitions: number;
  openTokens: number;
  openCost: number;
  /** The latest events, in order and without a gap; and the length of all payloads that were written. */
  recent: JournalEvent[];
  characters: number;
  /** The seq of every key, once it was asked for. */
  keys: Map<string, number> | undefined;
  /** Open items of the inbox, once it was asked for. */
  openItems: number | undefined;
  /** Its place among those at work in its workspace, once it was asked for (B4). */
  place: "held" | "queued" | "none" | undefined;
  /** What the row's indexes and rarely changed columns hold on disk. */
  storedColumns: readonly unknown[] | undefined;
}

/** As a driver gives them: JSON as text, bytes as bytes, and numbers as numbers. */
export type Columns = Record<string, unknown>;

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
    place: undefined,
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
    place: undefined,
    storedColumns: undefined,
  };
}

/** All events of its journal are at hand. */
export const hasWholeJournal = ({ recent }: RunRecord): boolean => recent[0]?.seq === 1;

export const hex = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString("hex");

export const optional = <T>(value: T | null | undefined): T | undefined =>
  value === null ? undefined : value;

/** Times are whole numbers in the tables; a computed one may not be, and never falls earlier (P8). */
export const wholeMs = (at: number | undefined): number | null => (at === undefined ? null : Math.ceil(at));

/** The root whose budget pays for a run. */
export const payerOf = ({ budgetRunId, rootRunId }: RunRow): string => budgetRunId ?? rootRunId;
