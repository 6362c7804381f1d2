// What happens next with the calls that start children or tend them. Pure, like `decide`.
//  D0  A delegation that waits has neither TOOL_STARTED nor TOOL_RESULT: its child's end is its one result.
//  D1  Sequential: one at a time. Parallel: up to `maxParallel`, and the results stand in the order of the calls.
//  D2  A run that is done ends after its children; one that fails, is cancelled or meets a limit has them cancelled.

import { DEFAULT_DELEGATION } from "../journal/definition.ts";
import type { WaitingOn } from "../journal/events.ts";
import type { Action, Ending } from "../patterns/action.ts";
import type { DecisionView } from "../patterns/pattern.ts";
import { isLate } from "../patterns/slot.ts";
import {
  type ChildRun,
  childrenByTrigger,
  latestChildFor,
  liveChildren,
  mayBeRetried,
} from "../projections/folds/child-runs.ts";
import { CLOSING, type RunState, type ToolCall } from "../projections/folds/run-state.ts";
import { childrenOf, WAIT_FOR_RUNS, waited } from "./builtin-tools/child-runs.ts";
import { DELEGATE } from "./builtin-tools/declared/delegate.ts";
import { isLoopTool } from "./builtin-tools/index.ts";
import { hardLimit } from "./drive/limits.ts";
import { mayStart, suspendForApproval } from "./open-calls.ts";

/** Undefined: the next call is an ordinary one. */
export function nextForChildren(view: DecisionView, open: readonly ToolCall[]): Action | undefined {
  const [first] = open;
  if (!first?.proposal) return undefined;
  if (isLoopTool(first.proposal.name)) return mayStart(first) ? runErrand(view.state, open) : undefined;
  return isDelegated(first) ? delegate(view, open) : undefined;
}

/** A failure below that this agent's file makes its own. */
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

/** The latest answer of a child, for an agent that may not give its own. */
export function childAnswer({
  children,
}: RunState): Pick<Ending, "summary" | "details" | "output"> | undefined {
  const answered = childrenByTrigger(children, "delegation").filter(({ ended }) => ended?.success);
  const result = answered.at(-1)?.ended?.result;
  return result && { summary: result.summary, details: result.details, output: result.output };
}

/** D2. */
export function endAfterChildren({ state, definition }: DecisionView, ending: Ending): Action {
  const live = liveChildren(state.children);
  if (live.length === 0) return { type: "end", ending };
  const waitingOn = waitFor(live, CLOSING);
  // F27: a crash may have come between the word that a child is late and its cancel.
  const waits =
    ending.status === "completed" &&
    !hardLimit(state) &&
    definition.delegation?.atEnd !== "cancel" &&
    !live.every((child) => isLate(state, child));
  return waits
    ? { type: "suspend", waitingOn, wakeAt: undefined }
    : { type: "cancel-children", runIds: live.map(({ runId }) => runId), waitingOn };
}

function runErrand(state: RunState, open: readonly ToolCall[]): Action {
  const call = open[0]!;
  if (call.name !== WAIT_FOR_RUNS) return { type: "run-errand", call: call.id };
  const children = childrenOf(call, state);
  if ("problem" in children) return { type: "run-errand", call: call.id };
  const live = children.filter(({ ended }) => !ended);
  if (live.length === 0) return { type: "record", events: [waited(call, children)] };
  return waitWith(live, open);
}

function delegate({ state, definition }: DecisionView, open: readonly ToolCall[]): Action | undefined {
  const calls = leading(open, isDelegated);
  const { mode, maxParallel } = definition.delegation ?? DEFAULT_DELEGATION;
  const live = calls.flatMap((call) => liveChildFor(state, call) ?? []);
  const together = mode === "parallel" || calls.some(({ isStep }) => isStep);
  const room = (together ? maxParallel : 1) - live.length;
  const ready = calls.filter((call) => mayStart(call) && wantsChild(state, call)).slice(0, Math.max(0, room));
  if (ready.length > 0) return { type: "start-children", calls: ready.map(({ id }) => id) };
  return live.length > 0 ? waitWith(live, open) : undefined;
}

/** For a person first: who is asked about another call must be seen to be needed, and may run out of time. */
function waitWith(live: readonly ChildRun[], open: readonly ToolCall[]): Action {
  return suspendForApproval(open) ?? { type: "suspend", waitingOn: waitFor(live), wakeAt: undefined };
}

const isDelegated = ({ proposal }: ToolCall): boolean => proposal?.name === DELEGATE;

function wantsChild({ children }: RunState, call: ToolCall): boolean {
  const child = latestChildFor(children, call.id);
  return child === undefined || mayBeRetried(child);
}

function liveChildFor({ children }: RunState, call: ToolCall): ChildRun | undefined {
  const child = latestChildFor(children, call.id);
  return child?.ended ? undefined : child;
}

function waitFor(children: readonly ChildRun[], detail?: string): WaitingOn {
  const items = children.map(({ runId }) => runId);
  return { kind: "child", items, ...(detail === undefined ? {} : { detail }) };
}

function leading<T>(items: readonly T[], is: (item: T) => boolean): T[] {
  const end = items.findIndex((item) => !is(item));
  return items.slice(0, end < 0 ? items.length : end);
}
