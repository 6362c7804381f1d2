// How the runs of a tree stand for somebody who looks from outside: a journal that says "running" is true only while a
// process drives.

import type { ApprovalView, Health, RunSummary, RunTree } from "../api/schema.ts";
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
  const standings = new Map<string, Standing>();
  // From the last one up: what is below a run is known before it.
  for (const run of allOf(tree).reverse()) {
    const isLeft = !drives && (GOES_ON.has(run.status) || isAnswered(run, open, standings));
    standings.set(run.id, stoppingOf(run, drives) ?? (isLeft ? "left" : endOf(run)));
  }
  return standings;
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

function isAnswered(
  { id, status, waitingOn }: RunSummary,
  open: readonly ApprovalView[],
  below: ReadonlyMap<string, Standing>,
): boolean {
  if (status !== "suspended") return false;
  if (waitingOn?.kind === "child_hitl")
    return (waitingOn.blockers ?? []).every((blocker) => OPEN_TO_GO.has(below.get(blocker)!));
  return ANSWERED_BY_ITEMS.has(waitingOn?.kind ?? "") && !open.some(({ runId }) => runId === id);
}

const OPEN_TO_GO: ReadonlySet<Standing> = new Set(["left", "to-stop"]);

/** Without an open item of their own these have been answered. */
const ANSWERED_BY_ITEMS: ReadonlySet<string> = new Set([
  "approval",
  "question",
  "outcome_unknown",
  "budget",
  "loop",
]);
