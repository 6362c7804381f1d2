// The projections of a run's journal that views use. All views share the result of each projection.

import type { JournalEvent } from "../../../src/journal/events.ts";
import { runStateProjection } from "../../../src/projections/folds/run-state.ts";
import type { Projection } from "../../../src/projections/projection.ts";
import { runBudgetProjection } from "../../../src/projections/usage/run-budget.ts";
import { conversationProjection } from "../../../src/projections/views/conversation.ts";
import { turnsProjection } from "../../../src/projections/views/turns.ts";
import { waterfallProjection } from "../../../src/projections/views/waterfall.ts";

export const talkOf = incrementalFold(conversationProjection);
export const turnsOf = incrementalFold(turnsProjection);
export const waterfallOf = incrementalFold(waterfallProjection);
export const runStateOf = incrementalFold(runStateProjection);
export const runBudgetOf = incrementalFold(runBudgetProjection);

/** Applies a projection to a growing journal. Each event is processed only once. */
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
