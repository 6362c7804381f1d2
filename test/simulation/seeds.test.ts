import { describe, expect, it } from "vitest";
import { KINDS, report } from "./run-seeds.ts";
import { FAILED_ONCE } from "./seeds.ts";
import { simulate } from "./simulate.ts";

describe("seeds that once failed", () => {
  it.each(FAILED_ONCE)("the simulation of %s with seed %i passes; it once found: %s", async (kind, seed) => {
    const verdict = await simulate(KINDS[kind](seed));
    expect(verdict.problems, report(kind, verdict)).toEqual([]);
  });
});

describe("the simulation is deterministic", () => {
  it.each([
    ["runs", 3],
    ["runs", 17],
    ["runs", 33],
    ["runs", 58],
    ["runs", 140],
    ["trees", 3],
    ["trees", 17],
    ["trees", 33],
    ["patterns", 3],
    ["patterns", 17],
    ["patterns", 33],
  ] as const)("[L2] each simulation of %s with seed %i gives the same trace", async (kind, seed) => {
    const first = await simulate(KINDS[kind](seed));
    expect(first.counts.events, "something happens in the simulation").toBeGreaterThan(5);
    await simulate(KINDS[kind](seed + 1));
    expect((await simulate(KINDS[kind](seed))).trace).toEqual(first.trace);
  });
});
