// The contract of an engine: it dispatches runs to workers and does nothing else.
// An engine can lose a wake, or start two drives of a run (E4).
// The store's epoch stops the second driver, and the due-scan finds runs whose wake was lost.

import type { RunId } from "../ids.ts";
import type { LostWorkers } from "../stores/store.ts";

/** Drives a run until the run has nothing to do at the moment. The function must never reject, and must return soon after an abort. */
export type Drive = (runId: RunId, signal: AbortSignal, delivery?: Delivery) => Promise<void>;

export interface Delivery {
  /** Describes the dead workers that received this wake earlier. Their runs can be taken over before the lease expires (E2). */
  lost?: LostWorkers | undefined;
}

/** Options of the engines that run on several machines. */
export interface SharedEngineOptions {
  /** Name of the store. Several stores can use the same server. */
  storeId: string;
  /** The pool of this worker. Each pool has its own queue. */
  pool: string;
  /** Maximum number of simultaneous drives. */
  concurrency: number;
  /** Called when a drive rejects, and once per outage of the server. The engine retries during an outage. Must not throw. */
  onError: (error: unknown, runId?: RunId) => void;
}

export interface Engine {
  /** True if a wake reaches the workers of all processes. If false, each process must also wake runs that other processes have made due. */
  readonly shared: boolean;
  /** Wakes a run. A wake is advisory and carries no data, so a lost or repeated wake does no harm. */
  wake(runId: RunId): Promise<void>;
  start(drive: Drive): Promise<void>;
  /** Starts no new drives, and resolves when the current drives have returned. */
  stop(): Promise<void>;
}
