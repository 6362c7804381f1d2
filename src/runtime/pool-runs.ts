// Decides whether a run belongs to this worker's pool, whose files are on this machine (E6). A wake-up may be for any run;
// one that is refused here is found by the due-scan of its own pool.

import type { RunId } from "../ids.ts";
import type { PoolFilter, Store } from "../stores/store.ts";

export async function belongsToPool(
  runId: RunId,
  store: { runs: Pick<Store["runs"], "get"> },
  of: PoolFilter | undefined,
): Promise<boolean> {
  if (!of) return true;
  const row = await store.runs.get(runId);
  if (row?.pool !== undefined && of.pools.includes(row.pool)) return row.pool === of.pool;
  const root = row && row.rootRunId !== row.id ? await store.runs.get(row.rootRunId) : row;
  if (!root) return false;
  const { workspaces } = of;
  return "in" in workspaces
    ? workspaces.in.includes(root.workspace)
    : !workspaces.notIn.includes(root.workspace);
}
