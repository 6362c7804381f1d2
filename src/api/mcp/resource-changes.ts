// Which resources are others when something has happened to a run: its own, the lists, and its events, which are among those of every
// run above it. What agents are there is read from their files each time, and nothing tells of a change.

import type { RunId } from "../../ids.ts";
import { eventsUri, runUri } from "./views.ts";

/** Runs whose parent is remembered: those that something happened to last. */
const MAX_KNOWN = 5_000;

/** Told about at once, and then about the events of the runs above, which have to be looked up. */
export function createChangeNotifier(parentOf: (runId: RunId) => Promise<RunId | undefined>) {
  const parents = new Map<RunId, Promise<RunId | undefined>>();
  const above = (runId: RunId): Promise<RunId | undefined> => {
    // One that cannot be looked up is told to nobody above; whoever reads has the whole.
    const parent = parents.get(runId) ?? parentOf(runId).catch(() => undefined);
    parents.set(runId, parent);
    if (parents.size > MAX_KNOWN) parents.delete(parents.keys().next().value!);
    return parent;
  };
  return async (runIds: Iterable<RunId>, tell: (uri: string) => void): Promise<void> => {
    const changed = new Set(runIds);
    for (const runId of changed) for (const uri of [runUri(runId), eventsUri(runId)]) tell(uri);
    for (const uri of ["cadre://runs", "cadre://approvals"]) tell(uri);
    for (const runId of changed) {
      const parent = await above(runId);
      if (parent === undefined || changed.has(parent)) continue;
      changed.add(parent);
      tell(eventsUri(parent));
    }
  };
}

/** Those that somebody could wait for in vain. */
export const neverChanges = (uri: string): boolean => /^cadre:\/\/agents(\/|$)/.test(uri);
