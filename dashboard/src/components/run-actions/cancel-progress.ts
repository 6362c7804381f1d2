// U41: the progress of a cancel, from the journal: the runs that were unfinished when it was requested, and how many of
// them have ended.

import type { RunJournal } from "../../live/run-journal.ts";
import { treeOrder } from "../run-tree/roll-up.ts";

export type CancelProgress =
  | { phase: "stopping"; done: number; of: number }
  /** Every run has ended. */
  | { phase: "stopped"; at: number; runs: number };

export function cancelProgress(
  runs: ReadonlyMap<string, RunJournal>,
  runId: string,
): CancelProgress | undefined {
  const top = runs.get(runId);
  const cancel = top?.row.cancelRequested && top.events.findLast(({ type }) => type === "CANCEL_REQUESTED");
  if (!cancel) return undefined;
  const tree = treeOrder(runs, runId).map((id) => runs.get(id)!);
  const live = tree.filter(({ row }) => row.endedAt === undefined);
  const stopped = tree.filter(
    ({ row, events }) => row.endedAt !== undefined && events.at(-1)!.position > cancel.position,
  );
  if (live.length > 0) return { phase: "stopping", done: stopped.length, of: stopped.length + live.length };
  return { phase: "stopped", at: Math.max(...stopped.map(({ row }) => row.endedAt!)), runs: stopped.length };
}
