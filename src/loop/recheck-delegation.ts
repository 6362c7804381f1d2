// Whether work that was once allowed may still be given to another agent when it comes to that.

import { beyond } from "../agents/blast-radius.ts";
import type { ToolCall } from "../projections/run-state.ts";
import { radiusOfDelegation } from "./blast-radius.ts";
import type { Delegated } from "./delegation.ts";
import type { LoopParts } from "./parts.ts";
import { currentGrants, judgeDelegation } from "./propose.ts";
import { type Refused, refuseDelegation } from "./refuse-delegation.ts";
import type { RunJournal } from "./run-journal.ts";

/** P5: what a person said yes to, or made of it, is judged by the rules of now. */
export async function forbidden(
  call: ToolCall,
  asked: Delegated,
  run: RunJournal,
  parts: LoopParts,
): Promise<Refused | undefined> {
  if (!call.decision && call.proposal!.seq > run.inherited) return undefined;
  const refused = await refuseDelegation(call, asked, run, parts);
  if (refused) return refused;
  const { verdict, rule } = judgeDelegation(asked, await currentGrants(run, parts), run, parts);
  if (verdict === "deny") return { output: `Not allowed (${rule}). Do it another way.`, outcome: "denied" };
  return notAsShown(call, asked, run, parts);
}

/** BR3: a yes was given to what the agent could do when it was asked about, not to what its file says now. */
async function notAsShown(
  { proposal }: ToolCall,
  asked: Delegated,
  run: RunJournal,
  parts: LoopParts,
): Promise<Refused | undefined> {
  const shown = proposal!.blastRadius;
  const now = shown && (await radiusOfDelegation(asked, run, parts));
  // A person may have put another agent in its place: their choice, that was not shown.
  if (!now || now.agent !== shown.agent) return undefined;
  const more = beyond(shown, now);
  if (more.length === 0) return undefined;
  const what = `${asked.name} could now also use ${more.join(", ")}, which it could not when a person allowed it`;
  return { output: `Not started: ${what}. Ask again if it is still needed.`, outcome: "denied" };
}
