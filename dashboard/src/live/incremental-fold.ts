// A projection over a journal that grows: each event is folded once, however often it is asked for.

import type { JournalEvent } from "../../../src/journal/events.ts";
import type { Projection } from "../../../src/projections/projection.ts";

export function incrementalFold<State>(
  projection: Projection<State>,
): (events: readonly JournalEvent[]) => State {
  const folds = new WeakMap<readonly JournalEvent[], { state: State; count: number }>();
  return (events) => {
    const fold = folds.get(events) ?? { state: projection.initial(), count: 0 };
    for (; fold.count < events.length; fold.count++)
      fold.state = projection.apply(fold.state, events[fold.count]!);
    folds.set(events, fold);
    return fold.state;
  };
}
