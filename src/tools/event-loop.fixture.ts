// How long others had to wait for their turn while something was at work, in milliseconds.

import { monitorEventLoopDelay } from "node:perf_hooks";

/** 200 ms is what is meant; tenfold, because on a busy machine everybody waits. What explodes takes minutes. */
export const HELD_UP_MS = 2_000;

export async function longestWait(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  await work();
  delay.disable();
  return delay.max / 1e6;
}
