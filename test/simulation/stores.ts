// The store as a simulated worker, or a person, meets it: what they were told is kept in mind, the breakage stands in
// between, and the gate decides when anything reaches the real one.

import type { Store } from "../../src/stores/store.ts";
import { Gate } from "./gate.ts";
import type { SimProcess, Surroundings } from "./surroundings.ts";

/** Around everything: what the loop was told, against what is so. Then the breakage, if any; then the gate. */
export function workerStore(worker: SimProcess, world: Surroundings): Store {
  const inner = watchedStore(worker.gate, world);
  return {
    ...inner,
    async append(append) {
      const answer = await inner.append(append);
      for (const { type, payload } of answer.refused ? [] : append.events) {
        if (type !== "MODEL_CALL_STARTED") continue;
        const { callId, attempt = 1 } = payload;
        worker.intents.set(append.runId, { runId: append.runId, callId, attempt });
      }
      return answer;
    },
  };
}

/** For people: nothing holds them up. */
export function deskStore(world: Surroundings): Store {
  const gate = new Gate(world.random, world.options, world.onActivity);
  gate.open = true;
  return watchedStore(gate, world);
}

function watchedStore(gate: Gate, world: Surroundings): Store {
  const gated = gatedStore(gate, world);
  const inner = world.mutant.store?.(gated, world) ?? gated;
  return {
    ...inner,
    async append(append) {
      const answer = await inner.append(append);
      world.watch.answered(append, answer);
      return answer;
    },
  };
}

function gatedStore(gate: Gate, { store }: Surroundings): Store {
  const write = <T>(label: string, call: (to: Store) => Promise<T>) =>
    gate.pass("write", label, () => call(store()));
  const read = <T>(label: string, call: (from: Store) => Promise<T>) =>
    gate.pass("read", label, () => call(store()));
  return {
    id: "simulated",
    get clock() {
      return store().clock;
    },
    append: (append) =>
      write(`append ${append.events.map(({ type }) => type).join(",")}`, (to) => to.append(append)),
    acquire: (runId, ...how) => write(`acquire ${runId}`, (to) => to.acquire(runId, ...how)),
    release: (runId, ...how) => write(`let go ${runId}`, (to) => to.release(runId, ...how)),
    start: (...all) => write("start", (to) => to.start(...all)),
    say: (said) => write("say", (to) => to.say(said)),
    cancel: (...all) => write("cancel", (to) => to.cancel(...all)),
    freeze: (...all) => write("freeze", (to) => to.freeze(...all)),
    heartbeat: (...all) => write("heartbeat", (to) => to.heartbeat(...all)),
    quarantine: (entry) => write("quarantine", (to) => to.quarantine(entry)),
    revokeGrant: (id) => write("revoke", (to) => to.revokeGrant(id)),
    prune: (filter) => write("prune", (to) => to.prune(filter)),
    moveTree: (...all) => write("move", (to) => to.moveTree(...all)),
    settleMove: (...all) => write("settle", (to) => to.settleMove(...all)),
    importTree: (tree) => write("import", (to) => to.importTree(tree)),
    putBlob: (text) => write("put blob", (to) => to.putBlob(text)),
    due: (...all) => read("due", (from) => from.due(...all)),
    nextDue: () => read("next due", (from) => from.nextDue()),
    workers: () => read("workers", (from) => from.workers()),
    driverOf: (runId) => read("driver", (from) => from.driverOf(runId)),
    quarantined: () => read("quarantined", (from) => from.quarantined()),
    orphans: () => read("orphans", (from) => from.orphans()),
    run: (runId) => read("row", (from) => from.run(runId)),
    runs: (filter) => read("rows", (from) => from.runs(filter)),
    countRuns: (filter) => read("count", (from) => from.countRuns(filter)),
    treeTotals: (roots) => read("trees", (from) => from.treeTotals(roots)),
    firstHits: (...all) => read("hits", (from) => from.firstHits(...all)),
    sessions: (filter) => read("sessions", (from) => from.sessions(filter)),
    totals: () => read("totals", (from) => from.totals()),
    journal: (...all) => read("journal", (from) => from.journal(...all)),
    head: (runId) => read("head", (from) => from.head(runId)),
    stored: (...all) => read("stored", (from) => from.stored(...all)),
    read: (...all) => read("read", (from) => from.read(...all)),
    messages: (filter) => read("messages", (from) => from.messages(filter)),
    treeUsages: (filter) => read("usage", (from) => from.treeUsages(filter)),
    position: () => read("position", (from) => from.position()),
    openApprovals: (filter) => read("approvals", (from) => from.openApprovals(filter)),
    grants: () => read("grants", (from) => from.grants()),
    blob: (...all) => read("blob", (from) => from.blob(...all)),
    get users() {
      return store().users;
    },
    get outbox() {
      return store().outbox;
    },
    onCommit: (listener) => store().onCommit(listener),
    close: async () => {},
  };
}
