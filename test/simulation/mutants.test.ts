import { it } from "vitest";
import { findMutant } from "./find-mutant.ts";
import { MUTANTS } from "./mutants.ts";

it.each(MUTANTS)("[FAULTS §1.7] the simulation finds the mutant: $name", { timeout: 120_000 }, (mutant) =>
  findMutant("runs", mutant),
);
