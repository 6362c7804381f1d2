// The one way into a store: whatever is written has been masked (A61). A store that gains another way to write does not
// fit here until somebody has thought about what comes in by it.

import { CadreError } from "../errors.ts";
import type { Mask } from "../journal/masking/mask.ts";
import type { Append, CarriedTree, Store } from "./store.ts";

export function maskedStore(store: Store, mask: Mask): Store {
  return {
    id: store.id,
    clock: store.clock,

    start: (runId, start, idempotency) =>
      store.start(runId, mask.value(start), idempotency && mask.value(idempotency)),
    append: (append) => store.append(maskedAppend(append, mask)),
    say: (said) => store.say(mask.value(said)),
    cancel: (runId, request) => store.cancel(runId, mask.value(request)),
    freeze: (runId, freeze) => store.freeze(runId, mask.value(freeze)),
    quarantine: (entry) => store.quarantine(mask.value(entry)),
    putBlob: (text) => store.putBlob(mask.text(text)),

    moveTree: (root, transferId, to) => store.moveTree(root, transferId, to && mask.text(to)),
    settleMove: (root, to, outcome) => store.settleMove(root, mask.text(to), outcome),
    importTree: async (tree) => store.importTree(unmasked(tree, mask)),

    acquire: (runId, worker, lost) => store.acquire(runId, worker, lost),
    release: (...all) => store.release(...all),
    due: (now, limit, of) => store.due(now, limit, of),
    nextDue: () => store.nextDue(),
    heartbeat: (worker, held, card) => store.heartbeat(worker, held, card),
    workers: () => store.workers(),
    driverOf: (runId) => store.driverOf(runId),
    quarantined: () => store.quarantined(),
    run: (runId) => store.run(runId),
    orphans: () => store.orphans(),
    runs: (filter) => store.runs(filter),
    countRuns: (filter) => store.countRuns(filter),
    treeTotals: (roots) => store.treeTotals(roots),
    firstHits: (q, runs) => store.firstHits(q, runs),
    journal: (runId, after, limit) => store.journal(runId, after, limit),
    head: (runId, at) => store.head(runId, at),
    stored: (root, after, limit) => store.stored(root, after, limit),
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
    blob: (hash, of) => store.blob(hash, of),
    // Names that a person chose, and hashes.
    users: store.users,
    outbox: {
      ...store.outbox,
      record: (delivery, retryAt) => store.outbox.record(mask.value(delivery), retryAt),
    },
    prune: (filter) => store.prune(filter),
    close: () => store.close(),
  };
}

/** A chain covers what was written elsewhere, so nothing in it can be masked here: it comes in as it is, or not at all. */
function unmasked(tree: CarriedTree, mask: Mask): CarriedTree {
  const found = tree.events.find(({ text }) => mask.text(text) !== text)?.event;
  const where = found ? `Event ${found.seq} of run ${found.runId}` : "A stored value";
  if (found || [...tree.blobs.values()].some((text) => mask.text(text) !== text))
    throw new CadreError(
      "UNPROCESSABLE",
      `${where} holds a secret of this place, and a journal cannot be changed. Nothing was imported: change the secret, or import elsewhere.`,
    );
  return tree;
}

/** Event by event: those that a driver has folded already are not looked at again. */
function maskedAppend(append: Append, mask: Mask): Append {
  const { events, spawn } = append;
  const masked = events.map((event) => mask.value(event));
  const isClean = masked.every((event, index) => event === events[index]);
  if (isClean && !spawn) return append;
  return { ...append, events: masked, ...(spawn ? { spawn: mask.value(spawn) } : {}) };
}
