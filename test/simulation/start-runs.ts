// Admits the runs of a plan, as the API does.

import { admit } from "../../src/loop/admit.ts";
import type { Store } from "../../src/stores/store.ts";
import type { RunPlan } from "./options.ts";
import type { Surroundings } from "./surroundings.ts";

export async function startRuns(
  plans: readonly RunPlan[],
  store: Store,
  { clock, ids, findAgent }: Pick<Surroundings, "clock" | "ids" | "findAgent">,
): Promise<void> {
  for (const { agent, attended, limits, approvals } of plans) {
    await admit(
      { agent, task: "Do it.", attended, limits },
      { store, clock, ids, findAgent, limits: {}, approvals, workspace: "/work", wake: async () => {} },
    );
  }
}
