// A cache of run states that folds only new events.
// The cache is needed because pages ask again at every event, commands are checked against the state, and a run can have 50,000 events.
// Losing a cache entry only costs time.

import type { Position, RunId } from "../../ids.ts";
import { type RunState, runStateProjection } from "../../projections/folds/run-state.ts";
import type { Store } from "../../stores/store.ts";

interface Folded {
  /** The state. Later folds change this same object, so it might be newer after an `await`. */
  state: RunState;
  /** Position of the last folded event. */
  position: Position;
}

const MOST = 20;
const folded = new WeakMap<Store, Map<RunId, Promise<Folded>>>();

export async function currentRunState(store: Store, runId: RunId): Promise<RunState> {
  const known = folded.get(store) ?? new Map<RunId, Promise<Folded>>();
  folded.set(store, known);
  // Folds of the same run wait for each other. Two folds at once would count the same events twice.
  const next = (known.get(runId) ?? Promise.resolve(emptyFold())).then((before) =>
    foldNewEvents(store, runId, before),
  );
  known.delete(runId);
  known.set(runId, next);
  next.catch(() => known.delete(runId));
  if (known.size > MOST) known.delete(known.keys().next().value!);
  return (await next).state;
}

const emptyFold = (): Folded => ({ state: runStateProjection.initial(), position: 0 });

async function foldNewEvents(store: Store, runId: RunId, before: Folded): Promise<Folded> {
  const { seq } = before.state;
  const [last, ...news] = seq === 0 ? [] : await store.journal.read(runId, seq - 1);
  // If a run was moved away, pruned and moved back, the same id has another journal.
  const isSame = last !== undefined && last.position === before.position;
  const events = isSame ? news : await store.journal.read(runId);
  const folding = isSame ? before : emptyFold();
  for (const event of events) {
    folding.state = runStateProjection.apply(folding.state, event);
    folding.position = event.position;
  }
  return folding;
}
