// J11: who hears what is said to a run. One that has routed its work, or handed it over, asks its model nothing any more: what
// is said to it is for whoever has the work.

import type { RunId } from "../ids.ts";
import type { RunRow } from "../projections/run-row.ts";
import type { Store } from "../stores/store.ts";

/** The run, then those that its work was passed on to, each by the one before. */
export async function passedOn(runId: RunId, store: Pick<Store, "run" | "runs">): Promise<RunRow[]> {
  const row = await store.run(runId);
  if (!row) return [];
  const { runs } = await store.runs({ parent: runId, limit: MOST_CHILDREN });
  const next = runs.find(({ trigger }) => trigger === "handoff" || trigger === "route");
  return next ? [row, ...(await passedOn(next.id, store))] : [row];
}

const MOST_CHILDREN = 200;
