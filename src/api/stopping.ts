// How far a cancel has come (U41). No state of its own: a run is being cancelled from the request in its journal to its
// end, and what has to stop is what had not ended when the request was written.

import type { JournalEvent } from "../journal/events.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import type { Store } from "../stores/store.ts";
import { isDamagedJournal } from "./server/http-errors.ts";
import type { Stopping } from "./views/run-detail.ts";

/** `rows` are the run and all its descendants. Undefined: nobody has asked for it, or it is done. */
export async function cancelProgress(
  store: Store,
  top: RunRow,
  rows: readonly RunRow[],
): Promise<Stopping | undefined> {
  if (!top.cancelRequested || top.endedAt !== undefined) return undefined;
  const cancel = await cancelOf(store, top);
  if (!cancel) return undefined;
  const live = rows.filter(({ endedAt }) => endedAt === undefined);
  const ended = await Promise.all(
    rows.filter(({ endedAt }) => endedAt !== undefined).map((row) => lastEvent(store, row)),
  );
  const stopped = ended.filter((event) => event !== undefined && event.position > cancel.position);
  return { done: stopped.length, of: stopped.length + live.length };
}

const WINDOW = 50;

/** Looks from the end: after a cancel not much comes any more (P7). */
async function cancelOf(store: Store, { id, seq }: RunRow): Promise<JournalEvent | undefined> {
  for (let end = seq; end > 0; end -= WINDOW) {
    const begin = Math.max(0, end - WINDOW);
    const events = await eventsOf(store, id, begin, end - begin);
    const cancel = events.find(({ type }) => type === "CANCEL_REQUESTED");
    if (cancel) return cancel;
  }
  return undefined;
}

async function lastEvent(store: Store, { id, seq }: RunRow): Promise<JournalEvent | undefined> {
  const [last] = await eventsOf(store, id, seq - 1, 1);
  return last;
}

/** P9: a damaged journal must not hide the run that it belongs to, nor those above it. */
async function eventsOf(store: Store, id: string, after: number, limit: number): Promise<JournalEvent[]> {
  try {
    return await store.journal.read(id, after, limit);
  } catch (error) {
    if (isDamagedJournal(error)) return [];
    throw error;
  }
}
