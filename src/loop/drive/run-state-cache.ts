// A run's state, folded on from where it was when it was last asked for: a page asks again at every event, a person's word
// is checked against it, and a run may have 50,000 events. A cache: forgetting one costs time only.

import type { Position, RunId } from "../../ids.ts";
import { type RunState, runStateProjection } from "../../projections/folds/run-state.ts";
import type { Store } from "../../stores/store.ts";

interface Folded {
  /** It goes on with the run: whoever awaits something may find it further than it was. */
  state: RunState;
  /** Of the last event in it. */
  position: Position;
}

const MOST = 20;
const folded = new WeakMap<Store, Map<RunId, Promise<Folded>>>();

export async function currentRunState(store: Store, runId: RunId): Promise<RunState> {
  const known = folded.get(store) ?? new Map<RunId, Promise<Folded>>();
  folded.set(store, known);
  // One after the other: two that fold the same events onto one state would count them twice.
  const next = (known.get(runId) ?? Promise.resolve(nothing())).then((before) =>
    foldOn(store, runId, before),
  );
  known.delete(runId);
  known.set(runId, next);
  next.catch(() => known.delete(runId));
  if (known.size > MOST) known.delete(known.keys().next().value!);
  return (await next).state;
}

const nothing = (): Folded => ({ state: runStateProjection.initial(), position: 0 });

async function foldOn(store: Store, runId: RunId, before: Folded): Promise<Folded> {
  const { seq } = before.state;
  const [last, ...news] = seq === 0 ? [] : await store.journal.read(runId, seq - 1);
  // A run that was carried away, pruned and brought back has another journal under the same id.
  const isSame = last !== undefined && last.position === before.position;
  const events = isSame ? news : await store.journal.read(runId);
  const folding = isSame ? before : nothing();
  for (const event of events) {
    folding.state = runStateProjection.apply(folding.state, event);
    folding.position = event.position;
  }
  return folding;
}
