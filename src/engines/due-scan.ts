// The truth behind every wake-up: asks the store which runs are due and wakes them, so that a wake that was lost costs
// a second and never a run (E4).
//  1  A timer's run is woken at its time or after it, never before (P8): the sleep ends at the next due time, and the
//     store is asked again with the time of then.
//  2  No sleep is longer than about a second, so a clock that jumps is noticed (F36).
//  3  Runs that wait for a person or a child are not due: they cost nothing here (F37).

import type { Clock } from "../clock.ts";
import type { RunId } from "../ids.ts";
import type { PoolFilter, Store } from "../stores/store.ts";
import { repeat } from "./repeat.ts";

/** At most so many runs per scan; the others are still due at the next one. */
const LIMIT = 1_000;
const LONGEST_RETRY = 15_000;
const NONE = new Set<RunId>();

export interface DueScanOptions {
  store: { leases: Pick<Store["leases"], "due" | "nextDue"> };
  wake: (runId: RunId) => Promise<void>;
  /** Absent: all of them. */
  of?: PoolFilter | undefined;
  /** Runs that are for others to take, however long they are due. */
  except?: { has(runId: RunId): boolean; readonly size: number };
  clock: Clock;
  every?: number;
  /** 0…1; keeps the scans of several workers apart. */
  jitter?: () => number;
  /** Called once per outage of the store or the engine; the scan goes on. Must not throw. */
  onError: (error: unknown) => void;
}

export interface DueScan {
  /** Scans now and answers how many runs it woke; for a run that has just rested with a timer of less than a second. */
  scan(): Promise<number>;
  stop(): Promise<void>;
}

/** Scans at once, and then for as long as the worker lives. */
export function startDueScan(options: DueScanOptions): DueScan {
  const { store, wake, of, except = NONE, clock, every = 1_000, jitter = Math.random, onError } = options;
  const spread = (delay: number): number => delay * (0.75 + jitter() / 2);

  async function work(): Promise<{ result: number; nextIn: number }> {
    const now = clock.now();
    const due = await store.leases.due(now, LIMIT + except.size, of);
    const runIds = due.filter((runId) => !except.has(runId));
    await wakeAll(runIds, wake);
    const nextDue = await store.leases.nextDue();
    // What was due at `now` has been woken and may wait for its turn: sleeping towards it would be a busy loop.
    const toTimer =
      nextDue === undefined || nextDue <= now ? Number.POSITIVE_INFINITY : nextDue - clock.now();
    return { result: runIds.length, nextIn: Math.max(0, Math.min(toTimer, spread(every))) };
  }

  const repeating = repeat({
    work,
    retryIn: (failures) => spread(Math.min(LONGEST_RETRY, every * 2 ** failures)),
    onError,
  });
  return {
    scan: async () => (await repeating.now()) ?? 0,
    stop: () => repeating.stop(),
  };
}

/** One run whose wake fails must not keep the others asleep: all are tried before the failure counts. */
async function wakeAll(runIds: readonly RunId[], wake: DueScanOptions["wake"]): Promise<void> {
  const woken = await Promise.allSettled(runIds.map(async (runId) => wake(runId)));
  const failed = woken.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}
