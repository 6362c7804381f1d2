// The port of a store, in groups: journals that only grow, the rows that follow from them, leases, and small tables.
// Everything that makes a run durable passes through `journal.append`.
// `store.contract.ts` tests every implementation for these rules.
//  J1  Keys are checked first: the same event again writes nothing; another payload under the same key is a conflict.
//  J2  An append by anyone but the run's current driver is a signal. A guarded append is refused as a whole if the journal
//      has a signal that its writer has not folded.
//  J3  Outcomes need their intent and an open call, not the newest epoch.
//  J6  A run rests only if it has folded every signal; a signal makes a resting run due.
//  J7  A change to several journals is one transaction: a child's start with its parent's intent, a child's end with the
//      parent's event, a cancel over a subtree, and the news for every run above that a run below needs a person.
//  B4  A run needs a slot in its workspace to start work. Without one it is refused and queues; the oldest is served first.
//  J8  Positions are dense and in commit order. A pruned tree leaves a gap; no position is ever given twice.
//  E7  A tree that is moved away ends here in the transaction that writes its last event. A tree is imported once.
// An answer comes after the commit: everything in it is on stable storage (P1).

import type { Clock } from "../clock.ts";
import type { PoolFilter } from "../config/pools.ts";
import type { Position, RunId, Seq } from "../ids.ts";
import type {
  Estimate,
  EventBody,
  JournalEvent,
  Payload,
  UnjournaledState,
  WaitingOn,
} from "../journal/events.ts";
import type { ApprovalKind } from "../projections/folds/approvals.ts";
import type { FreezeRequest } from "../projections/folds/freeze.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import type { MessageRow } from "../projections/formats/message-rows.ts";
import type { RunUsage } from "../projections/usage/run-usage.ts";
import type { TreeUsage } from "../projections/usage/tree-usage.ts";
import type { ChainLink } from "./hashes.ts";
import type { Outbox } from "./outbox.ts";
import type { Users } from "./users.ts";

export type { PoolFilter };

/** How long a worker counts as alive after its last heartbeat. Store and worker must agree, or an effect could start twice (E2). */
export const LEASE_MS = 15_000;

/** The driver of a run: a worker, in the epoch in which it acquired the run. */
export interface Writer {
  worker: string;
  epoch: number;
}

export interface Append {
  runId: RunId;
  /** The run's driver. Absent for people, other runs and the system. */
  writer?: Writer;
  /** The last seq that the writer has folded. */
  after: Seq;
  events: EventBody[];
  /** `signals`: refused after a newer signal (J2). `unchanged`: refused after any newer event. */
  guard?: "signals" | "unchanged";
  /** Gives the lease back in the same transaction, if the append is not refused (J6). Without `wakeAt` the run rests until a signal. */
  rest?: {
    wakeAt: number | undefined;
    /** B4: the run rests because this many slots are all taken. It is due when its turn comes, and asks again now and then. */
    queue?: number;
  };
  /** D6: files that the effects of these events will change. Refused if a run of another branch is changing one of them. */
  claims?: readonly string[];
  /** B4: these events start work, so the run needs one of this many slots in its workspace. Without one it is refused. */
  concurrent?: number;
  /** Admits a child in the same transaction, if the tree has room for it (J7). */
  spawn?: Spawn;
  /**
   * The estimate of a model call, and the budgets of its run and its tree (B2).
   * If a person has set the tree's budget, that one applies instead: by APPROVAL_DECIDED with `limits` and scope `tree`, which
   * also decides the same item of every run that stopped there, or by BUDGET_SET with scope `tree`, which every run of the tree
   * is told.
   * The root is told when most of the tree's budget is spent (B3).
   * `anew`: `tree` is a person's new budget, so an earlier one does not apply.
   */
  reserve?: { estimate: Estimate; run: Budget; tree: Budget; anew?: true };
}

