// A run's state, folded on from where it was when it was last asked for: a page asks again at every event, and a run may
// have 50,000 of them. A cache: forgetting one costs time only.

import type { RunId } from "../ids.ts";
import { fold } from "../projections/projection.ts";
import { type RunState, runStateProjection } from "../projections/run-state.ts";
import type { Store } from "../stores/store.ts";

const MOST = 20;
const folded = new WeakMap<Store, Map<RunId, Promise<RunState>>>();

export function foldedRun(store: Store, runId: RunId): Promise<RunState> {
  const known = folded.get(store) ?? new Map<RunId, Promise<RunState>>();
  folded.set(store, known);
  // One after the other: two that fold the same events onto one state would count them twice.
  const next = (known.get(runId) ?? Promise.resolve(runStateProjection.initial())).then((state) =>
    foldOn(store, runId, state),
  );
  known.delete(runId);
  known.set(runId, next);
  next.catch(() => known.delete(runId));
  if (known.size > MOST) known.delete(known.keys().next().value!);
  return next;
}

async function foldOn(store: Store, runId: RunId, state: RunState): Promise<RunState> {
  const events = await store.journal(runId, state.seq);
  return fold({ ...runStateProjection, initial: () => state }, events);
}
