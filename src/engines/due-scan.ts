// Asks the store about once a second which runs are due, and wakes them.
// If a wake is lost, its run is driven about a second later. The run itself is never lost (E4).
//  1  A run with a timer is never woken early (P8): the scan sleeps until the next due time and then asks the store again.
//  2  The scan never sleeps much longer than a second, so it notices when the clock jumps (F36).
//  3  Runs that wait for a person or a child are not due, so the scan does not read them (F37).

import type { Clock } from "../clock.ts";
import type { RunId } from "../ids.ts";
import { repeat } from "../repeat.ts";
import type { PoolFilter, Store } from "../stores/store.ts";

/** Maximum number of runs woken per scan. The rest are still due at the next scan. */
const LIMIT = 1_000;
const LONGEST_RETRY = 15_000;
const NONE = new Set<RunId>();

export interface DueScanOptions {
  store: { leases: Pick<Store["leases"], "due" | "nextDue"> };
  wake: (runId: RunId) => Promise<void>;
  /** The pools to scan. If absent, the scan covers all pools. */
  of?: PoolFilter | undefined;
  /** Due runs that the scan skips, because this worker leaves them to other workers. */
  except?: { has(runId: RunId): boolean; readonly size: number };
  clock: Clock;
  every?: number;
  /** Returns a random number from 0 to 1, so that workers do not all scan at the same moment. */
  jitter?: () => number;
  /** Called once per outage of the store or the engine. The scan continues. Must not throw. */
  onError: (error: unknown) => void;
}

export interface DueScan {
  /** Scans now and returns how many runs it woke. Call it after a run has set a timer shorter than a second. */
  scan(): Promise<number>;
  stop(): Promise<void>;
}

/** Scans immediately, and then repeatedly until `stop`. */
export function startDueScan(options: DueScanOptions): DueScan {
  const { store, wake, of, except = NONE, clock, every = 1_000, jitter = Math.random, onError } = options;
  const spread = (delay: number): number => delay * (0.75 + jitter() / 2);

  async function work(): Promise<{ result: number; nextIn: number }> {
    const now = clock.now();
    const due = await store.leases.due(now, LIMIT + except.size, of);
    const runIds = due.filter((runId) => !except.has(runId));
    await wakeAll(runIds, wake);
    const nextDue = await store.leases.nextDue();
    // Runs that are already due were just woken, but might still be queued. Waiting for a due time in the past would be a busy loop.
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

/** Tries to wake every run before it throws, so one failing wake does not affect the other runs. */
async function wakeAll(runIds: readonly RunId[], wake: DueScanOptions["wake"]): Promise<void> {
  const woken = await Promise.allSettled(runIds.map(async (runId) => wake(runId)));
  const failed = woken.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}
