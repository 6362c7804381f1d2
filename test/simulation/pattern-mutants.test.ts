import { it, vi } from "vitest";
import { findMutant } from "./find-mutant.ts";
import { PATTERN_MUTANTS } from "./pattern-mutants.ts";

// Spied, not replaced: everything is as it is until a mutant is put in.
vi.mock("../../src/projections/folds/parent-events.ts", { spy: true });

it.each(PATTERN_MUTANTS)("[FAULTS §1.7] is found: $name", { timeout: 120_000 }, (mutant) =>
  findMutant("patterns", mutant),
);
