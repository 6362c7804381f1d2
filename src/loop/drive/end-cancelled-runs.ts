// Drives cancelled runs to their ends without an engine. This needs no model and no tool, so any owner of the store
// can do it.
// Other runs are not driven.

import type { RunId } from "../../ids.ts";
import type { LoopParts } from "../parts.ts";
import { drive } from "./drive.ts";

/** Runs that cannot be taken or read stay as they are. */
export async function endCancelledRuns(
  runIds: readonly RunId[],
  parts: LoopParts,
  signal: AbortSignal,
): Promise<void> {
  let left = await unendedRuns(runIds, parts);
  for (let before = Number.POSITIVE_INFINITY; left.length < before && !signal.aborted; ) {
    before = left.length;
    for (const runId of left) await drive(runId, parts, signal);
    left = await unendedRuns(left, parts);
  }
}

/** Deepest first, because a run ends after the runs below it (D2). */
async function unendedRuns(runIds: readonly RunId[], { store }: Pick<LoopParts, "store">): Promise<RunId[]> {
  const rows = await Promise.all(runIds.map((runId) => store.runs.get(runId)));
  return rows
    .flatMap((row) => (row?.cancelRequested && row.endedAt === undefined ? [row] : []))
    .sort((left, right) => right.depth - left.depth)
    .map(({ id }) => id);
}
