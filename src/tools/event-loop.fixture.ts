// Measures in milliseconds how long some work blocks the event loop.

import { monitorEventLoopDelay } from "node:perf_hooks";

/**
 * The product's limit is 200 ms. The tests allow ten times as much, because a busy machine is slow.
 * Exponential work would take minutes.
 */
export const HELD_UP_MS = 2_000;

export async function longestWait(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  await work();
  delay.disable();
  return delay.max / 1e6;
}
