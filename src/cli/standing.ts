// How the runs of a tree stand for somebody who looks from outside: a journal that says "running" is true only while a
// process drives.

import type { ApprovalView, Health, RunSummary, RunTree } from "../api/schema.ts";
import { isAnswered } from "../projections/answered.ts";
import { allOf } from "./view/branches.ts";

/**
 * `left`: it could go on, and nobody is working on it. `stopping`: it is cancelled, and being brought to its end;
 * `to-stop`: it is, and nobody does that. `moved`: it goes on in another store.
 */
export type Standing = RunSummary["status"] | "left" | "stopping" | "to-stop" | "moved";

/** By run id. `open`: what waits for a person, in this tree at least. */
export function standingsIn(
  tree: RunTree,
  { drives }: Pick<Health, "drives">,
  open: readonly ApprovalView[],
): Map<string, Standing> {
  const runs = new Map(allOf(tree).map((run) => [run.id, run]));
  const asking = new Set(open.map(({ runId }) => runId));
  const around = { hasOpenItem: (id: string) => asking.has(id), run: (id: string) => runs.get(id) };
  return new Map(
    [...runs.values()].map((run): [string, Standing] => {
      const isLeft = !drives && (GOES_ON.has(run.status) || isAnswered(run, around));
      return [run.id, stoppingOf(run, drives) ?? (isLeft ? "left" : endOf(run))];
    }),
  );
}

/** Nobody has cancelled what goes on elsewhere. */
export const endOf = ({ status, stopReason }: Pick<RunSummary, "status" | "stopReason">): Standing =>
  stopReason === "moved" ? "moved" : status;

export function stoppingOf(
  { cancelRequested, endedAt }: Pick<RunSummary, "cancelRequested" | "endedAt">,
  drives: boolean,
): "stopping" | "to-stop" | undefined {
  if (!cancelRequested || endedAt !== undefined) return undefined;
  return drives ? "stopping" : "to-stop";
}

const GOES_ON: ReadonlySet<string> = new Set(["pending", "running", "waiting"]);
