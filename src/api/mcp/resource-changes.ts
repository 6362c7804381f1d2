// Finds the resources that an event of a run changes: the run itself, the lists, and the events of the run and its ancestors.
// Agents are read from their files on each request, so subscribers are not told when an agent changes.

import type { RunId } from "../../ids.ts";
import { eventsUri, runUri } from "./views.ts";

/** Maximum number of runs whose parents are cached. */
const MAX_KNOWN = 5_000;

/** Reports the changed runs immediately. Changes in their ancestors are reported later, because the ancestors must be looked up first. */
export function createChangeNotifier(parentOf: (runId: RunId) => Promise<RunId | undefined>) {
  const parents = new Map<RunId, Promise<RunId | undefined>>();
  const above = (runId: RunId): Promise<RunId | undefined> => {
    // If the lookup fails, subscribers of the ancestors get no notice. The resource itself still shows all changes.
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

/** True for resources whose changes are never reported. */
export const neverChanges = (uri: string): boolean => /^cadre:\/\/agents(\/|$)/.test(uri);
