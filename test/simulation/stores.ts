// The store that a simulated worker or person uses.
// Three layers wrap the real store. The outer layer records every acknowledgement, and the middle layer is the mutant.
// The inner layer is the gate, which decides when an operation reaches the real store.

import type { Store } from "../../src/stores/store.ts";
import { withAppend } from "./breaking.ts";
import { Gate } from "./gate.ts";
import type { SimProcess, Surroundings } from "./surroundings.ts";

/** Adds the layers around the store. The outermost layer checks the store's answers, then comes the mutant (if any), then the gate. */
export function workerStore(worker: SimProcess, world: Surroundings): Store {
  const inner = watchedStore(worker.gate, world);
  return withAppend(inner, async (append) => {
    const answer = await inner.journal.append(append);
    for (const { type, payload } of answer.refused ? [] : append.events) {
      if (type !== "MODEL_CALL_STARTED") continue;
      const { callId, attempt = 1 } = payload;
      worker.intents.set(append.runId, { runId: append.runId, callId, attempt });
    }
    return answer;
  });
}

/** The store for people. The gate never delays their operations. */
export function deskStore(world: Surroundings): Store {
  const gate = new Gate(world.random, world.options, world.onActivity);
  gate.open = true;
  return watchedStore(gate, world);
}

function watchedStore(gate: Gate, world: Surroundings): Store {
  const gated = gatedStore(gate, world);
  const inner = world.mutant.store?.(gated, world) ?? gated;
  return withAppend(inner, async (append) => {
    const answer = await inner.journal.append(append);
    world.watch.answered(append, answer);
    return answer;
  });
}

function gatedStore(gate: Gate, { store, watch }: Surroundings): Store {
  const write = <T>(label: string, call: (to: Store) => Promise<T>) =>
    gate.pass("write", label, () => call(store()));
  const read = <T>(label: string, call: (from: Store) => Promise<T>) =>
    gate.pass("read", label, () => call(store()));
  return {
    id: "simulated",
    get clock() {
      return store().clock;
    },
    runs: {
      start: (...all) => write("start", (to) => to.runs.start(...all)),
      say: (said) => write("say", (to) => to.runs.say(said)),
      cancel: (...all) => write("cancel", (to) => to.runs.cancel(...all)),
      freeze: (...all) => write("freeze", (to) => to.runs.freeze(...all)),
      get: (runId) => read("row", (from) => from.runs.get(runId)),
      list: (filter) => read("rows", (from) => from.runs.list(filter)),
      count: (filter) => read("count", (from) => from.runs.count(filter)),
      firstHits: (...all) => read("hits", (from) => from.runs.firstHits(...all)),
      sessions: (filter) => read("sessions", (from) => from.runs.sessions(filter)),
      orphans: () => read("orphans", (from) => from.runs.orphans()),
      prune: (filter) => write("prune", (to) => to.runs.prune(filter)),
    },
    journal: {
      append: (append) =>
        write(`append ${append.events.map(({ type }) => type).join(",")}`, (to) => to.journal.append(append)),
      read: (...all) => read("journal", (from) => from.journal.read(...all)),
      head: (runId) => read("head", (from) => from.journal.head(runId)),
      readAll: (...all) => read("read", (from) => from.journal.readAll(...all)),
      position: () => read("position", (from) => from.journal.position()),
      onCommit: (listener) => store().journal.onCommit(listener),
    },
    leases: {
      acquire: (runId, ...how) => write(`acquire ${runId}`, (to) => to.leases.acquire(runId, ...how)),
      release: (runId, ...how) => write(`let go ${runId}`, (to) => to.leases.release(runId, ...how)),
      recordAcquisitions: (runId, ...how) =>
        // The watcher learns of the write here, because a crash can lose the write's answer.
        write(`count ${runId}`, async (to) => {
          await to.leases.recordAcquisitions(runId, ...how);
          watch.drivenAlone(runId);
        }),
      heartbeat: (...all) => write("heartbeat", (to) => to.leases.heartbeat(...all)),
      due: (...all) => read("due", (from) => from.leases.due(...all)),
      nextDue: () => read("next due", (from) => from.leases.nextDue()),
      workers: () => read("workers", (from) => from.leases.workers()),
      driverOf: (runId) => read("driver", (from) => from.leases.driverOf(runId)),
      quarantine: (entry) => write("quarantine", (to) => to.leases.quarantine(entry)),
      quarantined: () => read("quarantined", (from) => from.leases.quarantined()),
    },
    inbox: {
      openItems: (filter) => read("approvals", (from) => from.inbox.openItems(filter)),
      decisions: (filter) => read("decisions", (from) => from.inbox.decisions(filter)),
      grants: () => read("grants", (from) => from.inbox.grants()),
      revokeGrant: (id) => write("revoke", (to) => to.inbox.revokeGrant(id)),
    },
    blobs: {
      put: (text) => write("put blob", (to) => to.blobs.put(text)),
      putFile: (bytes) => write("put file", (to) => to.blobs.putFile(bytes)),
      get: (...all) => read("blob", (from) => from.blobs.get(...all)),
    },
    usage: {
      totals: () => read("totals", (from) => from.usage.totals()),
      treeTotals: (roots) => read("trees", (from) => from.usage.treeTotals(roots)),
      trees: (filter) => read("usage", (from) => from.usage.trees(filter)),
      messages: (filter) => read("messages", (from) => from.usage.messages(filter)),
    },
    transfers: {
      move: (...all) => write("move", (to) => to.transfers.move(...all)),
      settle: (...all) => write("settle", (to) => to.transfers.settle(...all)),
      import: (tree) => write("import", (to) => to.transfers.import(tree)),
      storedEvents: (...all) => read("stored", (from) => from.transfers.storedEvents(...all)),
    },
    get users() {
      return store().users;
    },
    get outbox() {
      return store().outbox;
    },
    get triggers() {
      return store().triggers;
    },
    close: async () => {},
  };
}
