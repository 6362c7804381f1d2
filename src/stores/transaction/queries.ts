// The queries that a transaction sends to its store.
// A store implements these queries on its own tables. The code in transaction/ decides which queries are sent, and in which order.
// A query over several runs sees every change that the transaction made to their records, because the store writes the changes first.

import type { Position, RunId, Seq } from "../../ids.ts";
import type { JournalEvent, UnjournaledState } from "../../journal/events.ts";
import type { ItemChange } from "../../projections/folds/approvals.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { TreeUsage } from "../../projections/usage/tree-usage.ts";
import type { RunRecord, Slot } from "../run-record.ts";
import type { Budget, PruneFilter, Quarantine, SessionMessage, WorkerCard } from "../store.ts";

/** The answer of a store to a query: a value, or a promise of it. */
export type Answer<T> = T | Promise<T>;

export interface Queries
  extends RunQueries,
    EventQueries,
    InboxQueries,
    TreeQueries,
    SlotQueries,
    BudgetQueries,
    StartQueries,
    LeaseQueries,
    TransferQueries,
    PruneWrites,
    DerivedQueries {}

interface RunQueries {
  find(runId: RunId): Answer<RunRecord | undefined>;
  /** Reads several records, and the keys of some of them, in one round trip. */
  prefetch(needs: Needs): Answer<void>;
  /** Inserts a run without events. */
  insertRun(row: RunRow, more: { slot: Slot; continues: RunId | undefined }): Answer<RunRecord>;
  /** Tells the store that the transaction has changed the record, so the store must write it. */
  touch(record: RunRecord): void;
  /** The seq of every key of the run. */
  readKeys(record: RunRecord): Answer<Map<string, Seq>>;
}

export interface Needs {
  /** Runs whose records will be needed. */
  rows?: readonly RunId[];
  /** Runs whose records and keys will be needed. */
  keys?: readonly RunId[];
}

interface EventQueries {
  insertEvent(record: RunRecord, event: JournalEvent, stored: StoredText): Answer<void>;
  /** The type and the payload of one event, as they are stored. */
  eventAt(record: RunRecord, seq: Seq): Answer<{ type: string; payload: string } | undefined>;
  eventsAfter(record: RunRecord, seq: Seq): Answer<JournalEvent[]>;
  putBlob(name: string, stored: string): Answer<void>;
  /** Keeps the blob for as long as the run is kept. */
  needBlob(record: RunRecord, name: string): Answer<void>;
}

/** The text of an event that its hash covers (the payload, or the name of its blob), and the hash of the chain up to this event. */
export interface StoredText {
  text: string;
  hash: string;
}

interface InboxQueries {
  countItems(record: RunRecord): Answer<number>;
  /** Each of these three methods returns the number of items that it opened or closed. */
  openItem(record: RunRecord, item: ItemChange & { type: "open" }, at: number): Answer<number>;
  closeItem(record: RunRecord, itemId: string): Answer<number>;
  closeItems(record: RunRecord): Answer<number>;
  addGrant(record: RunRecord, grant: NewGrant): Answer<void>;
  /** Ends the grants that were given for this run and the runs below it. Returns the number of ended grants. */
  endGrants(record: RunRecord): Answer<number>;
  deleteGrant(id: number): Answer<number>;
}

export interface NewGrant {
  rule: string;
  by: string;
  at: number;
  until?: number | undefined;
  folder?: string | undefined;
  scope: "always" | "tree";
}

interface TreeQueries {
  /** Number of children of this run, and number of runs in its tree. */
  countFamily(row: RunRow): Answer<{ children: number; runs: number }>;
  /** Runs that have neither ended nor been cancelled: this run and all runs below it, from the top down. */
  activeBranch(runId: RunId): Answer<RunId[]>;
  /** The run of a tree that is changing a file (D6). */
  claimant(root: RunId, path: string): Answer<RunId | undefined>;
  claim(root: RunId, path: string, runId: RunId): Answer<void>;
  endClaims(runId: RunId): Answer<void>;
}

interface SlotQueries {
  /** The run's ticket in the queue, and whether the run has a slot already or is still waiting. */
  slotOf(runId: RunId): Answer<{ ticket: number; slot: Slot } | undefined>;
  addSlot(workspace: string, runId: RunId, slot: "held" | "queued"): Answer<void>;
  dropSlot(runId: RunId): Answer<void>;
  /** Number of runs in the workspace that have a slot, plus the runs that wait with an earlier ticket. */
  countAhead(workspace: string, ticket: number): Answer<number>;
  /** Runs in the queue, in the order of their tickets. */
  queue(workspace: string): Answer<Iterable<RunId>>;
}

