// The moment that a tree is shown at: in the address, so that a link leads to the same moment.

import { useDeferredValue, useMemo } from "react";
import type { JournalEvent } from "../../../../src/journal/events.ts";
import { eventsOf, pastJournal } from "../../live/past-journal.ts";
import { eventCount, type TreeJournal } from "../../live/tree-journal.ts";

export interface ShownMoment {
  /** The journal as it was, or as it is. */
  journal: TreeJournal;
  /** The latest event that is shown; undefined: it is now. */
  event: JournalEvent | undefined;
  /** The place of the moment among all events of the tree, from 1. */
  place: number;
  /** How many there are. */
  count: number;
  /** The position of the event at a place; undefined: it is the latest, so it is now. */
  positionAt(place: number): number | undefined;
}

/** `at`: a position. */
export function useMoment(journal: TreeJournal, at: number | undefined): ShownMoment {
  const position = useDeferredValue(at);
  const count = eventCount(journal);
  // While it is read, what had happened by then is not all here yet.
  const read = journal.loaded ? -1 : count;
  const shown = useMemo(
    () => (position === undefined || read === 0 ? journal : pastJournal(journal, position)),
    [journal, position, read],
  );
  const place = at === undefined ? count : placeOf(orderOf(journal, count), at);
  return {
    journal: shown,
    event: position === undefined ? undefined : eventBy(orderOf(journal, count), position),
    place,
    count,
    positionAt: (wanted) => (wanted >= count ? undefined : orderOf(journal, count)[wanted - 1]?.position),
  };
}

const orders = new WeakMap<TreeJournal, JournalEvent[]>();

/** Sorted only when somebody looks back: a tree that grows is drawn many times in a second. */
function orderOf(journal: TreeJournal, count: number): JournalEvent[] {
  const known = orders.get(journal);
  if (known?.length === count) return known;
  const events = eventsOf(journal);
  orders.set(journal, events);
  return events;
}

const eventBy = (events: readonly JournalEvent[], position: number): JournalEvent | undefined =>
  events[placeOf(events, position) - 1];

/** How many events had happened by then; at least the first. */
function placeOf(events: readonly JournalEvent[], position: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.position <= position) low = middle + 1;
    else high = middle;
  }
  return Math.max(1, low);
}
