// Tells the store that this worker is alive, and learns which of its runs were cancelled or lost (E2).
// The store keeps one row per worker, however many runs the worker holds.
//  1  The deadline counts from just before the renewal was sent, on this machine's monotonic clock.
//     The lease in the store therefore lasts at least until the deadline, however long the answer took.
//  2  If renewals fail, the deadline passes. A worker that cannot reach its store therefore starts nothing new.
//  3  A cancelled or lost run is reported only if the worker still holds it with the epoch that the heartbeat sent.
//     If the worker has released and retaken the run since then, the store's answer was about an older lease.

import type { Clock } from "../clock.ts";
import type { RunId } from "../ids.ts";
import { repeat } from "../repeat.ts";
import { LEASE_MS, type Store, type WorkerCard } from "../stores/store.ts";

export interface HeartbeatOptions {
  store: { leases: Pick<Store["leases"], "heartbeat"> };
  worker: string;
  /** Returns the description of this worker that the store keeps. Called at every beat. */
  card?: () => WorkerCard;
  clock: Clock;
  held: () => readonly { runId: RunId; epoch: number }[];
  /** Called at every beat with the cancelled runs this worker still holds. Must not throw. */
  onCancelled: (runIds: RunId[]) => void;
  /** Called with the runs that this worker has lost. Must not throw. */
  onLost: (runIds: RunId[]) => void;
  every?: number;
  /** Called after each successful renewal. Must not throw. */
  onRenewed?: () => void;
  /** Called once per outage of the store. The heartbeats continue. Must not throw. */
  onError: (error: unknown) => void;
}

export interface WorkerHeartbeat {
  /** The deadline for starting effects, on the scale of `clock.elapsed()`. Check it right before an effect starts. */
  deadline(): number;
  /** Renews now. A worker must await one beat before it takes its first run; otherwise that run would seem to have no live worker. */
  beat(): Promise<void>;
  stop(): Promise<void>;
}

/** Renews immediately, and then repeatedly until `stop`. */
export function startHeartbeat(options: HeartbeatOptions): WorkerHeartbeat {
  const { store, worker, clock, held, every = 5_000, onError } = options;
  let deadline = Number.NEGATIVE_INFINITY;

  async function work(): Promise<{ result: undefined; nextIn: number }> {
    const asked = [...held()];
    const sent = clock.elapsed();
    const { cancelled, lost } = await store.leases.heartbeat(worker, asked, options.card?.());
    deadline = sent + LEASE_MS;
    options.onRenewed?.();
    const now = new Map(held().map(({ runId, epoch }) => [runId, epoch]));
    const same = new Set(
      asked.filter(({ runId, epoch }) => now.get(runId) === epoch).map(({ runId }) => runId),
    );
    passOn(cancelled, same, options.onCancelled);
    passOn(lost, same, options.onLost);
    return { result: undefined, nextIn: Math.max(0, sent + every - clock.elapsed()) };
  }

  // A failed renewal is retried without back-off, because after three missed beats the worker loses its runs.
  const repeating = repeat({ work, retryIn: () => every / 5, onError });
  return {
    deadline: () => deadline,
    beat: () => repeating.now(),
    stop: () => repeating.stop(),
  };
}

function passOn(named: readonly RunId[], same: ReadonlySet<RunId>, to: (runIds: RunId[]) => void): void {
  const runIds = named.filter((runId) => same.has(runId));
  if (runIds.length > 0) to(runIds);
}
