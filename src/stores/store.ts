// The interface of a store, in groups: journals that only grow, rows computed from them, leases, and small tables.
// Everything that makes a run durable passes through `journal.append`.
// `store.contract.ts` tests every implementation for these rules.
//  J1  Keys are checked first. Appending the same event again writes nothing. Another payload under the same key is a conflict.
//  J2  An append by any writer other than the run's current driver is a signal.
//      A guarded append is refused as a whole if the journal has a signal that its writer has not folded.
//  J3  An outcome needs its intent and an open call, but not the newest epoch.
//  J6  A run can rest only if its driver has folded every signal. A new signal makes a resting run due.
//  J7  A change to several journals is one transaction. For example, a child's start or end and the event in its parent's journal are written together.
//      A cancel of a subtree is one transaction too. So are the events that tell all runs above that a run needs a person.
//  B4  A run needs a slot in its workspace to start work. A run that gets no slot is refused and waits in a queue.
//      The oldest run in the queue gets the next free slot.
//  J8  Positions are dense and in commit order. A pruned tree leaves a gap. No position is ever used twice.
//  E7  When a tree moves to another store, one transaction writes its last event here and ends it here. A tree is imported only once.
// The store answers after the commit: everything in an answer is on stable storage (P1).

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
import type { ExceededLimit } from "../projections/usage/budgets.ts";
import type { RunUsage } from "../projections/usage/run-usage.ts";
import type { TreeUsage } from "../projections/usage/tree-usage.ts";
import type { ChainLink } from "./hashes.ts";
import type { Outbox } from "./outbox.ts";
import type { Triggers } from "./triggers.ts";
import type { Users } from "./users.ts";

export type { PoolFilter };

/** How long the store treats a worker as alive after its last heartbeat. The store and all workers must use the same value, or an effect could start twice (E2). */
export const LEASE_MS = 15_000;

/** The driver of a run: a worker, and the epoch in which the worker acquired the run. */
export interface Writer {
  worker: string;
  epoch: number;
}

export interface Append {
  runId: RunId;
  /** The run's driver. Absent if the writer is a person, another run or the system. */
  writer?: Writer;
  /** The last seq that the writer has folded. */
  after: Seq;
  events: EventBody[];
  /** `signals`: the append is refused after a newer signal (J2). `unchanged`: it is refused after any newer event. */
  guard?: "signals" | "unchanged";
  /** Gives the lease back in the same transaction, if the append is not refused (J6). If `wakeAt` is undefined, the run rests until the next signal. */
  rest?: {
    wakeAt: number | undefined;
    /** B4: puts the run into the queue for a slot. The value is the number of slots. The run becomes due when its turn comes, or after some time. */
    queue?: number;
  };
  /** D6: files that these events are about to change. The append is refused if a run of another branch is changing one of the files. */
  claims?: readonly string[];
  /** B4: the number of slots in the workspace. These events start work, so the append is refused if the run gets no slot. */
  concurrent?: number;
  /** Admits a child in the same transaction, if the tree has room for it (J7). */
  spawn?: Spawn;
  /**
   * The estimate of a model call, and the budgets of its run and its tree (B2).
   * If a person has set the tree's budget, the person's budget applies instead. There are two ways to set it:
   * APPROVAL_DECIDED with `limits` and scope `tree` also decides the same item for every run that stopped at the old budget.
   * BUDGET_SET with scope `tree` is sent to every run of the tree.
   * The root gets a warning when most of the tree's budget is spent (B3).
   * `anew` means that `tree` is a new budget from a person, so earlier budgets do not apply.
   */
  reserve?: { estimate: Estimate; lastTurn?: Estimate; run: Budget; tree: Budget; anew?: true };
}

export interface Spawn {
  runId: RunId;
  start: Payload<"RUN_STARTED">;
  /** Events that follow RUN_STARTED in the child's journal: the parent's context. */
  events: EventBody[];
  /** Limits on the children of the parent, the runs of the tree, and the runs at work in the workspace at the same time. */
  limits: { children: number; runs: number; concurrent: number };
  /**
   * B4: the source of the child's slot.
   * `parents`: the parent will wait, and passes its own slot to the child. A parent without a slot must queue first.
   * `free`: the child needs a free slot. If there is none, the spawn is refused.
   * `queues`: the child starts without a slot and asks for one, like a root.
   */
  slot: "parents" | "free" | "queues";
}

export interface SessionMessage {
  sessionId: string;
  agent: string;
  /** The event to write if a run is active. If the same message is sent twice, the event is written once. */
  context: Payload<"CONTEXT_ADDED">;
  /** The run to start if no run is active. */
  runId: RunId;
  start: Payload<"RUN_STARTED">;
  /** The maximum number of runs that share this run's budget. If a person's message starts the run, there is no limit. */
  maxRuns?: number;
  /** A message with the same key is delivered once. */
  idempotency?: { key: string; body: string };
}

