// The runs that a run continues. Its transcript begins with theirs, by reference.
// Nothing else is taken over: no usage, no approvals, no grants.

import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { Fork, JournalEvent, Payload } from "../../journal/events.ts";
import type { Store } from "../../stores/store.ts";

/** A session may last for years, but a chain longer than this is a mistake, or a damaged database. */
const LONGEST_CHAIN = 10_000;

/** All events before a run's own, oldest first. */
export async function eventsBefore(
  store: { journal: Pick<Store["journal"], "read" | "head"> },
  start: Payload<"RUN_STARTED">,
): Promise<JournalEvent[]> {
  const chain: JournalEvent[][] = [];
  let { continues, fork } = start;
  while (continues) {
    if (chain.length >= LONGEST_CHAIN)
      throw new CadreError(
        "JOURNAL_CORRUPT",
        "This run continues too many others to be read. Nothing was changed; begin a new one.",
      );
    const there = await store.journal.head(continues.runId, continues.seq);
    if (there?.hash !== continues.hash) throw continuedRunMissing(continues.runId);
    const events = await store.journal.read(continues.runId, 0, continues.seq);
    chain.unshift([...events, ...(await laterChildEnds(store, continues.runId, fork))]);
    const first = events[0];
    ({ continues, fork } = first?.type === "RUN_STARTED" ? first.payload : NO_PREDECESSOR);
  }
  return chain.flat();
}

const NO_PREDECESSOR: Pick<Payload<"RUN_STARTED">, "continues" | "fork"> = {};

/** Ends of children that came after the fork's point, and that the fork was told. */
async function laterChildEnds(
  store: { journal: Pick<Store["journal"], "read"> },
  runId: RunId,
  { heard = [] }: Pick<Fork, "heard"> = {},
): Promise<JournalEvent[]> {
  const found = await Promise.all(heard.map((seq) => store.journal.read(runId, seq - 1, 1)));
  return found.flat();
}

export const continuedRunMissing = (runId: RunId): CadreError =>
  new CadreError(
    "JOURNAL_CORRUPT",
    `Run ${runId}, which this one continues, is not there as it was, so it cannot go on. Nothing was changed; \`cadre verify ${runId}\` says more, and a new run begins anew.`,
  );
