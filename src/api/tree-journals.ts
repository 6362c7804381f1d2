// The journals of a whole tree, for whoever asks how its runs hang together.

import type { JournalEvent } from "../journal/events.ts";
import type { Journals } from "../projections/views/causes.ts";
import type { Store } from "../stores/store.ts";

const PAGE = 1_000;

/** As they can be read: what is damaged is left out, and must not hide the rest. */
export async function treeJournals(store: Store, root: string): Promise<Journals> {
  const journals = new Map<string, JournalEvent[]>();
  for await (const event of treeEvents(store, root)) {
    const own = journals.get(event.runId);
    if (own) own.push(event);
    else journals.set(event.runId, [event]);
  }
  return journals;
}

/** In commit order. */
export async function* treeEvents(store: Store, root: string): AsyncGenerator<JournalEvent> {
  for (let after = 0; ; ) {
    const events = await store.journal.readAll(after, PAGE, { root });
    const last = events.at(-1);
    if (!last) return;
    yield* events;
    after = last.position;
  }
}
