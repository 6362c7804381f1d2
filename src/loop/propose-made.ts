// Calls that the agent's steps make: judged like the model's own, and in the journal from then on with what is given to
// them. One that cannot be made has its result at once.

import type { EventBody } from "../journal/events.ts";
import type { StepCall } from "../patterns/action.ts";
import { newStepCall } from "../projections/folds/tool-call.ts";
import { currentGrants, proposeCall } from "./calls/propose.ts";
import { withRecordedResult } from "./calls/recorded-results.ts";
import type { RunJournal } from "./drive/run-journal.ts";
import type { LoopParts } from "./parts.ts";
import { immediateResult } from "./refuse-call.ts";

/** The rule in the verdict on a call that there is not. */
export const NOT_MADE = "it cannot be made";

/** In one append: of calls that are made together none is there without the others. */
export async function proposeStepCalls(
  calls: readonly StepCall[],
  run: RunJournal,
  parts: LoopParts,
): Promise<void> {
  const grants = await currentGrants(run, parts);
  const events: EventBody[] = [];
  for (const made of calls) {
    const call = newStepCall(made.id, made.name, made.input);
    const judged = immediateResult(call, 0, run, parts) ?? (await proposeCall(call, grants, run, parts));
    const [proposal, recorded] = await withRecordedResult(judged, call, run, parts);
    events.push(...withInput(proposal!, made), ...(recorded ? [recorded] : []));
  }
  run.record(...events);
}

function withInput(judged: EventBody, { id, name, input, hidden }: StepCall): EventBody[] {
  const made = { input, ...(hidden ? { hidden: true as const } : {}) };
  if (judged.type === "TOOL_PROPOSED")
    return [{ type: "TOOL_PROPOSED", payload: { ...judged.payload, ...made } }];
  const payload = { toolCallId: id, name, effect: "read" as const, verdict: "deny" as const };
  return [{ type: "TOOL_PROPOSED", payload: { ...payload, rule: NOT_MADE, ...made } }, judged];
}
