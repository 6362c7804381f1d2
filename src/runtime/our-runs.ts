// Whether a run is one of this worker's pool: its tree works in a folder whose files this machine has (E6). A wake may be
// about any run; the due-scan of its own pool finds one that is refused here.

import type { RunId } from "../ids.ts";
import type { Store, Workspaces } from "../stores/store.ts";

export async function isOurs(
  runId: RunId,
  store: Pick<Store, "run">,
  of: Workspaces | undefined,
): Promise<boolean> {
  if (!of) return true;
  const row = await store.run(runId);
  const root = row && row.rootRunId !== row.id ? await store.run(row.rootRunId) : row;
  if (!root) return false;
  return "in" in of ? of.in.includes(root.workspace) : !of.notIn.includes(root.workspace);
}
