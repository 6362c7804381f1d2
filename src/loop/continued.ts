// What a run continues: its transcript begins with that of another, by reference. Nothing else is taken over:
// no usage, no approvals, no grants.

import { CadreError } from "../errors.ts";
import type { RunId } from "../ids.ts";
import type { JournalEvent, Payload } from "../journal/events.ts";
import type { Store } from "../stores/store.ts";

/** A session may last for years. A longer chain is a mistake, or somebody's database. */
const LONGEST_CHAIN = 10_000;

/** The events before a run's own, oldest first. */
export async function eventsBefore(
  store: Pick<Store, "journal" | "head">,
  start: Payload<"RUN_STARTED">,
): Promise<JournalEvent[]> {
  const chain: JournalEvent[][] = [];
  let continues = start.continues;
  while (continues) {
    if (chain.length >= LONGEST_CHAIN)
      throw new CadreError("JOURNAL_CORRUPT", "A run continues too many others.");
    const head = await store.head(continues.runId);
    if (head?.seq !== continues.seq || head.hash !== continues.hash) throw isGone(continues.runId);
    const events = await store.journal(continues.runId);
    chain.unshift(events);
    const first = events[0];
    continues = first?.type === "RUN_STARTED" ? first.payload.continues : undefined;
  }
  return chain.flat();
}

export const isGone = (runId: RunId): CadreError =>
  new CadreError("JOURNAL_CORRUPT", `Run ${runId}, which this one continues, is not there as it was.`);
