// The slots of a pattern: their states, and how a pattern waits for the runs that fill them.

import { type ChildRun, latestChildFor } from "../projections/folds/child-runs.ts";
import type { RunState } from "../projections/folds/run-state.ts";
import { clockWithoutSuspensions } from "../projections/folds/run-state.ts";
import type { Action } from "./action.ts";

export type PatternSlot =
  | { type: "empty" }
  | { type: "refused"; why: string }
  | { type: "live" | "late" | "done" | "failed"; child: ChildRun };

export function slotOf(state: RunState, key: string): PatternSlot {
  const why = state.unstartedSlots.get(key);
  if (why !== undefined) return { type: "refused", why };
  const child = latestChildFor(state.children, key);
  if (!child) return { type: "empty" };
  // F27: an answer that arrives after the timeout is recorded, but changes nothing.
  if (isLate(state, child)) return { type: "late", child };
  if (!child.ended) return { type: "live", child };
  return { type: child.ended.success ? "done" : "failed", child };
}

/** Waits for each child until its timeout. The time during which a child waits for a person does not count. */
export function waitOrGiveUp(
  state: RunState,
  children: readonly ChildRun[],
  { timeout, now, late: reason }: { timeout: number | undefined; now: number; late: string },
): Action | undefined {
  if (children.length === 0) return undefined;
  const passed = clockWithoutSuspensions(state.suspendedTime, now);
  const timeLeft = ({ startedAt }: ChildRun): number => startedAt + (timeout ?? Infinity) - passed;
  const late = children.filter((child) => timeLeft(child) <= 0);
  if (late.length > 0) {
    const events = late.map((child) => ({ type: "TIMER_FIRED" as const, payload: { id: lateTimer(child) } }));
    return { type: "give-up-on", runIds: late.map(({ runId }) => runId), events, reason };
  }
  const soonest = Math.min(...children.map(timeLeft));
  const waitingOn = { kind: "child" as const, items: children.map(({ runId }) => runId) };
  return { type: "suspend", waitingOn, wakeAt: soonest === Infinity ? undefined : now + soonest };
}

/** Whether the child's timeout has passed, so that the pattern no longer waits for the child. */
export const isLate = ({ firedTimers }: RunState, child: ChildRun): boolean =>
  firedTimers.has(lateTimer(child));

const lateTimer = ({ runId }: ChildRun): string => `late/${runId}`;