interface BudgetQueries {
  /** The budget that a person has set for the tree whose root is this payer. */
  setBudget(payer: RunId): Answer<Budget | undefined>;
  raiseBudget(payer: RunId, budget: Budget): Answer<void>;
  /** The amounts that the other runs on the same budget have spent and reserved. */
  spentByOthers(record: RunRecord): Answer<SpentByOthers>;
  /** Number of runs that draw on this budget, and the ids of the runs that have not ended. */
  countPaidBy(payer: RunId): Answer<number>;
  activePaidBy(payer: RunId): Answer<RunId[]>;
}

export interface SpentByOthers {
  tokens: number;
  cost: number;
  openTokens: number;
  openCost: number;
  /** The amount that is reserved for the last turns of these runs. */
  keptTokens: number;
  keptCost: number;
}

interface StartQueries {
  requestUnder(key: string): Answer<{ body: string; runId: RunId } | undefined>;
  keepRequest(request: NonNullable<SessionMessage["idempotency"]>, runId: RunId): Answer<void>;
  /** The agent's latest run in a session, not counting runs that another run started. */
  lastInSession(sessionId: string, agent: string): Answer<RunId | undefined>;
}

interface LeaseQueries {
  /** The time until which the store treats a worker as alive. Undefined if the worker's leases have expired. */
  aliveUntil(worker: string, now: number): Answer<number | undefined>;
  keepAlive(worker: string, until: number, card?: WorkerCard): Answer<void>;
  isQuarantined(runId: RunId): Answer<boolean>;
  addQuarantine(entry: Quarantine): Answer<void>;
}

interface TransferQueries {
  /** The runs of a tree, parents before their children. */
  runsOfTree(root: RunId): Answer<RunId[]>;
  /** Active runs of other trees that draw on this tree's budget. */
  otherPayees(root: RunId): Answer<RunId[]>;
  /** Claims, grants and a budget that the store keeps for the run outside of its journal. */
  unjournaledState(record: RunRecord): Answer<UnjournaledState>;
  sentTo(transferId: string): Answer<{ target: string; hasArrived: boolean } | undefined>;
  noteSent(transferId: string, target: string): Answer<void>;
  /** Forgets that the tree was sent, if this was the first attempt. */
  takeBackSent(transferId: string, target: string): Answer<void>;
  noteArrival(transferId: string, target: string, at: number): Answer<void>;
  importedRoot(transferId: string): Answer<RunId | undefined>;
  noteImport(transferId: string, root: RunId): Answer<void>;
}

/** Pruning first reads outside of transactions, and reads again inside the transaction that deletes. */
export interface PruneReads {
  /** Trees that can be deleted according to their own state, newest first. `n` is the number of the root. */
  prunable(filter: PruneFilter, below: number, limit: number): Answer<{ n: number; id: RunId }[]>;
  /** Roots of other trees that continue a run of this tree. */
  continuedBy(root: RunId): Answer<RunId[]>;
}

interface PruneWrites extends PruneReads {
  /** Deletes the rows of a tree and lists its runs as pruned. Returns the number of runs. */
  deleteTree(root: RunId, position: Position): Answer<number>;
  nextPruned(): Answer<{ n: number; id: RunId } | undefined>;
  /** Returns the sizes of the deleted payloads. */
  deleteEvents(n: number, limit: number): Answer<number[]>;
  /** Deletes the last rows of a pruned run. */
  finishPruned(n: number): Answer<void>;
  /** Deletes the blobs that no run needs. Returns their total size. */
  deleteBlobs(names: readonly string[]): Answer<number>;
  /** Forgets blobs that were stored for an append that never came. */
  expireFreshBlobs(now: number): Answer<void>;
}

interface DerivedQueries {
  tableCursor(table: DerivedTable): Answer<Position>;
  setTableCursor(table: DerivedTable, position: Position): Answer<void>;
  /** All journals in commit order, up to the first event that only a newer version understands. */
  readPage(after: Position, limit: number): Answer<JournalEvent[]>;
  /** The root of each run that exists. */
  rootsOf(runIds: readonly RunId[]): Answer<Map<RunId, RunId>>;
  treeUsages(roots: readonly RunId[]): Answer<Map<RunId, TreeUsage>>;
  writeTreeUsages(trees: ReadonlyMap<RunId, TreeUsage>): Answer<void>;
  indexWords(events: readonly JournalEvent[]): Answer<void>;
}

export type DerivedTable = "tree_usages" | "search";