export interface Budget {
  maxTokens?: number | undefined;
  maxCost?: number | undefined;
}

export type Refusal =
  /** The journal has a signal that the writer has not folded. The writer must fold it and decide again. */
  | "signals"
  /** The journal has a newer event. The writer must read again. */
  | "changed"
  /** Another driver holds the run. */
  | "epoch"
  /** The run has ended. */
  | "ended"
  /** The journal has an event with this key and another payload. */
  | "conflict"
  /** The outcome belongs to no open call. */
  | "closed"
  /** The budget does not allow this call. */
  | "budget"
  /** Other open calls have reserved the rest of the budget, so the writer must wait. */
  | "reserved"
  /** A limit is reached: children of the run, runs of the tree, or runs at work in the workspace (B4). */
  | "children"
  | "runs"
  | "slots"
  /** A run of another branch is changing the same file. */
  | "claimed";

export interface AppendResult {
  /** The journal after `after`, in order: first the events of other writers, then the events of this append. */
  events: JournalEvent[];
  refused?: Refusal;
  /** The limit that the call would exceed, if `refused` is `budget` or `reserved`. `tree.maxTokens` is a limit of the whole tree. */
  exceeded?: ExceededLimit;
  /** The run that is changing the file, if `refused` is `claimed`. */
  claimedBy?: { path: string; runId: RunId; agent: string };
}

/** E5: a run with more acquisitions than this is a suspect. Only a suspect's driver increases its number (`loop/drive/suspects.ts`). */
export const SUSPECT_AFTER = 2;

export interface Lease extends Writer {
  row: RunRow;
  /**
   * Number of acquisitions in a row, including this one, that led neither to a rest nor to an outcome (E5).
   * Above `SUSPECT_AFTER + 1` the number is increased only by the driver, when it drives the run alone.
   */
  acquisitions: number;
  /** The whole journal, if the store still has it in memory. In that case the driver need not read it. */
  events?: readonly JournalEvent[];
  /** E2: until this time the previous worker might still be alive, so the calls that it left open are not touched. */
  previousUntil: number | undefined;
}

export interface RunFilter {
  status?: readonly RunRow["status"][];
  agent?: string;
  /** The beginning of the run's id. */
  idPrefix?: string;
  root?: RunId;
  parent?: RunId;
  session?: string;
  /** Runs of other trees that continue a run of this tree. */
  branchesOf?: RunId;
  /** Runs of this user. */
  user?: string;
  /** Only runs that were not started by another run. */
  roots?: boolean;
  /** Only runs that were started at this time or later. */
  since?: number;
  /** The kind of wait. `person`: every wait that a person must answer, which does not include pauses. */
  waiting?: WaitingOn["kind"] | "person";
  /** Words in the run's journal: in tasks, messages and outputs. All words must occur. */
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
  /** Only messages with this parent message. */
  parent?: number;
  run?: RunId;
  role?: string;
  /** Only messages of this user's runs. */
  user?: string;
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
}

