import { it, vi } from "vitest";
import { findMutant } from "./find-mutant.ts";
import { PATTERN_MUTANTS } from "./pattern-mutants.ts";

// Vitest spies on these modules but does not replace them. Their real functions run until a mutant replaces them.
vi.mock("../../src/projections/folds/parent-events.ts", { spy: true });

it.each(PATTERN_MUTANTS)(
  "[FAULTS §1.7] the simulation finds the mutant: $name",
  { timeout: 120_000 },
  (mutant) => findMutant("patterns", mutant),
);
