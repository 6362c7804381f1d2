// The one way into a store: whatever is written has been masked (A61). A store that gains another way to write does not
// fit here until somebody has thought about what comes in by it.

import type { Mask } from "../journal/mask.ts";
import type { Append, Store } from "./store.ts";

export function maskedStore(store: Store, mask: Mask): Store {
  return {
    id: store.id,

    start: (runId, start, idempotency) =>
      store.start(runId, mask.value(start), idempotency && mask.value(idempotency)),
    append: (append) => store.append(maskedAppend(append, mask)),
    say: (said) => store.say(mask.value(said)),
    cancel: (runId, request) => store.cancel(runId, mask.value(request)),
    quarantine: (entry) => store.quarantine(mask.value(entry)),
    putBlob: (text) => store.putBlob(mask.text(text)),

    acquire: (runId, worker) => store.acquire(runId, worker),
    release: (runId, writer, wakeAt) => store.release(runId, writer, wakeAt),
    due: (now, limit) => store.due(now, limit),
    nextDue: () => store.nextDue(),
    heartbeat: (worker, held) => store.heartbeat(worker, held),
    quarantined: () => store.quarantined(),
    run: (runId) => store.run(runId),
    orphans: () => store.orphans(),
    runs: (filter) => store.runs(filter),
    countRuns: (filter) => store.countRuns(filter),
    treeTotals: (roots) => store.treeTotals(roots),
    firstHits: (q, runs) => store.firstHits(q, runs),
    journal: (runId, after, limit) => store.journal(runId, after, limit),
    head: (runId) => store.head(runId),
    read: (after, limit, of) => store.read(after, limit, of),
    position: () => store.position(),
    onCommit: (listener) => store.onCommit(listener),
    messages: (filter) => store.messages(filter),
    treeUsages: (filter) => store.treeUsages(filter),
    sessions: (filter) => store.sessions(filter),
    totals: () => store.totals(),
    openApprovals: (filter) => store.openApprovals(filter),
    grants: () => store.grants(),
    revokeGrant: (id) => store.revokeGrant(id),
    blob: (hash) => store.blob(hash),
    prune: (filter) => store.prune(filter),
    close: () => store.close(),
  };
}

/** Event by event: those that a driver has folded already are not looked at again. */
function maskedAppend(append: Append, mask: Mask): Append {
  const { events, spawn } = append;
  const masked = events.map((event) => mask.value(event));
  const isClean = masked.every((event, index) => event === events[index]);
  if (isClean && !spawn) return append;
  return { ...append, events: masked, ...(spawn ? { spawn: mask.value(spawn) } : {}) };
}