export interface TreeUsageFilter {
  /** Only trees that have changed since this time. */
  since?: number | undefined;
  limit: number;
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

/** A chain of runs of a main agent. People and agents send messages to the session. */
export interface SessionRow {
  id: string;
  runs: number;
  createdAt: number;
  /** The latest run of the session's main agent. */
  last: RunRow;
}

/** Counts for the whole store. */
export interface StoreTotals {
  runs: Partial<Record<RunRow["status"], number>>;
  /** Number of open items. */
  approvals: number;
  modelCalls: number;
  toolCalls: number;
  /** Number of tokens. */
  input: number;
  output: number;
  cost: number;
  bytes: number;
}

export interface PruneFilter {
  /** Only trees whose last run ended before this time. */
  before?: number;
  /** Only trees whose root has this status. */
  status?: readonly RunRow["status"][];
  root?: RunId;
  workspace?: string;
  /** Deletes nothing, and returns what would be deleted. */
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

/** A permission that a person gave: permanently, or for one run and all runs below it. */
export interface StandingGrant {
  id: number;
  scope: "always" | "tree";
  rule: string;
  by: string;
  at: number;
  until: number | undefined;
  /** The folder in which the grant applies. If it is undefined, the grant applies everywhere. */
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
 * Called after each commit with its events in order of positions, and with the runs that became due without an event (B4).
 * `elsewhere`: other processes on the same store wrote the events. In this case `woken` contains all due runs of these events.
 * A call without events means "look again". The listener must not throw.
 */
export type CommitListener = (
  events: readonly JournalEvent[],
  woken: readonly RunId[],
  from?: "elsewhere",
) => void;

export interface Store {
  /** The store's own id. It stays the same across restarts, and no other store has it. */
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
  readonly triggers: Triggers;
  close(): Promise<void>;
}

/** Starts, finds, stops and deletes runs. */
export interface RunStore {
  /**
   * Admits a run. If the key was used before, returns the run that was started with it.
   * A different body under the same key is refused (UNPROCESSABLE).
   */
  start(
    runId: RunId,
    start: Payload<"RUN_STARTED">,
    idempotency?: { key: string; body: string },
  ): Promise<{ runId: RunId; existed: boolean }>;
  /** D5: a message to an agent in a session goes to the agent's active run. If there is none, a new run starts and continues the last run. */
  say(message: SessionMessage): Promise<{ runId: RunId; joined: boolean; refused?: "runs" }>;
  /** P7: cancels the run and all its descendants that have not ended, in one transaction. Returns the runs that it reached. */
  cancel(runId: RunId, request: Payload<"CANCEL_REQUESTED">): Promise<RunId[]>;
  /** BV4: freezes or thaws the run and all its descendants that have not ended, in one transaction. Returns the runs that it changed. */
  freeze(runId: RunId, freeze: FreezeRequest): Promise<RunId[]>;
  get(runId: RunId): Promise<RunRow | undefined>;
  /** Lists runs, newest first. A search (`q`) brings the index up to date first. */
  list(filter: RunFilter): Promise<{ runs: RunRow[]; nextCursor: string | undefined }>;
  /** Number of matching runs on all pages together. */
  count(filter: RunFilter): Promise<number>;
  /** The event that matches `q` best, for each run that was found. */
  firstHits(q: string, runs: readonly RunId[]): Promise<ReadonlyMap<RunId, Seq>>;
  /** Lists sessions, the latest first. */
  sessions(filter: {
    limit?: number;
    cursor?: string;
    user?: string;
  }): Promise<{ sessions: SessionRow[]; nextCursor: string | undefined }>;
  /** Active runs whose parent has ended (S0-65). Quarantined runs are left out. */
  orphans(): Promise<RunId[]>;
  /**
   * Deletes whole trees, and the blobs that no other run needs.
   * A tree is kept if it has an active run, if an active run draws on its budget, or if a kept run continues it.
   * Permanent grants stay in force. Readers by position see a gap. The hash chains of other runs stay valid, because every run has its own chain.
   */
  prune(filter: PruneFilter): Promise<PruneResult>;
}

/** The journals. They are read run by run, or all together in commit order. */
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
   * Acquires a run that is due. The call is also a heartbeat of the worker.
   * Returns undefined if the run is not due, or if another worker was faster.
   * If the run's worker is lost, the run can be acquired before its lease expires.
   */
  acquire(runId: RunId, worker: string, lost?: LostWorkers): Promise<Lease | undefined>;
  /**
   * Gives a run back so that another driver can continue it. The run is due immediately and keeps its slot.
   * `rest`: the driver cannot continue, so the slot is freed too (B4).
   * The run becomes due again at `wakeAt`. If `wakeAt` is 0, the run is due immediately.
   */
  release(runId: RunId, writer: Writer, rest?: { wakeAt: number }): Promise<void>;
  /** Runs to drive now. Runs of dead workers come first, because they still have a slot (B4), then the runs that have been due longest. */
  due(now: number, limit: number, of?: PoolFilter): Promise<RunId[]>;
  /** The time when the next resting run becomes due, if there is one. */
  nextDue(): Promise<number | undefined>;
  heartbeat(
    worker: string,
    holds: readonly { runId: RunId; epoch: number }[],
    card?: WorkerCard,
  ): Promise<Heartbeat>;
  /** Workers in the order in which they started. Workers that sent no description, or shut down properly, are not listed. */
  workers(): Promise<WorkerRow[]>;
  /** The live worker that holds a run. */
  driverOf(runId: RunId): Promise<string | undefined>;
  /** E5: sets the number of acquisitions without an outcome. Only the run's driver may do this. */
  recordAcquisitions(runId: RunId, writer: Writer, count: number): Promise<void>;
  /** Quarantines a run that cannot be read. The run is not due until the store is opened again. */
  quarantine(entry: Quarantine): Promise<void>;
  quarantined(): Promise<Quarantine[]>;
}

/** Where a decision of a person is recorded, with the events that say what it was about. */
export interface DecisionRef {
  runId: RunId;
  agent: string;
  position: Position;
  /** The decision's number in its journal, and those of the proposal and of the model's answer before it. */
  seq: Seq;
  proposal: Seq | undefined;
  thought: Seq | undefined;
}

export interface DecisionFilter {
  agent?: string;
  /** Only decisions in this user's runs. */
  user?: string;
  /** Only decisions before this position. */
  before?: Position;
  limit: number;
}

/** Items that wait for a person, their decisions, and the grants that people have given. */
export interface InboxStore {
  openItems(filter?: JournalScope): Promise<ApprovalRef[]>;
  /** What people decided, the latest first. */
  decisions(filter: DecisionFilter): Promise<DecisionRef[]>;
  grants(): Promise<StandingGrant[]>;
  revokeGrant(id: number): Promise<boolean>;
}

/** Texts that are stored by their hashes. */
export interface BlobStore {
  put(text: string): Promise<string>;
  /** Stores the bytes of a file. They are never masked. `get` returns them as base64. */
  putFile(bytes: Uint8Array): Promise<string>;
  /** If `of` is set, the text is returned only if a run of this user needs it. */
  get(hash: string, of?: { user: string }): Promise<string | undefined>;
}

/** Usage. The tables behind `messages` and `trees` are brought up to date when they are read, not when events are appended. */
export interface UsageStore {
  totals(): Promise<StoreTotals>;
  /** Usage by root run. */
  treeTotals(roots: readonly RunId[]): Promise<ReadonlyMap<RunId, TreeTotal>>;
  /** The usage of each tree that has changed since a time, ordered by root. */
  trees(filter: TreeUsageFilter): Promise<{ trees: TreeUsage[]; nextCursor: string | undefined }>;
  /** One row for each model call, in the order in which the calls began. */
  messages(filter: MessageFilter): Promise<{ messages: MessageRow[]; nextCursor: string | undefined }>;
}

/** Trees that are moved to another store, and trees that are imported from one (E7). */
export interface TransferStore {
  /**
   * Ends every active run of a tree in this store, because the tree continues in another store.
   * The move is one transaction. It is refused (CONFLICT) unless the whole tree is at rest. A second call returns the answer of the first.
   * `to` is the server to which the tree is sent now.
   * Until the store knows whether the tree has arrived there, the tree can be sent again only to that server.
   * Once the tree has arrived, it can no longer be moved from this store (CONFLICT).
   */
  move(root: RunId, transferId: string, to?: string): Promise<MovedTree>;
  /**
   * Records the answer of the server to which a tree was sent.
   * Only a refusal of the first attempt proves that the server does not have the tree. After such a refusal, the tree can be sent elsewhere.
   */
  settle(root: RunId, to: string, outcome: MoveOutcome): Promise<void>;
  /**
   * Imports a verified tree in one transaction. The tree keeps its ids, seqs, times and hashes, and gets positions of this store.
   * If this store already has an identical run, nothing changes. A different run under the same id is a CONFLICT.
   * A transfer is imported only once. `existed` says that the transfer was imported before.
   */
  import(tree: CarriedTree): Promise<{ root: RunId; existed: boolean }>;
  /** A tree's events in commit order, exactly as they are stored, because the hash chains cover this text. */
  storedEvents(root: RunId, after: Position, limit: number): Promise<StoredEvent[]>;
}

/** Selects the journals of one run, of a tree, or of a user's runs. */
export interface JournalScope {
  run?: RunId;
  root?: RunId;
  user?: string;
}

export interface ReadOptions extends JournalScope {
  /**
   * Ends the page before the first event that only a newer version of Cadre understands, so that the reader's cursor stays before it.
   * A reader needs this if its cursor never moves back.
   * If the next event is already too new, the read is refused (JOURNAL_NEWER).
   */
  stopAtNewer?: true;
}

/** A process that drives runs, with its description of itself. */
export interface WorkerCard {
  host: string;
  pid: number;
  /** The pool whose runs the worker drives (E6). */
  pool: string;
  version: string;
  since: number;
  /** Number of runs whose journals this worker does not understand. It leaves these runs to a newer version. */
  tooNew?: number | undefined;
}

export interface WorkerRow extends WorkerCard {
  name: string;
  seenAt: number;
  /** The worker sent no heartbeat for longer than a lease: it is dead, frozen or cut off. Other workers can take its runs. */
  silent: boolean;
  /** The number of runs that the worker holds. */
  runs: number;
  /** The first few runs that the worker holds. */
  holds: string[];
}

/** E2: the workers that an engine considers lost. These are the listed workers, or all workers that sent no heartbeat for the time `silentFor`. */
export type LostWorkers = { workers: readonly string[] } | { silentFor: number };

/** E7: an event as it is stored. `text` is its payload, or the name of the blob with the payload. */
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
  /** Stored texts by their names. */
  blobs: ReadonlyMap<string, string>;
  standing: ReadonlyMap<RunId, UnjournaledState>;
}

/** E7: a tree that was moved away. If `transferId` is absent, the tree had already ended: it was not moved, and the export is a copy. */
export interface MovedTree {
  transferId: string | undefined;
  standing: { runId: RunId; standing: UnjournaledState }[];
  /** The server to which the tree was sent before. It is not known whether the tree has arrived. */
  sentTo?: string;
}

export type MoveOutcome = "arrived" | "refused";
