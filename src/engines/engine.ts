// The contract of an engine: dispatch, and nothing else. It is asked for neither exclusivity nor memory (E4): the epoch
// in the store is the fence, and the due-scan finds what a lost wake-up left.

import type { RunId } from "../ids.ts";

/** Drives a run until it rests. Contract: never rejects; returns soon after the signal is aborted. */
export type Drive = (runId: RunId, signal: AbortSignal) => Promise<void>;

export interface Engine {
  /** Advisory and without data: losing it is harmless, repeating it too. */
  wake(runId: RunId): Promise<void>;
  start(drive: Drive): Promise<void>;
  /** Drains: no new drives; resolves when those under way have returned. */
  stop(): Promise<void>;
}
