// The contract of a store: journals that only grow, the rows that are their projections, and leases. Everything that
// makes a run durable passes through `append`; `store.contract.ts` holds every implementation to the same rules.
//  J1  Keys are checked first: the same event again writes nothing; another payload under the same key is a conflict.
//  J2  Whatever anyone but the run's current driver appends is a signal. A guarded append is left out whole if the
//      journal has a signal that its writer has not folded.
//  J3  Outcomes need their intent and an open call, not the newest epoch.
//  J6  A run rests only if it has folded every signal; a signal makes a resting run due.
//  J7  What touches several journals is one transaction: a child's start with its parent's intent, a child's end with
//      the parent's event, a cancel over a subtree, and the word to every run above that somebody below needs a person.
//  B4  Who begins something has a place among those at work in its workspace, or is refused and queues; the oldest first.
//  J8  Positions are dense and in commit order. What is pruned leaves a gap; no position is ever given twice.
//  E7  A tree that is moved ends here in the same transaction in which its last word is written; it comes in once.
// An answer comes after the commit: what it says is on stable storage (P1).

import type { Clock } from "../clock.ts";
import type { PoolFilter } from "../config/pools.ts";
import type { Position, RunId, Seq } from "../ids.ts";
import type { Estimate, EventBody, JournalEvent, Payload, WaitingOn } from "../journal/events.ts";
import type { ApprovalKind } from "../projections/folds/approvals.ts";
import type { FreezeRequest } from "../projections/folds/freeze.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import type { MessageRow } from "../projections/formats/message-rows.ts";
import type { RunUsage } from "../projections/usage/run-usage.ts";
import type { TreeUsage } from "../projections/usage/tree-usage.ts";
import type { Outbox } from "./outbox.ts";
import type { JournalScope, ReadOptions } from "./read-options.ts";
import type { CarriedTree, MovedTree, MoveOutcome, StoredEvent } from "./transfers.ts";
import type { Users } from "./users.ts";
import type { LostWorkers, WorkerCard, WorkerRow } from "./workers.ts";

export type {
  CarriedTree,
  JournalScope,
  LostWorkers,
  MovedTree,
  MoveOutcome,
  PoolFilter,
  ReadOptions,
  StoredEvent,
  WorkerCard,
  WorkerRow,
};

/** How long a worker counts as alive after it was heard of. Both sides must agree on it, or an effect could begin twice (E2). */
export const LEASE_MS = 15_000;

/** Who drives a run: a worker, in the epoch in which it took the run. */
export interface Writer {
  worker: string;
  epoch: number;
}

export interface Append {
  runId: RunId;
  /** The run's driver. Absent for everybody else: people, other runs, the system. */
  writer?: Writer;
  /** The last seq that the writer has folded. */
  after: Seq;
  events: EventBody[];
  /** `signals`: not if a newer signal is there (J2). `unchanged`: not if anything newer is there. */
  guard?: "signals" | "unchanged";
  /** Gives the lease back in the same transaction, if the events went in (J6). `wakeAt` undefined: until a signal. */
  rest?: {
    wakeAt: number | undefined;
    /** B4: it rests because all of so many places are taken. It is due when its turn comes, and asks again now and then. */
    queue?: number;
  };
  /** D6: files that the events' effects will change. Refused if a run of another branch of the tree is changing one. */
  claims?: readonly string[];
  /** B4: the events are work: without a place among so many in its workspace they are refused, and the run queues. */
  concurrent?: number;
  /** Admits a child in the same transaction, if the tree has room for it (J7). */
  spawn?: Spawn;
  /**
   * What a model call may spend, against what its run and its tree may (B2). A person's decision on the tree's budget
   * (APPROVAL_DECIDED with `limits` and scope `tree`) takes the place of what is given here, and decides the same item of
   * every run of the tree that stopped for it; so does BUDGET_SET with scope `tree`, which every run of it is told. The root
   * is told when most of the tree's budget is spent (B3). `anew`: `tree` is what a person wants it to be.
   */
  reserve?: { estimate: Estimate; run: Budget; tree: Budget; anew?: true };
}

