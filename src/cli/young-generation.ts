// Bounds the part of V8's heap for new objects. V8 doubles it up to 128 MB and rarely gives it back, although a working
// server needs 50 MB in all. A larger part makes no collection cheaper here, because few objects survive one.

import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

const MOST_BYTES = 32 * 1024 * 1024;

/** Stops the growth once the part has its size. V8 reads this flag whenever it would grow the part. */
export function boundYoungGeneration(): void {
  const observer = new PerformanceObserver(() => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if ((space?.space_size ?? 0) < MOST_BYTES) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
}