export interface Spawn {
  runId: RunId;
  start: Payload<"RUN_STARTED">;
  /** The first events of its journal after RUN_STARTED: the parent's context. */
  events: EventBody[];
  /** Children of the parent, runs of the tree, and runs at work in the workspace at the same time. */
  limits: { children: number; runs: number; concurrent: number };
  /**
   * B4: the origin of its slot. `parents`: the parent will wait, and passes on its own; a parent without one must queue for it.
   * `free`: the spawn is refused if no slot is free. `queues`: none yet, the child asks for one like a root.
   */
  slot: "parents" | "free" | "queues";
}

export interface SessionMessage {
  sessionId: string;
  agent: string;
  /** The event for a run that is active. The same message twice is written once. */
  context: Payload<"CONTEXT_ADDED">;
  /** The run to start if none is active. */
  runId: RunId;
  start: Payload<"RUN_STARTED">;
  /** How many runs may draw on the budget that pays for this run. Absent: a person sent the message, so there is no limit. */
  maxRuns?: number;
  /** A message with the same key is delivered once. */
  idempotency?: { key: string; body: string };
}

export interface Budget {
  maxTokens?: number | undefined;
  maxCost?: number | undefined;
}

export type Refusal =
  /** There is a signal that the writer has not folded: fold it and decide again. */
  | "signals"
  /** There is a newer event: read again. */
  | "changed"
  /** Another driver has the run. */
  | "epoch"
  /** The run has ended. */
  | "ended"
  /** The key belongs to an event with another payload. */
  | "conflict"
  /** An outcome without an open call. */
  | "closed"
  /** The budget does not allow this call. */
  | "budget"
  /** Open calls have reserved the rest of the budget: wait. */
  | "reserved"
  /** A limit is reached: children of the run, runs of the tree, or runs at work in the workspace (B4). */
  | "children"
  | "runs"
  | "slots"
  /** A run of another branch is changing the same file. */
  | "claimed";

export interface AppendResult {
  /** The journal after `after`, in order: the events of other writers, then those of this append. */
  events: JournalEvent[];
  refused?: Refusal;
  /** With `budget`: the limit that the call would exceed; `tree.maxTokens` is one of the whole tree. */
  exceeded?: { limit: string; value: number };
  /** With `claimed`: the run that is changing the file. */
  claimedBy?: { path: string; runId: RunId; agent: string };
}

export interface Lease extends Writer {
  row: RunRow;
  /** Acquisitions in a row, this one included, that led neither to a rest nor to an outcome (E5). */
  acquisitions: number;
  /** The whole journal, if the store still has it in memory: the driver need not read it. */
  events?: readonly JournalEvent[];
  /** E2: until then the previous worker may still be alive, so its open effects are left alone. */
  previousUntil: number | undefined;
}

export interface RunFilter {
  status?: readonly RunRow["status"][];
  agent?: string;
  root?: RunId;
  parent?: RunId;
  session?: string;
  /** Runs of other trees that continue a run of this tree. */
  branchesOf?: RunId;
  /** Runs of this user. */
  user?: string;
  /** Only runs that no other run has started. */
  roots?: boolean;
  /** Started at this time or later. */
  since?: number;
  /** The kind of wait. `person`: anything that a person must answer; a pause is not. */
  waiting?: WaitingOn["kind"] | "person";
  /** Words of the run's journal: tasks, messages and outputs. All of them must occur. */
  q?: string;
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
}

/** A root and all runs below it. */
export interface TreeTotal {
  runs: number;
  usage: RunUsage;
}

export interface MessageFilter {
  session?: string;
  /** The message of the model call that led to these. */
  parent?: number;
  run?: RunId;
  role?: string;
  /** Messages of this user's runs. */
  user?: string;
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
}

