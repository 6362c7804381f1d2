// The key of an event, unique in its run (J1).
// The store recognises a repeated append by its key, so a retry after a lost response writes nothing twice.
//  J3  All outcomes of an intent share one key, so an intent has at most one outcome.

import { assertNever } from "../errors.ts";
import type { EventBody } from "./events.ts";

/** J1. The writer chooses the key of an event that can occur any number of times. All other keys are derived from the payload. */
export function keyOf(event: EventBody): string {
  if (event.key !== undefined) return event.key;
  switch (event.type) {
    case "RUN_STARTED":
      return "start";
    case "CONTEXT_ADDED":
      return `context/${event.payload.id}`;
    case "MODEL_CALL_STARTED":
      return `${attemptOf(event.payload.callId, event.payload.attempt)}/s`;
    case "AGENT_THOUGHT":
    case "MODEL_CALL_FAILED":
      return `${attemptOf(event.payload.callId, event.payload.attempt)}/e`;
    case "TOOL_PROPOSED":
      return `${attemptOf(event.payload.toolCallId, event.payload.round)}/p`;
    case "APPROVAL_DECIDED":
      return `${event.payload.itemId}/d`;
    case "TOOL_STARTED":
      return `${attemptOf(event.payload.toolCallId, event.payload.attempt)}/s`;
    case "TOOL_RESULT":
      return `${event.payload.toolCallId}/e`;
    case "OUTCOME_DECIDED":
      return `${attemptOf(event.payload.toolCallId, event.payload.attempt)}/o`;
    case "CHILD_RUN_STARTED":
      return `${event.payload.child_run_id}/s`;
    case "CHILD_RUN_COMPLETED":
      return `${event.payload.child_run_id}/e`;
    case "TEAM_ROUND_STARTED":
      return `round/${event.payload.round}`;
    case "TEAM_MESSAGE":
      return `round/${event.payload.round}/${event.payload.from}/${event.payload.index}`;
    case "TEAM_VOTE":
      return `round/${event.payload.round}/${event.payload.from}/vote`;
    case "RUNNER_STARTED":
      return `${attemptOf(event.payload.callId, event.payload.attempt)}/runner`;
    case "RUNNER_SAID":
      return `${event.payload.callId}/said/${event.payload.index}`;
    case "RUNNER_SPENT":
      return `${event.payload.callId}/spent/${event.payload.index}`;
    case "STEP_YIELDED":
      return `step/${event.payload.index}`;
    case "CONTEXT_COMPACTED":
      return `${event.payload.callId}/compacted`;
    case "CONTEXT_CLIPPED":
      return `clip/${event.payload.index}`;
    case "TIMER_SET":
      return `timer/${event.payload.id}/set`;
    case "TIMER_FIRED":
      return `timer/${event.payload.id}/fired`;
    case "LIMIT_REACHED":
      return `limit/${event.payload.itemId ?? `${event.payload.limit}/${event.payload.hard ? "hard" : "soft"}`}`;
    case "SYSTEM_ERROR":
      return `error/${event.payload.id}`;
    case "CANCEL_REQUESTED":
      return "cancel";
    case "RUN_MOVED":
      return "moved";
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED":
      return "end";
    case "RUN_SUSPENDED":
    case "RUN_RESUMED":
    case "PERSON_ASKED":
    case "OUTCOME_PROBED":
    case "BUDGET_SET":
      throw new Error(`${event.type} needs a key from its writer, because it can happen any number of times`);
    default:
      return assertNever(event);
  }
}

const attemptOf = (id: string, attempt: number | undefined): string =>
  attempt === undefined || attempt === 1 ? id : `${id}~${attempt}`;
