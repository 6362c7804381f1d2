// The events that the loop and the patterns write most often.

import type { EventBody, Payload } from "../journal/events.ts";

type Failure = Exclude<NonNullable<Payload<"TOOL_RESULT">["outcome"]>, "ok">;

/** The result of a call for which no tool was run. `outcome` says how the call failed. */
export function toolResult(toolCallId: string, output: unknown, outcome?: Failure): EventBody {
  const failure = outcome === undefined ? {} : { isError: true as const, outcome };
  return { type: "TOOL_RESULT", payload: { toolCallId, output, ...failure } };
}

/** A message from Cadre to the agent. Its id makes sure that the agent reads it once. */
export const systemNote = (id: string, text: string): EventBody => ({
  type: "CONTEXT_ADDED",
  payload: { id, source: "system", text },
});
