// Intents are work, and only so many agents are at work in a workspace at the same time. A run that finds every place
// taken rests until its turn comes; its journal says so once (B4).

import type { EventBody } from "../journal/events.ts";
import type { Append, Refusal } from "../stores/store.ts";
import type { RunJournal } from "./drive/run-journal.ts";
import type { LoopParts } from "./parts.ts";

export async function beginWork(
  events: EventBody[],
  run: RunJournal,
  parts: Pick<LoopParts, "maxConcurrent">,
  needs: Pick<Append, "reserve" | "claims"> = {},
): Promise<Refusal | undefined> {
  const refused = await run.begin(events, { ...needs, concurrent: parts.maxConcurrent });
  if (refused === "places") await waitForSlot(run, parts);
  return refused;
}

export async function waitForSlot(
  run: RunJournal,
  { maxConcurrent }: Pick<LoopParts, "maxConcurrent">,
): Promise<void> {
  const { waitingOn, suspensions } = run.state;
  const detail = `As many agents are at work here as may be (${maxConcurrent}); it goes on when one is done.`;
  const payload = { waitingOn: { kind: "slot" as const, detail } };
  const told: EventBody = { type: "RUN_SUSPENDED", payload, key: `suspended/${suspensions + 1}` };
  await run.restUntilSlotFree(waitingOn?.kind === "slot" ? [] : [told], maxConcurrent);
}