export interface Spawn {
  runId: RunId;
  start: Payload<"RUN_STARTED">;
  /** What stands in its journal from the beginning: the parent's context. */
  events: EventBody[];
  /** Of the parent, of the tree, and of agents at work in the workspace at the same time. */
  limits: { children: number; runs: number; concurrent: number };
  /**
   * B4: where its place at work comes from. `parents`: the parent will wait, and passes on its own; a parent that has none
   * must queue for it. `free`: refused if there is none. `queues`: from nowhere yet, it asks for one like a root.
   */
  slot: "parents" | "free" | "queues";
}

export interface SessionMessage {
  sessionId: string;
  agent: string;
  /** For a run that is under way. Said twice, it is heard once. */
  context: Payload<"CONTEXT_ADDED">;
  /** The run that it makes where none is. */
  runId: RunId;
  start: Payload<"RUN_STARTED">;
  /** Runs that the budget which pays for it may have, however they were started. Absent: a person asks. */
  maxRuns?: number;
  /** As for a start: said again under this key, it is not said twice. */
  idempotency?: { key: string; body: string };
}

export interface Budget {
  maxTokens?: number | undefined;
  maxCost?: number | undefined;
}

export type Refusal =
  /** A signal came that the writer has not folded: fold it, decide again. */
  | "signals"
  /** Something came since: read again. */
  | "changed"
  /** Another driver has the run. */
  | "epoch"
  /** The run has ended: nothing is appended to it any more. */
  | "ended"
  /** The key is taken by an event that says something else. */
  | "conflict"
  /** An outcome without an open call. */
  | "closed"
  /** What is spent leaves no room for this call. */
  | "budget"
  /** There would be room but for what open calls may still spend: wait. */
  | "reserved"
  /** The run has as many children as it may, the tree as many runs; as many agents are at work in the workspace (B4). */
  | "children"
  | "runs"
  | "slots"
  /** A run of another branch is changing the same file. */
  | "claimed";

export interface AppendResult {
  /** The journal after `after`, in order: what others wrote, and what this append wrote. */
  events: JournalEvent[];
  refused?: Refusal;
  /** The budget that a call would have gone beyond, where that is why; `tree.maxTokens` is that of the whole tree. */
  exceeded?: { limit: string; value: number };
  /** Who has which file, where that is why. */
  claimedBy?: { path: string; runId: RunId; agent: string };
}

export interface Lease extends Writer {
  row: RunRow;
  /** Acquisitions in a row, this one included, that brought neither a rest nor an outcome (E5). */
  acquisitions: number;
  /** The whole journal, where this process has just written all of it: nothing needs to be read back. */
  events?: readonly JournalEvent[];
  /** E2: until then the worker before may still be alive, and what it began is left alone. */
  previousUntil: number | undefined;
}

export interface RunFilter {
  status?: readonly RunRow["status"][];
  agent?: string;
  root?: RunId;
  parent?: RunId;
  session?: string;
  /** Those outside of the tree of this root that continue a run of it. */
  branchesOf?: RunId;
  /** Whose they are. */
  user?: string;
  /** Only those that no other run has started. */
  roots?: boolean;
  /** Started at this time or later. */
  since?: number;
  /** What they wait for; `person`: anything that somebody has to answer, a pause is none. */
  waiting?: WaitingOn["kind"] | "person";
  /** Words that stand in the run's journal, all of them: what was asked, said and made. */
  q?: string;
  limit?: number;
  /** From the page before. */
  cursor?: string;
}

/** A root and everything below it. */
export interface TreeTotal {
  runs: number;
  usage: RunUsage;
}

export interface MessageFilter {
  session?: string;
  /** The call that these were brought about by. */
  parent?: number;
  run?: RunId;
  role?: string;
  /** Of the runs of this person. */
  user?: string;
  limit?: number;
  /** From the page before. */
  cursor?: string;
}

export interface TreeUsageFilter {
  /** Only trees to which something happened since. */
  since?: number | undefined;
  limit: number;
  /** From the page before. */
  cursor?: string | undefined;
}

