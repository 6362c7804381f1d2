// Temporary: the flat members that both stores still implement, behind the grouped port.

import type { Clock } from "../clock.ts";
import type { PoolFilter } from "../config/pools.ts";
import type { Position, RunId, Seq } from "../ids.ts";
import type { JournalEvent, Payload } from "../journal/events.ts";
import type { FreezeRequest } from "../projections/folds/freeze.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import type { MessageRow } from "../projections/message-row.ts";
import type { TreeUsage } from "../projections/usage/tree-usage.ts";
import type { Outbox } from "./outbox.ts";
import type { JournalScope, ReadOptions } from "./read-options.ts";
import type {
  Append,
  AppendResult,
  ApprovalRef,
  CommitListener,
  Heartbeat,
  Lease,
  MessageFilter,
  PruneFilter,
  PruneResult,
  Quarantine,
  RunFilter,
  SessionMessage,
  SessionRow,
  StandingGrant,
  Store,
  StoreTotals,
  TreeTotal,
  TreeUsageFilter,
  Writer,
} from "./store.ts";
import type { StoredEvent, Transfers } from "./transfers.ts";
import type { Users } from "./users.ts";
import type { LostWorkers, WorkerCard, WorkerRow } from "./workers.ts";

export interface FlatStore extends Transfers {
  /** Which store this is: the same across restarts, another for another file. */
  readonly id: string;
  /** The time of all who share it: events, timers and leases are by it. */
  readonly clock: Clock;
  /** Admits a run. With a key that was used before, the run that it made. Another body under that key: UNPROCESSABLE. */
  start(
    runId: RunId,
    start: Payload<"RUN_STARTED">,
    idempotency?: { key: string; body: string },
  ): Promise<{ runId: RunId; existed: boolean }>;
  append(append: Append): Promise<AppendResult>;
  /** D5: a message to an agent in a session joins the run that is active there, or starts the next, which continues the last. */
  say(said: SessionMessage): Promise<{ runId: RunId; joined: boolean; refused?: "runs" }>;
  /** P7: one transaction over the run and every descendant that has not ended. Answers with those it reached. */
  cancel(runId: RunId, request: Payload<"CANCEL_REQUESTED">): Promise<RunId[]>;
  /** BV4: one transaction over the run and every descendant that has not ended. Answers with those that it changed. */
  freeze(runId: RunId, freeze: FreezeRequest): Promise<RunId[]>;

  /**
   * Takes a run that is due; a sign of life of its worker, like a heartbeat. Undefined: it is not due, or somebody was faster.
   * From one whom an engine has lost it is taken although the lease has not run out.
   */
  acquire(runId: RunId, worker: string, lost?: LostWorkers): Promise<Lease | undefined>;
  /**
   * Gives a run back as it is, due at once, with its place at work: another driver goes on. `rest`: its driver cannot go on,
   * so the place goes back as well (B4). Until a time it is tried again then; `wakeAt: 0`: it is left to others.
   */
  release(runId: RunId, writer: Writer, rest?: { wakeAt: number }): Promise<void>;
  /** Runs to drive now: first those whose worker is dead, which still have their places at work (B4), then the longest due. */
  due(now: number, limit: number, of?: PoolFilter): Promise<RunId[]>;
  /** The time at which the next resting run is due, if any. */
  nextDue(): Promise<number | undefined>;
  heartbeat(
    worker: string,
    held: readonly { runId: RunId; epoch: number }[],
    card?: WorkerCard,
  ): Promise<Heartbeat>;
  /** Those that have shown a card, the longest at work first. One that leaves in order is not listed any more. */
  workers(): Promise<WorkerRow[]>;
  /** The worker that holds a run; undefined: none that is heard of. */
  driverOf(runId: RunId): Promise<string | undefined>;
  /** Sets a run aside that cannot be read: due no more until the store is opened again, and listed as what it is. */
  quarantine(entry: Quarantine): Promise<void>;
  quarantined(): Promise<Quarantine[]>;

