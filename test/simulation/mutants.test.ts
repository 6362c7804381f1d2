import { it } from "vitest";
import { findMutant } from "./find-mutant.ts";
import { MUTANTS } from "./mutants.ts";

it.each(MUTANTS)("[FAULTS §1.7] is found: $name", { timeout: 120_000 }, (mutant) =>
  findMutant("runs", mutant),
);
