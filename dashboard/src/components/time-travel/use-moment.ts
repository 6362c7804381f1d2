// The moment at which the page shows the tree. The URL contains the moment, so a shared link shows the same moment.

import { useDeferredValue, useMemo } from "react";
import type { JournalEvent } from "../../../../src/journal/events.ts";
import { applyEvent, eventCount, type RunJournal } from "../../live/run-journal.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";

export interface ShownMoment {
  /** The journal at the shown moment. */
  journal: TreeJournal;
  /** The latest event shown; undefined if the page shows the present. */
  event: JournalEvent | undefined;
  /** The number of `event` among all events of the tree, from 1. */
  place: number;
  /** The number of all events of the tree. */
  count: number;
  /** The journal position of the event with this number; undefined for the latest event, which is the present. */
  positionAt(place: number): number | undefined;
}

/** `at` is the journal position to show; undefined for the present. */
export function useMoment(journal: TreeJournal, at: number | undefined): ShownMoment {
  const position = useDeferredValue(at);
  const count = eventCount(journal);
  // While the journal loads, a new event can be older than the shown moment, so the page computes that moment again.
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

/** The events of the tree in commit order. The list is sorted only after events were added, because a growing tree renders often. */
function orderOf(journal: TreeJournal, count: number): JournalEvent[] {
  const known = orders.get(journal);
  if (known?.length === count) return known;
  const events = eventsOf(journal);
  orders.set(journal, events);
  return events;
}

const eventBy = (events: readonly JournalEvent[], position: number): JournalEvent | undefined =>
  events[placeOf(events, position) - 1];

/** The number of events up to this position, at least 1. */
function placeOf(events: readonly JournalEvent[], position: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.position <= position) low = middle + 1;
    else high = middle;
  }
  return Math.max(1, low);
}

/** FK8: the tree at a past moment. Its state comes from the events up to a position, without streaming text. */
export function pastJournal(journal: TreeJournal, position: number): TreeJournal {
  const runs = new Map<string, RunJournal>();
  const fresh = new Set<string>();
  for (const event of eventsOf(journal)) {
    if (event.position > position) break;
    applyEvent(runs, fresh, event);
  }
  return {
    runs,
    loaded: true,
    failure: undefined,
    version: position,
    subscribe: () => () => {},
    close: () => {},
  };
}

/** The events of all runs of the tree, in commit order. */
function eventsOf({ runs }: Pick<TreeJournal, "runs">): JournalEvent[] {
  return [...runs.values()]
    .flatMap(({ events }) => events)
    .sort((left, right) => left.position - right.position);
}
