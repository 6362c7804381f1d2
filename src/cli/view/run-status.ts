// The statuses of a tree as shown to people. A journal may say "running" although no process drives the run.

import type { ApprovalView, Health, RunTree } from "../../api/client/types.ts";
import { isAnswered } from "../../projections/folds/approvals.ts";
import { type ShownStatus, shownStatus } from "../../projections/words/statuses.ts";
import { allNodes } from "./text/branches.ts";

/** Returns the statuses by run id. `open` has at least the open items of this tree. */
export function shownStatuses(
  tree: RunTree,
  { drives }: Pick<Health, "drives">,
  open: readonly ApprovalView[],
): Map<string, ShownStatus> {
  const runs = new Map(allNodes(tree).map((run) => [run.id, run]));
  const asking = new Set(open.map(({ runId }) => runId));
  const around = { hasOpenItem: (id: string) => asking.has(id), run: (id: string) => runs.get(id) };
  return new Map(
    [...runs.values()].map((run): [string, ShownStatus] => [
      run.id,
      shownStatus({ ...run, answered: isAnswered(run, around) }, drives),
    ]),
  );
}
