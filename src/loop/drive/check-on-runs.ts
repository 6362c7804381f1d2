// What nobody else would notice: runs whose parent is gone, and runs that are at work and say nothing (S0-65, S1-71).
// Done at start-up and every minute; a tree that is well is never touched.

import type { RunId } from "../../ids.ts";
import type { EventBody, Payload } from "../../journal/events.ts";
import { isNewer } from "../../journal/upcast.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { type RunState, runStateProjection } from "../../projections/folds/run-state.ts";
import { fold } from "../../projections/projection.ts";
import type { LoopParts } from "../parts.ts";
import { currentRunState } from "./run-state-cache.ts";

/** A run at work of which nothing was heard for so long is stuck, whatever it waits for. */
export const SILENT_MS = 10 * 60_000;
/** A tool's own time limit comes first. */
const GRACE_MS = 60_000;

type Parts = Pick<LoopParts, "store" | "clock" | "ids" | "drives" | "worktrees" | "tools" | "onProblem">;

export async function checkOnRuns(parts: Parts): Promise<void> {
  for (const runId of await parts.store.runs.orphans()) await unhindered(endOrphan, runId, parts);
  for (const runId of [...parts.drives.keys()]) await unhindered(wakeSilent, runId, parts);
  await parts.worktrees.sweep((runId) => isOver(runId, parts));
}

/** P9: one that cannot be read must not keep the others from being looked at. */
async function unhindered(look: typeof endOrphan, runId: RunId, parts: Parts): Promise<void> {
  await look(runId, parts).catch((error: unknown) => {
    if (isNewer(error)) return;
    const message = `Run ${runId} could not be looked after; it is tried again in a minute, and the others go on.`;
    parts.onProblem({ runId, message, error });
  });
}

/**
 * Its work may still be asked for as long as any run of its tree goes on. One that is not known here may be at work for
 * another store: several may have their worktrees in one repository.
 */
async function isOver(runId: RunId, { store }: Parts): Promise<boolean> {
  const row = await store.runs.get(runId);
  return row !== undefined && (await store.runs.get(row.rootRunId))?.endedAt !== undefined;
}

/** D4: nobody waits for its result any more. It ends where it stands, and the journal says why. */
async function endOrphan(runId: RunId, { store }: Parts): Promise<void> {
  const state = fold(runStateProjection, await store.journal.read(runId));
  const message = `Run ${state.start!.parentRunId}, which started this one, has ended. What was done here is kept.`;
  const error: EventBody = {
    type: "SYSTEM_ERROR",
    payload: { id: "orphaned", code: "ORPHANED", message, fatal: true },
  };
  const type = state.cancel ? "RUN_CANCELLED" : "RUN_FAILED";
  const events = [error, { type, payload: ended(state, message) } as EventBody];
  // Refused: something came meanwhile. It is looked at again in a minute.
  await store.journal.append({ runId, after: state.seq, events, guard: "unchanged" });
}

function ended(state: RunState, summary: string): Payload<"RUN_FAILED"> {
  const stop_reason = "orphaned";
  return {
    stopReason: stop_reason,
    summary,
    result: {
      status: state.cancel ? "cancelled" : "failed",
      summary,
      files_modified: [...state.files].filter(([, how]) => how === "modified").map(([path]) => path),
      files_created: [...state.files].filter(([, how]) => how === "created").map(([path]) => path),
      tests_run: null,
      tests_passed: null,
      warnings: [],
      suggestions: [],
      iteration_count: state.turns,
      duration_ms: state.usage.activeMs,
      first_cause: { run_id: state.runId, agent: state.start!.agent, stop_reason, summary },
    },
  };
}

/** Stops what is under way: its outcome is recorded as any other, and the run goes on from there. */
async function wakeSilent(runId: RunId, parts: Parts): Promise<void> {
  const { store, clock, ids, drives } = parts;
  const row = await store.runs.get(runId);
  if (row?.status !== "running") return;
  const silent = clock.now() - lastActivityOf(row, drives);
  if (silent < SILENT_MS || silent < timeForTools(await currentRunState(store, runId), parts)) return;
  const minutes = Math.round(silent / 60_000);
  const message = `Nothing was heard of this run for ${minutes} minutes. What it was doing is stopped, and it goes on.`;
  const payload = { id: ids.nonce(), code: "STUCK", message, fatal: false };
  await store.journal.append({ runId, after: row.seq, events: [{ type: "SYSTEM_ERROR", payload }] });
  drives.get(runId)?.interrupt("stuck");
}

/** When a run last wrote something, or what it has under way here gave a sign of life. */
export const lastActivityOf = ({ id, updatedAt }: RunRow, drives: LoopParts["drives"]): number =>
  Math.max(updatedAt, drives.get(id)?.lastActivityAt() ?? 0);

/** What the run's limits or the tool itself give to whatever is under way. */
function timeForTools({ start, calls }: RunState, { tools }: Parts): number {
  const open = [...calls.values()].filter(({ started, result }) => started && !result);
  const own = open.map(({ name }) => tools.get(name)?.timeout ?? 0);
  return Math.max(start!.limits.toolTimeout ?? 0, ...own) + GRACE_MS;
}
