// What a child's end means for whoever gave its work to it.

import { baseName } from "../journal/definition.ts";
import type { StopReason } from "../journal/events.ts";
import type { ChildRun } from "../projections/folds/child-runs.ts";
import type { Ending } from "./action.ts";

/** The work was given away: its answer is the run's. */
export function adoptedEnding({ ended }: ChildRun, stopReason: StopReason): Ending {
  const { summary, details, output, warnings, suggestions, team } = ended!.result;
  return { status: "completed", stopReason, summary, details, output, warnings, suggestions, team };
}

/** A target that was cancelled alone ends those that gave their work to it. */
export const cancelledStageEnding = ({ agent }: ChildRun): Ending => ({
  status: "cancelled",
  stopReason: "user",
  summary: `${baseName(agent)}, which had taken the work over, was cancelled.`,
});

/** S3-17: the stage that failed is named, once, however many stages gave their work to it. */
export function failedStageEnding({ agent, ended }: ChildRun, stopReason: StopReason): Ending {
  const { summary, result } = ended!;
  const named = summary.startsWith(STAGE) ? summary : `${STAGE}${baseName(agent)} failed: ${summary}`;
  return { status: "failed", stopReason, summary: named, cause: result.first_cause };
}

/** The same, for a reason that no run of its own gives: it could not be started, or its answer is of no use. */
export const unusableStageEnding = (agent: string, why: string): Ending => ({
  status: "failed",
  stopReason: "error",
  summary: `${STAGE}${baseName(agent)} failed: ${why}`,
});

const STAGE = "Stage ";
