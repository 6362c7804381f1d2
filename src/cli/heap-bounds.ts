// Bounds the memory that V8 takes before it collects garbage. A working server needs 50 MB, but V8 lets its part for new objects grow to
// 128 MB and the rest to several times of what is in use, and rarely gives memory back.

import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** A larger part for new objects makes no collection cheaper here, because few objects survive one. */
const MOST_NEW_BYTES = 16 * 1024 * 1024;

/** V8 reads these flags whenever it would grow a part. The observer may hear of a collection one or two growths late. */
export function boundHeap(): void {
  // The heap may become twice as large as what survived the last full collection.
  setFlagsFromString("--heap-growing-percent=100");
  const observer = new PerformanceObserver(() => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if ((space?.space_size ?? 0) < MOST_NEW_BYTES) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
}
