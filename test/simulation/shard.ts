// A share of the seeds, so that several processes can work on them. SEEDS=100000 for a long run; SEED=n for one, with
// its whole trace.

import { expect, it } from "vitest";
import { report, runSeeds } from "./run-seeds.ts";
import { simulate } from "./simulate.ts";

const SEEDS = Number(process.env["SEEDS"] ?? 1_000);
const SEED = process.env["SEED"];

export function simulateShard({ shard, of }: { shard: number; of: number }): void {
  if (SEED !== undefined) {
    it.runIf(shard === 1)(`seed ${SEED}, alone`, { timeout: 0 }, () => alone(Number(SEED)));
    return;
  }
  const seeds = Array.from({ length: Math.ceil(SEEDS / of) }, (_, index) => index * of + shard);
  const title = `[I1-I11] [F01-F05] [F09-F14] [F17-F19] [F36] [F40-F45] ${seeds.length} seeds, share ${shard} of ${of}`;
  it(title, { timeout: 0 }, async () => {
    const { events, effects, crashes } = await runSeeds(seeds);
    // A simulation in which nothing happens finds nothing.
    expect(events / seeds.length).toBeGreaterThan(10);
    expect(effects / seeds.length).toBeGreaterThan(1);
    expect(crashes).toBeGreaterThan(0);
  });
}

async function alone(seed: number): Promise<void> {
  const verdict = await simulate(seed);
  console.log([`options: ${JSON.stringify(verdict.options, null, 2)}`, ...verdict.trace].join("\n"));
  if (verdict.problems.length > 0) throw new Error(report(verdict));
}
