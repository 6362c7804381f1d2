import { describe, expect, it } from "vitest";
import { report } from "./run-seeds.ts";
import { FAILED_ONCE } from "./seeds.ts";
import { simulate } from "./simulate.ts";

describe("seeds that have failed once", () => {
  it.each(FAILED_ONCE)("seed %i: %s", async (seed) => {
    const verdict = await simulate(seed);
    expect(verdict.problems, report(verdict)).toEqual([]);
  });
});

describe("the simulation itself", () => {
  it.each([3, 17, 33, 58, 140])("[L2] seed %i tells the same story twice, to the last line", async (seed) => {
    const first = await simulate(seed);
    expect(first.counts.events, "a story in which something happens").toBeGreaterThan(5);
    await simulate(seed + 1);
    expect((await simulate(seed)).trace).toEqual(first.trace);
  });
});
