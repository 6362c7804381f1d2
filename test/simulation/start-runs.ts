// The agents and root runs of one simulation. The simulation admits the runs in the same way as the API.

import { CadreError } from "../../src/errors.ts";
import type { Definition } from "../../src/journal/definition.ts";
import { shapesOnly } from "../../src/journal/masking/mask.fixture.ts";
import { admit } from "../../src/loop/commands/admit.ts";
import type { Store } from "../../src/stores/store.ts";
import { definitionOf, type RunPlan, type SimOptions } from "./options.ts";
import type { Surroundings } from "./surroundings.ts";

export async function startRuns(
  plans: readonly RunPlan[],
  store: Store,
  { clock, ids, findAgent }: Pick<Surroundings, "clock" | "ids" | "findAgent">,
): Promise<void> {
  for (const { agent, attended, limits, approvals } of plans) {
    await admit(
      { agent, task: "Do it.", attended, limits },
      {
        ...{ store, clock, ids, findAgent, mask: shapesOnly(), limits: {}, approvals, workspace: "/work" },
        chooseModel: (model) => ({ model }),
        checkPrices: async () => ({}),
        environment: async () => ({ day: "2026-01-02", os: "Linux" }),
        expandCommand: async (text) => ({ text }),
        wake: async () => {},
        worktrees: { plan: async () => ({ problem: "There is no repository here." }) },
      },
    );
  }
}

/** The loop caches definitions by hash. A new edition for each simulation makes the loop read its definitions from the store. */
let edition = 0;

/** Looks up the compiled definition of an agent. */
export function agentsOf({ runs, cast }: SimOptions): (name: string) => Promise<Definition> {
  const number = String(++edition);
  const known = new Map([...runs, ...cast].map((plan) => [plan.agent, definitionOf(plan, number)]));
  return async (name) => {
    const definition = known.get(name);
    if (!definition) throw new CadreError("AGENT_NOT_FOUND", `There is no agent ${name}.`);
    return definition;
  };
}
