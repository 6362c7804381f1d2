// A model call that is under way: what its outcome, or its recovery, will need to know.

import type { EventOf, Payload, Purpose } from "../journal/events.ts";

export interface OpenModelCall {
  callId: string;
  attempt: number;
  /** Attempts in a row at this call by this model: the next of the chain begins anew. */
  tries: number;
  model: string;
  purpose: Purpose;
  ts: number;
  estimate: Payload<"MODEL_CALL_STARTED">["estimate"];
}

/** `before`: the latest call, if its last attempt failed. */
export function opened(
  { ts, payload }: EventOf<"MODEL_CALL_STARTED">,
  before: Pick<OpenModelCall, "model" | "tries"> | undefined,
): OpenModelCall {
  const { callId, attempt = 1, model, purpose = "turn", estimate } = payload;
  const tries = attempt > 1 && before?.model === model ? before.tries + 1 : 1;
  return { callId, attempt, tries, model, purpose, ts, estimate };
}
