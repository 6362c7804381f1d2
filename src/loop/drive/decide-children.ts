// What the children of a run mean for its end. Pure, like `decide`.
//  D2  A completed run ends after its children. If it fails, is cancelled or reaches a limit, its children are cancelled.

import { DEFAULT_DELEGATION } from "../../journal/definition.ts";
import type { Action, Ending } from "../../patterns/action.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import { isLate } from "../../patterns/slot.ts";
import { childrenByTrigger, liveChildren } from "../../projections/folds/child-runs.ts";
import { CLOSING, type RunState } from "../../projections/folds/run-state.ts";
import { hardLimit } from "./limits.ts";

/** The failure of a child, if the agent's file says that it fails the run. */
export function childFailure({ state, definition }: DecisionView): Ending | undefined {
  if ((definition.delegation ?? DEFAULT_DELEGATION).onFailure !== "fail") return undefined;
  const child = [...state.children.values()].find(
    ({ trigger, ended }) => trigger === "delegation" && ended?.result.status === "failed",
  );
  if (!child) return undefined;
  const { summary, result } = child.ended!;
  return {
    status: "failed",
    stopReason: "error",
    summary: `${child.agent} did not succeed: ${summary}`,
    cause: result.first_cause,
  };
}

/** The latest answer of a child, for an agent that may not answer itself. */
export function childAnswer({
  children,
}: RunState): Pick<Ending, "summary" | "details" | "output"> | undefined {
  const answered = childrenByTrigger(children, "delegation").filter(({ ended }) => ended?.success);
  const result = answered.at(-1)?.ended?.result;
  return result && { summary: result.summary, details: result.details, output: result.output };
}

/** Ends the run, unless children are still at work (D2). */
export function endAfterChildren({ state, definition }: DecisionView, ending: Ending): Action {
  const live = liveChildren(state.children);
  if (live.length === 0) return { type: "end", ending };
  const items = live.map(({ runId }) => runId);
  const waitingOn = { kind: "child" as const, items, ...CLOSING };
  // F27: a crash may have come after a child was recorded as late and before it was cancelled.
  const waits =
    ending.status === "completed" &&
    !hardLimit(state) &&
    definition.delegation?.atEnd !== "cancel" &&
    !live.every((child) => isLate(state, child));
  return waits
    ? { type: "suspend", waitingOn, wakeAt: undefined }
    : { type: "cancel-children", runIds: items, waitingOn };
}
