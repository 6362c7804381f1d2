// Runs simulations with many seeds. Reports the first failure, with everything that is needed to reproduce it.

import { expandSeed, type SimOptions } from "./options.ts";
import { expandPatternSeed } from "./pattern-options.ts";
import { simulate, type Verdict } from "./simulate.ts";
import { expandTreeSeed } from "./tree-options.ts";

const SHOWN = 60;

/** The kinds of simulation: independent runs, trees of runs, and agents that use patterns. */
export const KINDS = {
  runs: expandSeed,
  trees: expandTreeSeed,
  patterns: expandPatternSeed,
} as const satisfies Record<string, (seed: number) => SimOptions>;
export type Kind = keyof typeof KINDS;

export interface Total extends Counts {
  /** The triggers of all runs that started. */
  started: ReadonlySet<string>;
}

type Counts = Verdict["counts"];

export async function runSeeds(kind: Kind, seeds: Iterable<number>): Promise<Total> {
  const total: Counts = { events: 0, effects: 0, crashes: 0, runs: 0 };
  const started = new Set<string>();
  for (const seed of seeds) {
    const verdict = await simulate(KINDS[kind](seed));
    if (verdict.problems.length > 0) throw new Error(report(kind, verdict));
    for (const count of Object.keys(total) as (keyof Counts)[]) total[count] += verdict.counts[count];
    for (const trigger of verdict.started) started.add(trigger);
  }
  return { ...total, started };
}

export function report(kind: Kind, { seed, options, problems, trace }: Verdict): string {
  return [
    `seed ${seed} of ${kind}: ${problems.slice(0, 5).join("\n")}`,
    `options: ${JSON.stringify(options)}`,
    `the last ${SHOWN} lines of its trace:`,
    ...trace.slice(-SHOWN),
    `see all of it: KIND=${kind} SEED=${seed} npx vitest run test/simulation/shard-1.test.ts`,
  ].join("\n");
}
