// Says to the store that this worker lives, and hears which of its runs it must let go (E2). One row per worker, however
// many runs it holds.
//  1  The deadline counts from before a renewal was sent, on this machine's own clock that only goes forward: however
//     long the answer took, the store's lease lasts at least as long as we believe.
//  2  Without a renewal the deadline passes by itself: a worker cut off from its store begins nothing more.
//  3  What an answer names is passed on only for a run that is still held in the epoch that was asked about: one that
//     rested meanwhile and was taken again is another lease.

import type { Clock } from "../clock.ts";
import type { RunId } from "../ids.ts";
import { LEASE_MS, type Store, type WorkerCard } from "../stores/store.ts";
import { repeat } from "./repeat.ts";

export interface HeartbeatOptions {
  store: { leases: Pick<Store["leases"], "heartbeat"> };
  worker: string;
  /** What it says of itself, as it is at every beat. */
  card?: () => WorkerCard;
  clock: Clock;
  held: () => readonly { runId: RunId; epoch: number }[];
  /** Named again with every beat while they are held. Must not throw. */
  onCancelled: (runIds: RunId[]) => void;
  /** Must not throw. */
  onLost: (runIds: RunId[]) => void;
  every?: number;
  /** Must not throw. */
  onRenewed?: () => void;
  /** Called once per outage of the store; the beats go on. Must not throw. */
  onError: (error: unknown) => void;
}

export interface WorkerHeartbeat {
  /** Until when an effect may begin, by `clock.elapsed()`: to be looked at right before. */
  deadline(): number;
  /** Renews now. A worker waits for this once before it takes a run, or the run would look orphaned. */
  beat(): Promise<void>;
  stop(): Promise<void>;
}

/** Renews at once, and then for as long as the worker lives. */
export function startHeartbeat(options: HeartbeatOptions): WorkerHeartbeat {
  const {
    store,
    worker,
    card,
    clock,
    held,
    onCancelled,
    onLost,
    onRenewed,
    every = 5_000,
    onError,
  } = options;
  let deadline = Number.NEGATIVE_INFINITY;

  async function work(): Promise<{ result: undefined; nextIn: number }> {
    const asked = [...held()];
    const sent = clock.elapsed();
    const { cancelled, lost } = await store.leases.heartbeat(worker, asked, card?.());
    deadline = sent + LEASE_MS;
    onRenewed?.();
    const now = new Map(held().map(({ runId, epoch }) => [runId, epoch]));
    const same = new Set(
      asked.filter(({ runId, epoch }) => now.get(runId) === epoch).map(({ runId }) => runId),
    );
    passOn(cancelled, same, onCancelled);
    passOn(lost, same, onLost);
    return { result: undefined, nextIn: Math.max(0, sent + every - clock.elapsed()) };
  }

  // Not with a back-off: after three missed beats the runs are lost.
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
