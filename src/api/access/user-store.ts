// A store as one person sees it: another's runs are not there, whatever is asked for and by whichever id (A23). Every route
// of a named user is given this one, so none can forget to look whose something is. What a route has no business with is
// refused: a store that gains another way in does not fit here until somebody has thought about whose things come by it.

import { CadreError, runNotFound } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { CommitListener, Store, WorkerRow } from "../../stores/store.ts";

/** Runs whose user is remembered: those that something happened to last. */
const MAX_KNOWN = 5_000;

export function userStore(store: Store, user: string): Store {
  const isOwn = async (runId: RunId): Promise<boolean> => (await store.run(runId))?.userId === user;
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
    ...refusing,
    get users() {
      return refuse();
    },
    get outbox() {
      return refuse();
    },

    append: (append) => onOwn(append.runId, () => store.append(append)),
    cancel: (runId, request) => onOwn(runId, () => store.cancel(runId, request)),
    freeze: (runId, freeze) => onOwn(runId, () => store.freeze(runId, freeze)),

    run: async (runId) => {
      const row = await store.run(runId);
      return row?.userId === user ? row : undefined;
    },
    runs: (filter) => store.runs({ ...filter, user }),
    countRuns: (filter) => store.countRuns({ ...filter, user }),
    treeTotals: async (roots) => store.treeTotals(await mine(roots, (id) => id)),
    firstHits: async (q, runs) => store.firstHits(q, await mine(runs, (id) => id)),
    async treeUsages(filter) {
      const { trees, nextCursor } = await store.treeUsages(filter);
      return { trees: await mine(trees, ({ top }) => top), nextCursor };
    },
    sessions: (filter) => store.sessions({ ...filter, user }),
    messages: (filter) => store.messages({ ...filter, user }),
    journal: (runId, ...rest) => ifOwn(runId, () => store.journal(runId, ...rest), []),
    head: (runId, at) => ifOwn(runId, () => store.head(runId, at), undefined),
    stored: (root, ...rest) => ifOwn(root, () => store.stored(root, ...rest), []),
    moveTree: (root, ...rest) => onOwn(root, () => store.moveTree(root, ...rest)),
    settleMove: (root, ...rest) => onOwn(root, () => store.settleMove(root, ...rest)),
    async read(after, limit, of = {}) {
      const named = of.run ?? of.root;
      if (named === undefined) return store.read(after, limit, { user });
      return ifOwn(named, () => store.read(after, limit, of), []);
    },
    async openApprovals(filter = {}) {
      const named = filter.run ?? filter.root;
      if (named === undefined) return store.openApprovals({ user });
      return ifOwn(named, () => store.openApprovals(filter), []);
    },
    grants: async () => mine(await store.grants(), ({ runId }) => runId),
    async revokeGrant(id) {
      const own = (await mine(await store.grants(), ({ runId }) => runId)).some((grant) => grant.id === id);
      return own && store.revokeGrant(id);
    },
    quarantined: async () => mine(await store.quarantined(), ({ runId }) => runId),
    blob: (hash) => store.blob(hash, { user }),
    workers: async () => Promise.all((await store.workers()).map(ownHolds)),
    due: async (...asked) => mine(await store.due(...asked), (id) => id),
    driverOf: (runId) => ifOwn(runId, () => store.driverOf(runId), undefined),
    position: () => store.position(),
    onCommit: (listener) => store.onCommit(onlyOwn(store, user, listener)),
  };
}

/** Passes on what happened to this person's runs, in order. Whose a run is stands in its first event, or is looked up. */
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
    // What is due is nobody's to know, and nothing to look for.
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
      // Whoever reads comes again by position.
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
  tell: (row: { id: RunId; userId: string | undefined }) => void,
): Promise<void> {
  for (const row of await Promise.all(runIds.map((runId) => store.run(runId)))) if (row) tell(row);
}

/** Of those who drive, and of those who administer. */
const refusing = {
  start: refuse,
  say: refuse,
  importTree: refuse,
  putBlob: refuse,
  acquire: refuse,
  release: refuse,
  nextDue: refuse,
  heartbeat: refuse,
  quarantine: refuse,
  orphans: refuse,
  totals: refuse,
  prune: refuse,
  close: refuse,
};

function refuse(): never {
  throw new CadreError("FORBIDDEN", "This is not for a named user. Nothing was changed.");
}
