// How a run ends after it gave its work to a child.

import { baseName } from "../journal/agent-id.ts";
import type { StopReason } from "../journal/events.ts";
import type { ChildRun } from "../projections/folds/child-runs.ts";
import type { Ending } from "./action.ts";

/** The end of a run whose answer is its child's answer. */
export function adoptedEnding({ ended }: ChildRun, stopReason: StopReason): Ending {
  const { summary, details, output, warnings, suggestions, team } = ended!.result;
  return { status: "completed", stopReason, summary, details, output, warnings, suggestions, team };
}

/** The end of a run whose child was cancelled: the run is cancelled too. */
export const cancelledStageEnding = ({ agent }: ChildRun): Ending => ({
  status: "cancelled",
  stopReason: "user",
  summary: `${baseName(agent)}, which had taken the work over, was cancelled.`,
});

/** S3-17: the end of a run after a failed stage. The summary names only the stage that failed, even if the work was passed on several times. */
export function failedStageEnding({ agent, ended }: ChildRun, stopReason: StopReason): Ending {
  const { summary, result } = ended!;
  const failedStage = result.failed_stage ?? baseName(agent);
  const named = result.failed_stage === undefined ? stageSummary(failedStage, summary) : summary;
  return { status: "failed", stopReason, summary: named, failedStage, cause: result.first_cause };
}

/** The end of a run if the next stage could not be started, or if its answer is unusable. */
export function unusableStageEnding(agent: string, why: string): Ending {
  const failedStage = baseName(agent);
  return { status: "failed", stopReason: "error", summary: stageSummary(failedStage, why), failedStage };
}

const stageSummary = (stage: string, why: string): string => `Stage ${stage} failed: ${why}`;
