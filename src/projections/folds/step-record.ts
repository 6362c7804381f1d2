// The steps of an agent's module: their answers in order, from which the module is replayed, and the facts that the current
// step depends on.

import type { JournalEvent, Payload, WaitingOn } from "../../journal/events.ts";
import { newStepCall, type ToolCall } from "./tool-call.ts";

export type AnsweredStep = Pick<Payload<"STEP_YIELDED">, "kind" | "arguments" | "answer">;

export interface StepRecord {
  answered: AnsweredStep[];
  /** The event of the latest answer, and the number of the agent's turns before it. Later events belong to the current step. */
  seq: number;
  turns: number;
  /** Due times of timers, by id. */
  timers: Map<string, number>;
  /** The hash of a changed module that a person accepted. */
  accepted: string | undefined;
}

export const emptySteps = (): StepRecord => ({
  answered: [],
  seq: 0,
  turns: 0,
  timers: new Map(),
  accepted: undefined,
});

/** `before` is the state of the run before this event. */
export function trackSteps(
  record: StepRecord,
  event: JournalEvent,
  before: { turns: number; waitingOn: WaitingOn | undefined },
): void {
  switch (event.type) {
    case "STEP_YIELDED": {
      const { kind, arguments: given, answer } = event.payload;
      record.answered.push({ kind, arguments: given, answer });
      record.seq = event.seq;
      record.turns = before.turns;
      break;
    }
    case "TIMER_SET":
      record.timers.set(event.payload.id, event.payload.at);
      break;
    case "RUN_RESUMED":
      if (before.waitingOn?.kind === "definition_changed") record.accepted = before.waitingOn.items?.[0];
      break;
    default:
  }
}

/** Adds a call made by the module to the run's current calls, like the calls of a model's turn. */
export function addStepCall(
  state: { calls: Map<string, ToolCall> },
  { toolCallId: id, name, input }: Payload<"TOOL_PROPOSED">,
): ToolCall | undefined {
  if (input === undefined) return undefined;
  if ([...state.calls.values()].every(({ result }) => result)) state.calls = new Map();
  const call = newStepCall(id, name, input);
  state.calls.set(id, call);
  return call;
}
