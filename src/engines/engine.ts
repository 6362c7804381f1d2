// The contract of an engine: it dispatches runs to workers and does nothing else. An engine need not be exclusive or durable (E4).
// The epoch in the store stops a second driver, and the due-scan finds runs whose wake was lost.

import type { RunId } from "../ids.ts";
import type { LostWorkers } from "../stores/store.ts";

/** Drives a run until the run has nothing more to do for now. The function must never reject, and must return soon after an abort. */
export type Drive = (runId: RunId, signal: AbortSignal, delivery?: Delivery) => Promise<void>;

export interface Delivery {
  /** Set if the worker that first received this wake was lost. The new worker can take the run before the lost worker's lease ends (E2). */
  lost?: LostWorkers | undefined;
}

/** Options that the engines for several machines share. */
export interface SharedEngineOptions {
  /** Name of the store. It keeps several stores on one server apart. */
  storeId: string;
  /** The pool of this worker. Each pool has its own queue. */
  pool: string;
  /** Maximum number of simultaneous drives. */
  concurrency: number;
  /** Called when a drive rejects, and once per outage of the server. The engine retries during an outage. Must not throw. */
  onError: (error: unknown, runId?: RunId) => void;
}

export interface Engine {
  /** True if a wake reaches the workers of all processes. If false, a process also wakes the runs that another process's commit made due. */
  readonly shared: boolean;
  /** Wakes a run. A wake is advisory and carries no data, so a lost or repeated wake does no harm. */
  wake(runId: RunId): Promise<void>;
  start(drive: Drive): Promise<void>;
  /** Starts no new drives, and resolves when the current drives have returned. */
  stop(): Promise<void>;
}
