// Runs seeds and reports the first that fails, with everything that is needed to see it again.

import { simulate, type Verdict } from "./simulate.ts";

const SHOWN = 60;

export type Total = Verdict["counts"];

export async function runSeeds(seeds: Iterable<number>): Promise<Total> {
  const total: Total = { events: 0, effects: 0, crashes: 0 };
  for (const seed of seeds) {
    const verdict = await simulate(seed);
    if (verdict.problems.length > 0) throw new Error(report(verdict));
    total.events += verdict.counts.events;
    total.effects += verdict.counts.effects;
    total.crashes += verdict.counts.crashes;
  }
  return total;
}

export function report({ seed, options, problems, trace }: Verdict): string {
  return [
    `seed ${seed}: ${problems.slice(0, 5).join("\n")}`,
    `options: ${JSON.stringify(options)}`,
    `the last ${SHOWN} lines of its trace:`,
    ...trace.slice(-SHOWN),
    `see all of it: SEED=${seed} npx vitest run test/simulation/shard-1.test.ts`,
  ].join("\n");
}
