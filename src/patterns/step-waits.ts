// Steps that wait for a person's answer or for a time. Both waits are state in the journal and need no process.

import type { EventBody } from "../journal/events.ts";
import type { RunState } from "../projections/folds/run-state.ts";
import type { Action } from "./action.ts";
import type { StepData } from "./step-vocabulary.ts";

type Waiting = { index: number; step: StepData };

/** M3. `events` are appended together with the answer. */
export function recordAnswer({ index, step }: Waiting, answer: unknown, events: EventBody[] = []): Action {
  const payload = { index, kind: step.kind, arguments: step.arguments, answer };
  return { type: "record", events: [...events, { type: "STEP_YIELDED", payload }] };
}

export function askPerson(
  waiting: Waiting,
  { question, choices }: { question: string; choices?: string[] | undefined },
  state: RunState,
  now: number,
): Action {
  const { attended, approvals, limits } = state.start!;
  const item = `question/${waiting.index}`;
  const decided = state.decisions.get(item);
  if (decided?.decision === "expire" && approvals.onTimeout === "fail")
    return failed("approval_expired", `Nobody answered in time: ${question}`);
  if (decided) return recordAnswer(waiting, decided.answer ?? null);
  if (!attended && approvals.unattended === "fail")
    return failed("error", `A question needs a person, and nobody is there: ${question}`);
  if (!attended && approvals.unattended === "reject") return recordAnswer(waiting, null);
  const at = state.steps.timers.get(item);
  if (at === undefined && attended && approvals.onTimeout !== "wait")
    return record({
      type: "TIMER_SET",
      payload: { id: item, at: now + limits.approvalTimeout, purpose: "an answer" },
    });
  // After the timeout the driver decides with the same event and key as a person would, so only one decision can win.
  if (at !== undefined && at <= now)
    return record({ type: "APPROVAL_DECIDED", payload: { itemId: item, decision: "expire", by: "cadre" } });
  const waitingOn = {
    kind: "question" as const,
    items: [item],
    detail: question,
    ...(choices === undefined ? {} : { choices }),
    ...(at === undefined ? {} : { until: at }),
  };
  return { type: "suspend", waitingOn, wakeAt: at };
}

export function sleepUntil(waiting: Waiting, ms: number, state: RunState, now: number): Action {
  const id = `sleep/${waiting.index}`;
  const at = state.steps.timers.get(id);
  if (at === undefined)
    return record({ type: "TIMER_SET", payload: { id, at: now + ms, purpose: "its module" } });
  if (at <= now) return recordAnswer(waiting, null, [{ type: "TIMER_FIRED", payload: { id } }]);
  return { type: "suspend", waitingOn: { kind: "timer", items: [id], until: at }, wakeAt: at };
}

const record = (event: EventBody): Action => ({ type: "record", events: [event] });

const failed = (stopReason: "approval_expired" | "error", summary: string): Action => ({
  type: "end",
  ending: { status: "failed", stopReason, summary },
});