export interface TreeUsageFilter {
  /** Only trees that have changed since. */
  since?: number | undefined;
  limit: number;
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

/** A chain of runs of a main agent: people and agents send messages to it. */
export interface SessionRow {
  id: string;
  runs: number;
  createdAt: number;
  /** The latest run. */
  last: RunRow;
}

/** Counts over the whole store. */
export interface StoreTotals {
  runs: Partial<Record<RunRow["status"], number>>;
  /** Open items. */
  approvals: number;
  modelCalls: number;
  toolCalls: number;
  /** Tokens. */
  input: number;
  output: number;
  cost: number;
  bytes: number;
}

export interface PruneFilter {
  /** Trees whose last run ended before this time. */
  before?: number;
  /** The status of the root. */
  status?: readonly RunRow["status"][];
  root?: RunId;
  workspace?: string;
  /** Deletes nothing, and answers with what would be deleted. */
  dryRun?: boolean;
}

export interface PruneResult {
  trees: number;
  runs: number;
  events: number;
  /** Size of the payloads and blobs. */
  bytes: number;
}

export interface ApprovalRef {
  runId: RunId;
  itemId: string;
  kind: ApprovalKind;
  openedAt: number;
  expiresAt: number | undefined;
}

/** A permission that a person gave: for good, or for the run that it was given in and all runs below it. */
export interface StandingGrant {
  id: number;
  scope: "always" | "tree";
  rule: string;
  by: string;
  at: number;
  until: number | undefined;
  /** The folder in which it applies; undefined: anywhere. */
  folder: string | undefined;
  runId: RunId;
}

export interface Heartbeat {
  /** Runs of this worker that are being cancelled, and runs that it has lost. */
  cancelled: RunId[];
  lost: RunId[];
}

export interface Quarantine {
  runId: RunId;
  reason: string;
  seq: Seq | undefined;
}

/**
 * Called after each commit with its events, in order of positions, and with the runs that became due without an event (B4).
 * `elsewhere`: events of other processes on the same store, and their runs that are due.
 * A call without events means "look again". Contract: must not throw.
 */
export type CommitListener = (
  events: readonly JournalEvent[],
  woken: readonly RunId[],
  from?: "elsewhere",
) => void;

export interface Store {
  /** The same across restarts; every store has its own. */
  readonly id: string;
  /** The clock of all processes that share the store: events, timers and leases use it. */
  readonly clock: Clock;
  readonly runs: RunStore;
  readonly journal: JournalStore;
  readonly leases: LeaseStore;
  readonly inbox: InboxStore;
  readonly blobs: BlobStore;
  readonly usage: UsageStore;
  readonly transfers: TransferStore;
  readonly users: Users;
  readonly outbox: Outbox;
  close(): Promise<void>;
}

/** Runs: started, found, stopped and deleted. */
export interface RunStore {
  /**
   * Admits a run. A key that was used before answers with the run it made then.
   * Another body under that key is refused (UNPROCESSABLE).
   */
  start(
    runId: RunId,
    start: Payload<"RUN_STARTED">,
    idempotency?: { key: string; body: string },
  ): Promise<{ runId: RunId; existed: boolean }>;
  /** D5: a message to an agent in a session joins the run that is active there, or starts the next, which continues the last. */
  say(message: SessionMessage): Promise<{ runId: RunId; joined: boolean; refused?: "runs" }>;
  /** P7: one transaction over the run and every descendant that has not ended. Answers with the runs it reached. */
  cancel(runId: RunId, request: Payload<"CANCEL_REQUESTED">): Promise<RunId[]>;
  /** BV4: one transaction over the run and every descendant that has not ended. Answers with the runs it changed. */
  freeze(runId: RunId, freeze: FreezeRequest): Promise<RunId[]>;
  get(runId: RunId): Promise<RunRow | undefined>;
  /** Newest first. A search (`q`) brings the index up to date first. */
  list(filter: RunFilter): Promise<{ runs: RunRow[]; nextCursor: string | undefined }>;
  /** How many runs match, on all pages. */
  count(filter: RunFilter): Promise<number>;
  /** For runs that `q` has found: the event that matches best. */
  firstHits(q: string, runs: readonly RunId[]): Promise<ReadonlyMap<RunId, Seq>>;
  /** The latest first. */
  sessions(filter: {
    limit?: number;
    cursor?: string;
    user?: string;
  }): Promise<{ sessions: SessionRow[]; nextCursor: string | undefined }>;
  /** Active runs whose parent has ended, without quarantined runs (S0-65). */
  orphans(): Promise<RunId[]>;
  /**
   * Deletes whole trees, and the blobs that no run needs any more.
   * It keeps a tree in which a run is active, a tree whose budget an active run draws on, and a tree that a kept run continues.
   * Standing grants stay in force. A reader by position meets a gap; every run has a chain of its own, so no other chain breaks.
   */
  prune(filter: PruneFilter): Promise<PruneResult>;
}

/** The journals: one per run, and all of them in commit order. */
export interface JournalStore {
  append(append: Append): Promise<AppendResult>;
  /** A run's journal in order, verified against its chain. */
  read(runId: RunId, after?: Seq, limit?: number): Promise<JournalEvent[]>;
  /** The hash of a run's chain at its latest event, or at `at`. */
  head(runId: RunId, at?: Seq): Promise<{ seq: Seq; hash: string } | undefined>;
  /** All journals in commit order. Events that cannot be read are left out. */
  readAll(after: Position, limit: number, of?: ReadOptions): Promise<JournalEvent[]>;
  position(): Promise<Position>;
  onCommit(listener: CommitListener): () => void;
}

/** Which worker drives which run. */
export interface LeaseStore {
  /**
   * Takes a run that is due, and counts as a heartbeat of the worker.
   * Undefined: the run is not due, or another worker was faster.
   * A run of a lost worker is taken although its lease has not run out.
   */
  acquire(runId: RunId, worker: string, lost?: LostWorkers): Promise<Lease | undefined>;
  /**
   * Gives a run back, due immediately and with its slot, so that another driver continues.
   * `rest`: the driver cannot continue, so the slot is freed too (B4).
   * The run is due again at `wakeAt`; 0 means immediately, for other drivers.
   */
  release(runId: RunId, writer: Writer, rest?: { wakeAt: number }): Promise<void>;
  /** Runs to drive now: first those whose worker is dead, because they still have a slot (B4), then the longest due. */
  due(now: number, limit: number, of?: PoolFilter): Promise<RunId[]>;
  /** When the next resting run is due, if any. */
  nextDue(): Promise<number | undefined>;
  heartbeat(
    worker: string,
    holds: readonly { runId: RunId; epoch: number }[],
    card?: WorkerCard,
  ): Promise<Heartbeat>;
  /** Workers that have shown a card, the longest at work first. A worker that shut down in order is not listed. */
  workers(): Promise<WorkerRow[]>;
  /** The live worker that holds a run. */
  driverOf(runId: RunId): Promise<string | undefined>;
  /** Quarantines a run that cannot be read. The run is not due until the store is opened again. */
  quarantine(entry: Quarantine): Promise<void>;
  quarantined(): Promise<Quarantine[]>;
}

/** Items that wait for a person, and what people have allowed beyond one call. */
export interface InboxStore {
  openItems(filter?: JournalScope): Promise<ApprovalRef[]>;
  grants(): Promise<StandingGrant[]>;
  revokeGrant(id: number): Promise<boolean>;
}

/** Texts by their hashes. */
export interface BlobStore {
  put(text: string): Promise<string>;
  /** `of`: only if a run of this user needs it. */
  get(hash: string, of?: { user: string }): Promise<string | undefined>;
}

/** Consumption. The tables behind `messages` and `trees` are brought up to date when they are read, not by appends. */
export interface UsageStore {
  totals(): Promise<StoreTotals>;
  /** By root. */
  treeTotals(roots: readonly RunId[]): Promise<ReadonlyMap<RunId, TreeTotal>>;
  /** The usage of each tree that has changed since a time, ordered by root. */
  trees(filter: TreeUsageFilter): Promise<{ trees: TreeUsage[]; nextCursor: string | undefined }>;
  /** One row for each model call, in the order in which they began. */
  messages(filter: MessageFilter): Promise<{ messages: MessageRow[]; nextCursor: string | undefined }>;
}

/** Trees that leave for another store, and trees that arrive (E7). */
export interface TransferStore {
  /**
   * Ends every active run of a tree here, because the tree continues elsewhere.
   * One transaction; refused (CONFLICT) unless the whole tree is at rest. A second call gets the answer of the first.
   * `to`: the server that it is sent to now.
   * While it is not known whether the tree has arrived there, it may be sent only there again.
   * Once it has arrived, it cannot be moved from here any more (CONFLICT).
   */
  move(root: RunId, transferId: string, to?: string): Promise<MovedTree>;
  /**
   * Records the answer of the server that a tree was sent to.
   * A server that refuses may have taken the tree before: only a refusal of the first attempt proves that it is not there, and lets it be sent elsewhere.
   */
  settle(root: RunId, to: string, outcome: MoveOutcome): Promise<void>;
  /**
   * Imports a tree whose chains were verified, in one transaction: with its own ids, seqs, times and hashes, and with positions of this store.
   * Runs that are here already and the same stay; a different run under the same id is a CONFLICT.
   * A transfer is imported once: `existed` says that it was here before.
   */
  import(tree: CarriedTree): Promise<{ root: RunId; existed: boolean }>;
  /** A tree's events as they are stored, in commit order: the text that the chains cover. */
  storedEvents(root: RunId, after: Position, limit: number): Promise<StoredEvent[]>;
}

/** Some of the journals: of one run, of a tree, or of a user's runs. */
export interface JournalScope {
  run?: RunId;
  root?: RunId;
  user?: string;
}

export interface ReadOptions extends JournalScope {
  /**
   * For readers that keep a cursor and never go back: the page ends before the first event that only a newer version understands.
   * If that event is the next one, the read is refused (JOURNAL_NEWER).
   */
  stopAtNewer?: true;
}

/** A process that drives runs, as it describes itself. */
export interface WorkerCard {
  host: string;
  pid: number;
  /** The pool whose runs it drives (E6). */
  pool: string;
  version: string;
  since: number;
  /** How many runs it leaves to a newer version, because it does not understand their journals. */
  tooNew?: number | undefined;
}

export interface WorkerRow extends WorkerCard {
  name: string;
  seenAt: number;
  /** No heartbeat for longer than a lease lasts: dead, frozen or cut off. Other workers may take its runs. */
  silent: boolean;
  /** The number of runs that it holds. */
  runs: number;
  /** The first few of them. */
  holds: string[];
}

/** E2: the workers that an engine has lost: these, or all that sent no heartbeat for this long. */
export type LostWorkers = { workers: readonly string[] } | { silentFor: number };

/** E7: an event as it is stored. `text`: its payload, or the name of its blob. */
export interface StoredEvent extends ChainLink {
  runId: RunId;
  position: Position;
  hash: string;
}

/** E7: a tree from another store, in commit order. */
export interface CarriedTree {
  transferId: string;
  root: RunId;
  events: readonly { event: JournalEvent; text: string; hash: string }[];
  /** Stored texts by name. */
  blobs: ReadonlyMap<string, string>;
  standing: ReadonlyMap<RunId, UnjournaledState>;
}

/** E7: a tree that was moved away. Without `transferId` the tree had ended: nothing was moved, and the export is a copy. */
export interface MovedTree {
  transferId: string | undefined;
  standing: { runId: RunId; standing: UnjournaledState }[];
  /** The server that it was sent to before; it is not known whether it has arrived there. */
  sentTo?: string;
}

export type MoveOutcome = "arrived" | "refused";
