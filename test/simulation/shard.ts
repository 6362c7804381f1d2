// A share of the seeds, so that several processes can work on them. SEEDS=100000 for a long run; KIND=trees SEED=n for
// one, with its whole trace.

import { expect, it } from "vitest";
import { KINDS, type Kind, report, runSeeds } from "./run-seeds.ts";
import { simulate } from "./simulate.ts";

const SEEDS = Number(process.env["SEEDS"] ?? 1_000);
const SEED = process.env["SEED"];
const KIND = (process.env["KIND"] ?? "runs") as Kind;

const TITLES: Record<Kind, string> = {
  runs: "[I1-I11] [F01-F05] [F09-F14] [F17-F19] [F36] [F40-F45]",
  trees: "[I1-I11] [J7] [P6] [P7] [P12] [D0] [D1] [D2] [D4] [S0-61] [S0-62] trees:",
};

export function simulateShard({ shard, of }: { shard: number; of: number }): void {
  if (SEED !== undefined) {
    it.runIf(shard === 1)(`seed ${SEED} of ${KIND}, alone`, { timeout: 0 }, () => alone(KIND, Number(SEED)));
    return;
  }
  const seeds = Array.from({ length: Math.ceil(SEEDS / 2 / of) }, (_, index) => index * of + shard);
  for (const kind of Object.keys(KINDS) as Kind[]) {
    it(`${TITLES[kind]} ${seeds.length} seeds, share ${shard} of ${of}`, { timeout: 0 }, async () => {
      const { events, effects, crashes, runs } = await runSeeds(kind, seeds);
      // A simulation in which nothing happens finds nothing.
      expect(events / seeds.length).toBeGreaterThan(10);
      expect(effects / seeds.length).toBeGreaterThan(1);
      expect(crashes).toBeGreaterThan(0);
      if (kind === "trees") expect(runs / seeds.length).toBeGreaterThan(3);
    });
  }
}

async function alone(kind: Kind, seed: number): Promise<void> {
  const verdict = await simulate(KINDS[kind](seed));
  console.log([`options: ${JSON.stringify(verdict.options, null, 2)}`, ...verdict.trace].join("\n"));
  if (verdict.problems.length > 0) throw new Error(report(kind, verdict));
}
