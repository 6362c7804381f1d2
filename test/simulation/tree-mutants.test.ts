import { it, vi } from "vitest";
import { findMutant } from "./find-mutant.ts";
import { TREE_MUTANTS } from "./tree-mutants.ts";

// Vitest spies on these modules but does not replace them. Their real functions run until a mutant replaces them.
vi.mock("../../src/projections/folds/parent-events.ts", { spy: true });
vi.mock("../../src/projections/folds/child-runs.ts", { spy: true });
vi.mock("../../src/stores/transaction/slots.ts", { spy: true });

it.each(TREE_MUTANTS)(
  "[FAULTS §1.7] the simulation finds the mutant: $name",
  { timeout: 120_000 },
  (mutant) => findMutant("trees", mutant),
);
