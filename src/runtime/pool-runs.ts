// Whether a run is one of this worker's pool (E6): this machine has its files. A wake may be about any run; the due-scan of
// its own pool finds one that is refused here.

import type { RunId } from "../ids.ts";
import type { PoolFilter, Store } from "../stores/store.ts";

export async function belongsToPool(
  runId: RunId,
  store: Pick<Store, "run">,
  of: PoolFilter | undefined,
): Promise<boolean> {
  if (!of) return true;
  const row = await store.run(runId);
  if (row?.pool !== undefined && of.pools.includes(row.pool)) return row.pool === of.pool;
  const root = row && row.rootRunId !== row.id ? await store.run(row.rootRunId) : row;
  if (!root) return false;
  const { workspaces } = of;
  return "in" in workspaces
    ? workspaces.in.includes(root.workspace)
    : !workspaces.notIn.includes(root.workspace);
}
