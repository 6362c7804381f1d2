// Finds runs that no driver would notice: orphans, and running runs that are silent (S0-65, S1-71).
// The check runs at start-up and every minute. A healthy tree is never touched.

import type { RunId } from "../../ids.ts";
import type { EventBody } from "../../journal/events.ts";
import { isNewer } from "../../journal/upcast.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { type RunState, runStateProjection } from "../../projections/folds/run-state.ts";
import { fold } from "../../projections/projection.ts";
import type { LoopParts } from "../parts.ts";
import { ownCause, resultEnvelope } from "./finish.ts";
import { currentRunState } from "./run-state-cache.ts";

/** Milliseconds of silence after which a running run is treated as stuck. */
export const SILENT_MS = 10 * 60_000;
/** Milliseconds that the check adds to a call's own time limit, so that the call's limit takes effect first. */
const GRACE_MS = 60_000;

type Parts = Pick<
  LoopParts,
  "store" | "clock" | "commands" | "ids" | "drives" | "worktrees" | "tools" | "patience" | "onProblem"
>;

export async function checkOnRuns(parts: Parts): Promise<void> {
  for (const runId of await parts.store.runs.orphans()) await checkEach(endOrphan, runId, parts);
  for (const runId of [...parts.drives.keys()]) await checkEach(interruptSilent, runId, parts);
  await parts.commands.sweep(async (runId) => (await parts.store.runs.get(runId))?.endedAt !== undefined);
  await parts.worktrees.sweep((runId) => isOver(runId, parts));
}

/** P9: if a run cannot be read, the check continues with the next run. */
async function checkEach(look: typeof endOrphan, runId: RunId, parts: Parts): Promise<void> {
  await look(runId, parts).catch((error: unknown) => {
    if (isNewer(error)) return;
    const message = `Run ${runId} could not be checked. It is checked again in a minute; other runs continue.`;
    parts.onProblem({ runId, message, error });
  });
}

/**
 * True if a run's worktree can be removed: its root run has ended, so the work can no longer be merged.
 * False for an unknown run, which might belong to another store with worktrees in the same repository.
 */
async function isOver(runId: RunId, { store }: Parts): Promise<boolean> {
  const row = await store.runs.get(runId);
  return row !== undefined && (await store.runs.get(row.rootRunId))?.endedAt !== undefined;
}

/** D4: ends a run whose parent has ended, because no run awaits its result. The run's journal says why it ended. */
async function endOrphan(runId: RunId, { store }: Parts): Promise<void> {
  const state = fold(runStateProjection, await store.journal.read(runId));
  const message = `Run ${state.start!.parentRunId}, which started this one, has ended. What was done here is kept.`;
  const error: EventBody = {
    type: "SYSTEM_ERROR",
    payload: { id: "orphaned", code: "ORPHANED", message, fatal: true },
  };
  const status = state.cancel ? "cancelled" : "failed";
  const ending = { status, stopReason: "orphaned", summary: message } as const;
  const result = { ...resultEnvelope(ending, state), first_cause: ownCause(ending, state) };
  const payload = { stopReason: ending.stopReason, summary: message, result };
  const events: EventBody[] = [error, { type: state.cancel ? "RUN_CANCELLED" : "RUN_FAILED", payload }];
  // If the append is refused, another event was written first. The run is checked again in a minute.
  await store.journal.append({ runId, after: state.seq, events, guard: "unchanged" });
}

/** Stops the current effect of a silent run. The effect's outcome is recorded as usual, and the run continues. */
async function interruptSilent(runId: RunId, parts: Parts): Promise<void> {
  const { store, clock, ids, drives } = parts;
  const row = await store.runs.get(runId);
  if (row?.status !== "running") return;
  const silent = clock.now() - lastActivityOf(row, drives);
  if (silent < SILENT_MS || silent < allowedSilence(await currentRunState(store, runId), parts)) return;
  const minutes = Math.round(silent / 60_000);
  const message = `This run was silent for ${minutes} minutes. Its current step is interrupted, and the run continues.`;
  const payload = { id: ids.nonce(), code: "STUCK", message, fatal: false };
  await store.journal.append({ runId, after: row.seq, events: [{ type: "SYSTEM_ERROR", payload }] });
  drives.get(runId)?.interrupt("stuck");
}

/** Time of a run's last event, or of the last sign of life from its current effect in this process. */
export const lastActivityOf = ({ id, updatedAt }: RunRow, drives: LoopParts["drives"]): number =>
  Math.max(updatedAt, drives.get(id)?.lastActivityAt() ?? 0);

/** The longest time limit of the open calls, from the run's limits, from the tools, or for the silence of a provider. */
function allowedSilence({ start, calls, openModelCall }: RunState, { tools, patience }: Parts): number {
  const open = [...calls.values()].filter(({ started, result }) => started && !result);
  const own = open.map(({ name }) => tools.get(name)?.timeout ?? 0);
  const model = openModelCall ? patience.silence : 0;
  return Math.max(start!.limits.toolTimeout ?? 0, model, ...own) + GRACE_MS;
}