/** A chain of runs of main agents that people and agents speak to. */
export interface SessionRow {
  id: string;
  runs: number;
  createdAt: number;
  /** The latest of them. */
  last: RunRow;
}

/** How much of everything there is. */
export interface StoreTotals {
  runs: Partial<Record<RunRow["status"], number>>;
  /** Those that are open. */
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
  /** How their roots ended. */
  status?: readonly RunRow["status"][];
  root?: RunId;
  workspace?: string;
  /** Deletes nothing, and answers what would be deleted. */
  dryRun?: boolean;
}

export interface PruneResult {
  trees: number;
  runs: number;
  events: number;
  /** Of payloads and blobs. */
  bytes: number;
}

export interface ApprovalRef {
  runId: RunId;
  itemId: string;
  kind: ApprovalKind;
  openedAt: number;
  expiresAt: number | undefined;
}

/** What a person has allowed beyond one run: for good, or for the run that it was given in and all below it. */
export interface StandingGrant {
  id: number;
  scope: "always" | "tree";
  rule: string;
  by: string;
  at: number;
  until: number | undefined;
  /** Where it counts; undefined: anywhere. */
  folder: string | undefined;
  runId: RunId;
}

export interface Heartbeat {
  /** Runs of this worker that others have asked to cancel, and runs that it holds no more. */
  cancelled: RunId[];
  lost: RunId[];
}

export interface Quarantine {
  runId: RunId;
  reason: string;
  seq: Seq | undefined;
}

/**
 * Called after each commit with what it wrote, in order of positions, and with the runs that it made due without a word in
 * their journals (B4). `elsewhere`: what other processes wrote to the same store, and the runs of it that are due. Without
 * events it only says "look again". Contract: must not throw.
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
   * Admits a run. A key that was used before answers with the run it made then. Another body under that key is refused
   * (UNPROCESSABLE).
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
  /** Active runs whose parent has ended, except quarantined ones (S0-65). */
  orphans(): Promise<RunId[]>;
  /**
   * Deletes whole trees, and the blobs that no run needs any more. It keeps a tree in which a run is active, a tree whose
   * budget an active run draws on, and a tree that a kept run continues. Standing grants stay in force. A reader by position
   * meets a gap; every run has a chain of its own, so no other chain breaks.
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
   * Takes a run that is due, and counts as a heartbeat of the worker. Undefined: the run is not due, or another worker was
   * faster. A run of a lost worker is taken although its lease has not run out.
   */
  acquire(runId: RunId, worker: string, lost?: LostWorkers): Promise<Lease | undefined>;
  /**
   * Gives a run back as it is, due at once and with its slot: another driver continues. `rest`: the driver cannot continue, so
   * the slot goes back as well (B4). The run is due again at `wakeAt`; 0 leaves it to other drivers at once.
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
  /** Sets a run aside that cannot be read. It is not due again before the store is opened anew, and is listed as quarantined. */
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
   * Ends every active run of a tree here, because the tree continues elsewhere. One transaction; refused (CONFLICT) unless
   * the whole tree is at rest. A second call gets the answer of the first. `to`: the server that it is sent to now. While it
   * is not known whether it has arrived there, it may be sent there again, and nowhere else. Once it has arrived it is not
   * handed out any more (CONFLICT).
   */
  move(root: RunId, transferId: string, to?: string): Promise<MovedTree>;
  /**
   * Records the answer of the server that a tree was sent to. A server that refuses may have taken the tree before: only a
   * refusal of the first attempt proves that it is not there, and lets it be sent elsewhere.
   */
  settle(root: RunId, to: string, outcome: MoveOutcome): Promise<void>;
  /**
   * Imports a tree whose chains were verified, in one transaction: with its own ids, seqs, times and hashes, and with
   * positions of this store. Runs that are here already and the same stay; a different run under the same id is a CONFLICT.
   * A transfer is imported once: `existed` says that it was here before.
   */
  import(tree: CarriedTree): Promise<{ root: RunId; existed: boolean }>;
  /** A tree's events as they are stored, in commit order: the text that the chains cover. */
  storedEvents(root: RunId, after: Position, limit: number): Promise<StoredEvent[]>;
}
