// Runs seeds with a mutant until the simulation finds the mutant. Then runs the same seed without the mutant.

import { expect } from "vitest";
import { KINDS, type Kind } from "./run-seeds.ts";
import { simulate } from "./simulate.ts";
import type { Findable } from "./surroundings.ts";

/** Maximum number of seeds to try. If none of them reveals the mutant, the test fails. */
const BOUND = 300;

export async function findMutant(kind: Kind, mutant: Findable): Promise<void> {
  const { seed, problem } = await firstProblem(kind, mutant);
  expect(problem, `not found in ${BOUND} seeds`).toBeDefined();
  console.log(`found by seed ${seed}: ${problem!.slice(0, 140)}`);
  expect(
    (await simulate(KINDS[kind](seed))).problems,
    "without the mutant the same seed has no problem",
  ).toEqual([]);
}

async function firstProblem(kind: Kind, mutant: Findable): Promise<{ seed: number; problem?: string }> {
  const { from = 1 } = mutant;
  for (let seed = from; seed < from + BOUND; seed++) {
    const { problems } = await simulate(KINDS[kind](seed), mutant);
    const problem = problems.find((text) => mutant.found.test(text));
    if (problem !== undefined) return { seed, problem };
  }
  return { seed: BOUND };
}
