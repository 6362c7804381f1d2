// Runs to which a person's word comes too late, or by the wrong door. Nothing is changed then.

import { CadreError } from "../errors.ts";
import type { RunState } from "../projections/folds/run-state.ts";

/** A word to one run alone is none to the branch that holds it. */
export function requireNotFrozen({ runId, waitingOn }: RunState): void {
  const [top] = waitingOn?.frozen ?? [];
  if (top === undefined) return;
  const branch = top === runId ? "" : ` with the branch of ${top}`;
  throw new CadreError(
    "CONFLICT",
    `Run ${runId} is frozen${branch}: \`cadre thaw ${top}\` lets it go on. Nothing was changed.`,
  );
}

export function requireNotEnded(state: RunState): void {
  if (!state.end && !state.cancel) return;
  const ended =
    state.end?.stopReason === "moved"
      ? "was moved to another store and goes on there"
      : `has ended (${state.end?.status})`;
  const how = state.end ? ended : "is being cancelled";
  throw new CadreError("RUN_TERMINAL", `Run ${state.runId} ${how}. Nothing was changed.`);
}
