// The contract of an engine: dispatch, and nothing else. It is asked for neither exclusivity nor memory (E4): the epoch
// in the store is the fence, and the due-scan finds what a lost wake-up left.

import type { RunId } from "../ids.ts";
import type { LostWorkers } from "../stores/store.ts";

/** Drives a run until it rests. Contract: never rejects; returns soon after the signal is aborted. */
export type Drive = (runId: RunId, signal: AbortSignal, delivery?: Delivery) => Promise<void>;

export interface Delivery {
  /** The engine gave this wake to a worker before and has lost it: from that one the run may be taken early (E2). */
  lost?: LostWorkers | undefined;
}

export interface Engine {
  /** Whether a wake reaches the workers of all processes. If not, each wakes its own for what others have written. */
  readonly shared: boolean;
  /** Advisory and without data: losing it is harmless, repeating it too. */
  wake(runId: RunId): Promise<void>;
  start(drive: Drive): Promise<void>;
  /** Drains: no new drives; resolves when those under way have returned. */
  stop(): Promise<void>;
}
