import { expect, it } from "vitest";
import { MUTANTS } from "./mutants.ts";
import { simulate } from "./simulate.ts";

/** A breakage that is not seen within so many seeds counts as not seen. */
const BOUND = 300;

it.each(MUTANTS)("[FAULTS §1.7] is found: $name", { timeout: 120_000 }, async (mutant) => {
  const { seed, problem } = await firstProblem(mutant);
  expect(problem, `not found in ${BOUND} seeds`).toBeDefined();
  console.log(`found by seed ${seed}: ${problem!.slice(0, 140)}`);
  expect((await simulate(seed)).problems, "without the breakage the same seed is clean").toEqual([]);
});

async function firstProblem(mutant: (typeof MUTANTS)[number]): Promise<{ seed: number; problem?: string }> {
  for (let seed = 1; seed <= BOUND; seed++) {
    const problem = (await simulate(seed, mutant)).problems.find((text) => mutant.found.test(text));
    if (problem !== undefined) return { seed, problem };
  }
  return { seed: BOUND };
}
