// Whether work that was once allowed may still be given to another agent when it comes to that.

import { addedReach } from "../agents/explain/blast-radius.ts";
import type { ToolCall } from "../projections/folds/run-state.ts";
import type { DelegationRequest } from "./builtin-tools/declared/delegate.ts";
import { judgeDelegation } from "./builtin-tools/delegate.ts";
import { currentGrants } from "./calls/judge.ts";
import { delegationBlastRadius } from "./children/blast-radius.ts";
import { type CallRefusal, checkDelegation } from "./children/check-delegation.ts";
import type { RunJournal } from "./drive/run-journal.ts";
import type { LoopParts } from "./parts.ts";

/** P5: what a person said yes to, or made of it, is judged by the rules of now. */
export async function recheckDelegation(
  call: ToolCall,
  asked: DelegationRequest,
  run: RunJournal,
  parts: LoopParts,
): Promise<CallRefusal | undefined> {
  if (!call.decision && call.proposal!.seq > run.seqWhenTaken) return undefined;
  const refused = await checkDelegation(call, asked, run, parts);
  if (refused) return refused;
  const { verdict, rule } = judgeDelegation(asked, await currentGrants(run, parts), run, parts);
  if (verdict === "deny") return { output: `Not allowed (${rule}). Do it another way.`, outcome: "denied" };
  return notAsShown(call, asked, run, parts);
}

/** BR3: a yes was given to what the agent could do when it was asked about, not to what its file says now. */
async function notAsShown(
  { proposal }: ToolCall,
  asked: DelegationRequest,
  run: RunJournal,
  parts: LoopParts,
): Promise<CallRefusal | undefined> {
  const shown = proposal!.blastRadius;
  const now = shown && (await delegationBlastRadius(asked, run, parts));
  // A person may have put another agent in its place: their choice, that was not shown.
  if (!now || now.agent !== shown.agent) return undefined;
  const more = addedReach(shown, now);
  if (more.length === 0) return undefined;
  const what = `${asked.name} could now also use ${more.join(", ")}, which it could not when a person allowed it`;
  return { output: `Not started: ${what}. Ask again if it is still needed.`, outcome: "denied" };
}
