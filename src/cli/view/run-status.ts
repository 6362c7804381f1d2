// The status of runs as shown to people. A journal may say "running" although no process drives the run.

import type { ApprovalView, Health, RunSummary, RunTree } from "../../api/client/types.ts";
import { isAnswered } from "../../projections/answered.ts";
import { allNodes } from "./text/branches.ts";

/**
 * `left`: it could continue, but no process drives it. `stopping`: it was cancelled and is being ended; `to-stop`: it was
 * cancelled, but no process ends it. `moved`: it continues in another store.
 */
export type DisplayStatus = RunSummary["status"] | "left" | "stopping" | "to-stop" | "moved";

/** Statuses by run id. `open`: the open items, at least those of this tree. */
export function displayStatuses(
  tree: RunTree,
  { drives }: Pick<Health, "drives">,
  open: readonly ApprovalView[],
): Map<string, DisplayStatus> {
  const runs = new Map(allNodes(tree).map((run) => [run.id, run]));
  const asking = new Set(open.map(({ runId }) => runId));
  const around = { hasOpenItem: (id: string) => asking.has(id), run: (id: string) => runs.get(id) };
  return new Map(
    [...runs.values()].map((run): [string, DisplayStatus] => {
      const isLeft = !drives && (GOES_ON.has(run.status) || isAnswered(run, around));
      return [run.id, stoppingStatus(run, drives) ?? (isLeft ? "left" : endStatus(run))];
    }),
  );
}

/** A moved run is recorded as cancelled, but it continues elsewhere. */
export const endStatus = ({
  status,
  stopReason,
}: Pick<RunSummary, "status" | "stopReason">): DisplayStatus => (stopReason === "moved" ? "moved" : status);

export function stoppingStatus(
  { cancelRequested, endedAt }: Pick<RunSummary, "cancelRequested" | "endedAt">,
  drives: boolean,
): "stopping" | "to-stop" | undefined {
  if (!cancelRequested || endedAt !== undefined) return undefined;
  return drives ? "stopping" : "to-stop";
}

const GOES_ON: ReadonlySet<string> = new Set(["pending", "running", "waiting"]);
