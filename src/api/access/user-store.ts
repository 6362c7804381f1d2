// The store as one user sees it. Other users' runs seem not to exist, no matter how they are requested (A23).
// All routes of a named user get this store, so no route can forget the check. The store refuses functions that routes do not need.
// If a member is added to `Store`, this file does not compile until the member's check is written.

import { CadreError, runNotFound } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { CommitListener, Store, WorkerRow } from "../../stores/store.ts";

/** Maximum number of runs whose owner is cached. */
const MAX_KNOWN = 5_000;

export function userStore(store: Store, user: string): Store {
  const isOwn = async (runId: RunId): Promise<boolean> => (await store.runs.get(runId))?.userId === user;
  const ifOwn = async <T, E>(runId: RunId, read: () => Promise<T>, otherwise: E): Promise<T | E> =>
    (await isOwn(runId)) ? read() : otherwise;
  const onOwn = async <T>(runId: RunId, write: () => Promise<T>): Promise<T> => {
    if (!(await isOwn(runId))) throw runNotFound(runId);
    return write();
  };
  const mine = async <T>(all: readonly T[], idOf: (one: T) => RunId): Promise<T[]> => {
    const own = await Promise.all(all.map((one) => isOwn(idOf(one))));
    return all.filter((_, index) => own[index]);
  };
  const ownHolds = async (worker: WorkerRow) => ({ ...worker, holds: await mine(worker.holds, (id) => id) });
  return {
    id: store.id,
    clock: store.clock,
    runs: {
      cancel: (runId, request) => onOwn(runId, () => store.runs.cancel(runId, request)),
      freeze: (runId, freeze) => onOwn(runId, () => store.runs.freeze(runId, freeze)),
      async get(runId) {
        const row = await store.runs.get(runId);
        return row?.userId === user ? row : undefined;
      },
      list: (filter) => store.runs.list({ ...filter, user }),
      count: (filter) => store.runs.count({ ...filter, user }),
      firstHits: async (q, runs) => store.runs.firstHits(q, await mine(runs, (id) => id)),
      sessions: (filter) => store.runs.sessions({ ...filter, user }),
      start: refuse,
      say: refuse,
      orphans: refuse,
      prune: refuse,
    },
    journal: {
      append: (append) => onOwn(append.runId, () => store.journal.append(append)),
      read: (runId, ...rest) => ifOwn(runId, () => store.journal.read(runId, ...rest), []),
      head: (runId, at) => ifOwn(runId, () => store.journal.head(runId, at), undefined),
      async readAll(after, limit, of = {}) {
        const wantedRun = of.run ?? of.root;
        if (wantedRun === undefined) return store.journal.readAll(after, limit, { user });
        return ifOwn(wantedRun, () => store.journal.readAll(after, limit, of), []);
      },
      position: () => store.journal.position(),
      onCommit: (listener) => store.journal.onCommit(onlyOwn(store, user, listener)),
    },
    leases: {
      due: async (...asked) => mine(await store.leases.due(...asked), (id) => id),
      workers: async () => Promise.all((await store.leases.workers()).map(ownHolds)),
      driverOf: (runId) => ifOwn(runId, () => store.leases.driverOf(runId), undefined),
      quarantined: async () => mine(await store.leases.quarantined(), ({ runId }) => runId),
      acquire: refuse,
      release: refuse,
      nextDue: refuse,
      heartbeat: refuse,
      recordAcquisitions: refuse,
      quarantine: refuse,
    },
    inbox: {
      async openItems(filter = {}) {
        const wantedRun = filter.run ?? filter.root;
        if (wantedRun === undefined) return store.inbox.openItems({ user });
        return ifOwn(wantedRun, () => store.inbox.openItems(filter), []);
      },
      decisions: (filter) => store.inbox.decisions({ ...filter, user }),
      grants: async () => mine(await store.inbox.grants(), ({ runId }) => runId),
      async revokeGrant(id) {
        const grants = await mine(await store.inbox.grants(), ({ runId }) => runId);
        return grants.some((grant) => grant.id === id) && store.inbox.revokeGrant(id);
      },
    },
    blobs: { get: (hash) => store.blobs.get(hash, { user }), put: refuse, putFile: store.blobs.putFile },
    usage: {
      treeTotals: async (roots) => store.usage.treeTotals(await mine(roots, (id) => id)),
      async trees(filter) {
        const { trees, nextCursor } = await store.usage.trees(filter);
        return { trees: await mine(trees, ({ top }) => top), nextCursor };
      },
      messages: (filter) => store.usage.messages({ ...filter, user }),
      totals: refuse,
    },
    transfers: {
      move: (root, ...rest) => onOwn(root, () => store.transfers.move(root, ...rest)),
      settle: (root, ...rest) => onOwn(root, () => store.transfers.settle(root, ...rest)),
      storedEvents: (root, ...rest) => ifOwn(root, () => store.transfers.storedEvents(root, ...rest), []),
      import: refuse,
    },
    get users() {
      return refuse();
    },
    get outbox() {
      return refuse();
    },
    get triggers() {
      return refuse();
    },
    close: refuse,
  };
}

/** Passes on the events of this user's runs, in order. A run's first event names its owner. For other events the owner is looked up. */
function onlyOwn(store: Store, user: string, listener: CommitListener): CommitListener {
  const known = new Map<RunId, boolean>();
  let before: Promise<void> | undefined;
  const remember = (runId: RunId, isOwn: boolean): void => {
    known.set(runId, isOwn);
    if (known.size > MAX_KNOWN) known.delete(known.keys().next().value!);
  };
  const tell: CommitListener = (events, woken, from) => {
    const own = events.filter(({ runId }) => known.get(runId));
    if (own.length > 0 || events.length === 0) listener(own, woken, from);
  };
  return (events, woken, from) => {
    // A batch without events only lists due runs. Named users do not get such batches.
    if (events.length === 0 && woken.length > 0) return;
    for (const event of events)
      if (event.type === "RUN_STARTED") remember(event.runId, event.payload.userId === user);
    const unknown = [...new Set(events.map(({ runId }) => runId))].filter((runId) => !known.has(runId));
    if (unknown.length === 0 && !before) {
      tell(events, [], from);
      return;
    }
    const turn = Promise.all([before, learn(store, unknown, (row) => remember(row.id, row.userId === user))])
      .then(() => tell(events, [], from))
      // An empty batch tells readers to read the missed events from the store.
      .catch(() => listener([], [], from))
      .then(() => {
        if (before === turn) before = undefined;
      });
    before = turn;
  };
}

async function learn(
  store: Store,
  runIds: readonly RunId[],
  tell: (row: { id: RunId; userId?: string | undefined }) => void,
): Promise<void> {
  for (const row of await Promise.all(runIds.map((runId) => store.runs.get(runId)))) if (row) tell(row);
}

/** Refuses functions that only drivers and administrators need. */
function refuse(): never {
  throw new CadreError("FORBIDDEN", "This is not for a named user. Nothing was changed.");
}
