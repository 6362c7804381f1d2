// Measures the heap of a separate process, because V8's flags belong to a whole process.

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const module = new URL("./heap-bounds.ts", import.meta.url).href;

/** Creates objects that survive for a while, and prints the largest size of the heap for new objects in MB. */
const program = (first: string) => `
  import { getHeapSpaceStatistics } from "node:v8";
  import { boundHeap } from ${JSON.stringify(module)};
  ${first}
  const kept = [];
  let most = 0;
  for (let i = 0; i < 250; i++) {
    kept.push(Array.from({ length: 20_000 }, (_, j) => ({ j, own: [j] })));
    if (kept.length > 12) kept.shift();
    await new Promise(setImmediate);
    most = Math.max(most, getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size);
  }
  console.log(most / 1024 / 1024);`;

const mostOf = (first: string): number =>
  Number(execFileSync(process.execPath, ["--input-type=module", "-e", program(first)], { encoding: "utf8" }));

test("[36.12] V8's heap for new objects stops growing at 32 MB", () => {
  expect(mostOf(""), "without a bound").toBeGreaterThan(40);
  expect(mostOf("boundHeap();")).toBeLessThan(40);
});
