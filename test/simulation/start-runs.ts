// Admits the runs of a plan, as the API does.

import { admit } from "../../src/loop/admit.ts";
import type { Store } from "../../src/stores/store.ts";
import { definitionOf, type RunPlan } from "./options.ts";
import type { Surroundings } from "./surroundings.ts";

/** The loop keeps definitions by their hash: another edition for each simulation, or the second would skip reading. */
let edition = 0;

export async function startRuns(
  plans: readonly RunPlan[],
  store: Store,
  { clock, ids }: Pick<Surroundings, "clock" | "ids">,
): Promise<string[]> {
  edition++;
  const runIds: string[] = [];
  for (const plan of plans) {
    const { agent, attended, limits, approvals } = plan;
    const { runId } = await admit(
      { agent, task: "Do it.", attended, limits },
      {
        store,
        clock,
        ids,
        findAgent: async () => definitionOf(plan, String(edition)),
        limits: {},
        approvals,
        workspace: "/work",
        wake: async () => {},
      },
    );
    runIds.push(runId);
  }
  return runIds;
}
