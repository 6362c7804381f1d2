// A projection is a pure fold over a journal. The loop, the API, the CLI and the page use the same projections.
// `apply` can mutate the state and returns it. A driver folds a run's journal once, and keeps the state while it drives the run.

import type { JournalEvent } from "../journal/events.ts";

export interface Projection<State> {
  name: string;
  initial(): State;
  apply(state: State, event: JournalEvent): State;
}

export function fold<State>(projection: Projection<State>, events: Iterable<JournalEvent>): State {
  let state = projection.initial();
  for (const event of events) state = projection.apply(state, event);
  return state;
}
