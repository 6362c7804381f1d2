// FK8: a tree at a past moment: the same journal, folded up to a position, without any streaming.

import type { JournalEvent } from "../../../src/journal/events.ts";
import { applyEvent, type RunJournal } from "./run-journal.ts";
import type { TreeJournal } from "./tree-journal.ts";

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
export function eventsOf({ runs }: Pick<TreeJournal, "runs">): JournalEvent[] {
  return [...runs.values()]
    .flatMap(({ events }) => events)
    .sort((left, right) => left.position - right.position);
}
