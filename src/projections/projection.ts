// The contract of a projection: a fold over the journal, the same in the loop, the API, the CLI and the browser.
// `apply` may change the state that it is given and returns it: a run's state is folded once and kept while it is driven.

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
