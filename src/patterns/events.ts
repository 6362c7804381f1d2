// The events that decisions and the loop write most often.

import type { EventBody, Payload } from "../journal/events.ts";

type Failure = Exclude<NonNullable<Payload<"TOOL_RESULT">["outcome"]>, "ok">;

/** The result of a call that no tool was run for. `outcome`: how the call failed. */
export function toolResult(toolCallId: string, output: unknown, outcome?: Failure): EventBody {
  const failure = outcome === undefined ? {} : { isError: true as const, outcome };
  return { type: "TOOL_RESULT", payload: { toolCallId, output, ...failure } };
}

/** A message from Cadre to the agent. Its id makes sure that the agent reads it once. */
export const systemNote = (id: string, text: string): EventBody => ({
  type: "CONTEXT_ADDED",
  payload: { id, source: "system", text },
});
