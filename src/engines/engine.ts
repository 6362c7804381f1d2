// The contract of an engine: it dispatches runs to workers, nothing else. It need not be exclusive or durable (E4).
// The epoch in the store fences off a second driver, and the due-scan finds runs whose wake was lost.

import type { RunId } from "../ids.ts";
import type { LostWorkers } from "../stores/store.ts";

/** Drives a run until it has nothing more to do for now. It must never reject, and must return soon after an abort. */
export type Drive = (runId: RunId, signal: AbortSignal, delivery?: Delivery) => Promise<void>;

export interface Delivery {
  /** Set when the worker that first got this wake was lost. The run may be taken from it before its lease ends (E2). */
  lost?: LostWorkers | undefined;
}

/** Options that the engines for several machines share. */
export interface SharedEngineOptions {
  /** Keeps apart several stores on one server. */
  storeId: string;
  /** The pool of this worker. Each pool has its own queue. */
  pool: string;
  /** Maximum number of simultaneous drives. */
  concurrency: number;
  /** Called when a drive rejects, and once per outage of the server, which is retried. Must not throw. */
  onError: (error: unknown, runId?: RunId) => void;
}

export interface Engine {
  /** Whether a wake reaches the workers of all processes. If not, each process wakes itself when another process writes. */
  readonly shared: boolean;
  /** Advisory and without data: it is harmless to lose or repeat a wake. */
  wake(runId: RunId): Promise<void>;
  start(drive: Drive): Promise<void>;
  /** Starts no new drives, and resolves when the current ones have returned. */
  stop(): Promise<void>;
}
