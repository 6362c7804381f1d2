import type { EventOf, Payload } from "../journal/events.ts";

export type CallOutcome = NonNullable<Payload<"TOOL_RESULT">["outcome"]> | "stopped";

/** `cancelSeq`: of the event by which somebody asked to cancel. A call that fails behind it was stopped. */
export function callOutcome({ seq, payload }: EventOf<"TOOL_RESULT">, cancelSeq = Infinity): CallOutcome {
  if (payload.outcome !== undefined) return payload.outcome;
  if (!payload.isError) return "ok";
  return seq > cancelSeq ? "stopped" : "error";
}
