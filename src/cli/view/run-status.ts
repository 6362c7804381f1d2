// How the runs of a tree stand for somebody who looks from outside: a journal that says "running" is true only while a
// process drives.

import type { ApprovalView, Health, RunSummary, RunTree } from "../../api/client/types.ts";
import { isAnswered } from "../../projections/answered.ts";
import { allNodes } from "./text/branches.ts";

/**
 * `left`: it could go on, and nobody is working on it. `stopping`: it is cancelled, and being brought to its end;
 * `to-stop`: it is, and nobody does that. `moved`: it goes on in another store.
 */
export type DisplayStatus = RunSummary["status"] | "left" | "stopping" | "to-stop" | "moved";

/** By run id. `open`: what waits for a person, in this tree at least. */
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

/** Nobody has cancelled what goes on elsewhere. */
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
