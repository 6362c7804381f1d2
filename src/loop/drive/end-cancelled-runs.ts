// Brings cancelled runs to their ends without an engine: it takes no model and no tool, so whoever holds the store can
// do it. Nothing but these runs is driven.

import type { RunId } from "../../ids.ts";
import type { LoopParts } from "../parts.ts";
import { drive } from "./drive.ts";

/** Those that cannot be taken up, or read, are left as they are. */
export async function endCancelledRuns(
  runIds: readonly RunId[],
  parts: LoopParts,
  signal: AbortSignal,
): Promise<void> {
  let left = await unended(runIds, parts);
  for (let before = Number.POSITIVE_INFINITY; left.length < before && !signal.aborted; ) {
    before = left.length;
    for (const runId of left) await drive(runId, parts, signal);
    left = await unended(left, parts);
  }
}

/** The lowest first: a run ends after those below it (D2). */
async function unended(runIds: readonly RunId[], { store }: Pick<LoopParts, "store">): Promise<RunId[]> {
  const rows = await Promise.all(runIds.map((runId) => store.runs.get(runId)));
  return rows
    .flatMap((row) => (row?.cancelRequested && row.endedAt === undefined ? [row] : []))
    .sort((left, right) => right.depth - left.depth)
    .map(({ id }) => id);
}
