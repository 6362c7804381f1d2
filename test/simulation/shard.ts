// Runs a part of the seeds, so that several processes can share the work.
// SEEDS=100000 makes a long test. KIND=patterns selects one kind. KIND=trees SEED=n runs a single seed and prints its whole trace.

import { expect, it } from "vitest";
import { KINDS, type Kind, report, runSeeds } from "./run-seeds.ts";
import { simulate } from "./simulate.ts";

const SEEDS = Number(process.env["SEEDS"] ?? 1_000);
const SEED = process.env["SEED"];
const KIND = process.env["KIND"] as Kind | undefined;

/** The share of seeds for each kind. These shares keep the simulations short enough for `npm test`. */
const SHARES: Record<Kind, number> = { runs: 0.4, trees: 0.4, patterns: 0.2 };

const TITLES: Record<Kind, string> = {
  runs: "[I1-I11] [F01-F05] [F09-F14] [F17-F19] [F36] [F40-F45] single runs",
  trees: "[I1-I11] [J7] [P6] [P7] [P12] [D0] [D1] [D2] [D4] [S0-61] [S0-62] trees of runs",
  patterns: "[I1-I11] [H1-H5] [K1-K9] [F26] [F27] [F28] patterns",
};

export function simulateShard({ shard, of }: { shard: number; of: number }): void {
  if (SEED !== undefined) {
    const kind = KIND ?? "runs";
    it.runIf(shard === 1)(`the simulation of ${kind} passes with seed ${SEED}`, { timeout: 0 }, () =>
      simulateOne(kind, Number(SEED)),
    );
    return;
  }
  for (const kind of KIND === undefined ? (Object.keys(KINDS) as Kind[]) : [KIND]) {
    const count = Math.ceil((SEEDS * SHARES[kind]) / of);
    const seeds = Array.from({ length: count }, (_, index) => index * of + shard);
    it(`${TITLES[kind]} survive the faults of ${seeds.length} seeds (share ${shard} of ${of})`, {
      timeout: 0,
    }, async () => {
      const { events, effects, crashes, runs, started } = await runSeeds(kind, seeds);
      // Checks that the simulations did something. A simulation without events cannot find a problem.
      expect(events / seeds.length).toBeGreaterThan(10);
      expect(effects / seeds.length).toBeGreaterThan(1);
      expect(crashes).toBeGreaterThan(0);
      if (kind !== "runs") expect(runs / seeds.length).toBeGreaterThan(3);
      if (kind === "patterns" && seeds.length > 20) expect([...started].sort()).toEqual(TRIGGERS);
    });
  }
}

const TRIGGERS = ["advisor", "best_of", "delegation", "handoff", "route", "team", "user"];

async function simulateOne(kind: Kind, seed: number): Promise<void> {
  const verdict = await simulate(KINDS[kind](seed));
  console.log([`options: ${JSON.stringify(verdict.options, null, 2)}`, ...verdict.trace].join("\n"));
  if (verdict.problems.length > 0) throw new Error(report(kind, verdict));
}