  run(runId: RunId): Promise<RunRow | undefined>;
  /** Runs that go on although the run that started them has ended, but for those that were set aside (S0-65). */
  orphans(): Promise<RunId[]>;
  /** Newest first. What can be found by `q` is caught up with the journals when it is asked for. */
  runs(filter: RunFilter): Promise<{ runs: RunRow[]; nextCursor: string | undefined }>;
  /** How many fit, on all pages. */
  countRuns(filter: RunFilter): Promise<number>;
  /** By root. */
  treeTotals(roots: readonly RunId[]): Promise<ReadonlyMap<RunId, TreeTotal>>;
  /** Of runs that were found by `q`: the event to look at. */
  firstHits(q: string, runs: readonly RunId[]): Promise<ReadonlyMap<RunId, Seq>>;
  /** The latest first. */
  sessions(filter: {
    limit?: number;
    cursor?: string;
    user?: string;
  }): Promise<{ sessions: SessionRow[]; nextCursor: string | undefined }>;
  totals(): Promise<StoreTotals>;
  /** A run's journal in order, verified against its chain. */
  journal(runId: RunId, after?: Seq, limit?: number): Promise<JournalEvent[]>;
  /** Hash of a run's chain at its latest event, or at another one. */
  head(runId: RunId, at?: Seq): Promise<{ seq: Seq; hash: string } | undefined>;
  /** All journals in commit order. What cannot be read is left out. */
  read(after: Position, limit: number, of?: ReadOptions): Promise<JournalEvent[]>;
  position(): Promise<Position>;
  onCommit(listener: CommitListener): () => void;

  /** One row for each model call, in the order in which they began. Kept up to date when it is asked for, not by appends. */
  messages(filter: MessageFilter): Promise<{ messages: MessageRow[]; nextCursor: string | undefined }>;

  /** What each tree has used, with something since: trees by root. Kept up to date when it is asked for, not by appends. */
  treeUsages(filter: TreeUsageFilter): Promise<{ trees: TreeUsage[]; nextCursor: string | undefined }>;

  openApprovals(filter?: JournalScope): Promise<ApprovalRef[]>;
  grants(): Promise<StandingGrant[]>;
  revokeGrant(id: number): Promise<boolean>;

  putBlob(text: string): Promise<string>;
  /** `of`: only if a run of this person needs it. */
  blob(hash: string, of?: { user: string }): Promise<string | undefined>;

  readonly users: Users;
  readonly outbox: Outbox;

  /** E7: a tree's events as they are stored, in commit order: what the chains cover. */
  stored(root: RunId, after: Position, limit: number): Promise<StoredEvent[]>;
  /**
   * Deletes whole trees, and the blobs that nothing needs any more. Kept are trees in which a run has not ended, those
   * whose budget a run draws on that has not, and those that a kept run continues. Standing grants stay: they are in force.
   * A reader by position meets a gap; a chain is a run's own, so no other run's is harmed.
   */
  prune(filter: PruneFilter): Promise<PruneResult>;

  close(): Promise<void>;
}

export function groupStore(flat: FlatStore): Store {
  const bind = <K extends keyof FlatStore>(name: K): FlatStore[K] =>
    (flat[name] as unknown as (...all: unknown[]) => unknown).bind(flat) as unknown as FlatStore[K];
  return {
    id: flat.id,
    clock: flat.clock,
    users: flat.users,
    outbox: flat.outbox,
    close: bind("close"),
    runs: {
      start: bind("start"),
      say: bind("say"),
      cancel: bind("cancel"),
      freeze: bind("freeze"),
      get: bind("run"),
      list: bind("runs"),
      count: bind("countRuns"),
      firstHits: bind("firstHits"),
      sessions: bind("sessions"),
      orphans: bind("orphans"),
      prune: bind("prune"),
    },
    journal: {
      append: bind("append"),
      read: bind("journal"),
      head: bind("head"),
      readAll: bind("read"),
      position: bind("position"),
      onCommit: bind("onCommit"),
    },
    leases: {
      acquire: bind("acquire"),
      release: bind("release"),
      due: bind("due"),
      nextDue: bind("nextDue"),
      heartbeat: bind("heartbeat"),
      workers: bind("workers"),
      driverOf: bind("driverOf"),
      quarantine: bind("quarantine"),
      quarantined: bind("quarantined"),
    },
    inbox: { openItems: bind("openApprovals"), grants: bind("grants"), revokeGrant: bind("revokeGrant") },
    blobs: { put: bind("putBlob"), get: bind("blob") },
    usage: {
      totals: bind("totals"),
      treeTotals: bind("treeTotals"),
      trees: bind("treeUsages"),
      messages: bind("messages"),
    },
    transfers: {
      move: bind("moveTree"),
      settle: bind("settleMove"),
      import: bind("importTree"),
      storedEvents: bind("stored"),
    },
  };
}
