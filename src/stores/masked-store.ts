// Wraps a store so that everything written to it is masked first (A61).
// If a group of the store has methods that write, this file lists every method of the group. A new method does not compile until it is listed.

import { CadreError } from "../errors.ts";
import type { JournalEvent } from "../journal/events.ts";
import { type Mask, maskEvent } from "../journal/masking/mask.ts";
import { isFileBlob } from "./hashes.ts";
import type { Append, CarriedTree, Store } from "./store.ts";

export function maskedStore(store: Store, mask: Mask): Store {
  const { runs, journal, leases, blobs, transfers, outbox, triggers } = store;
  return {
    id: store.id,
    clock: store.clock,
    runs: {
      start: (runId, start, idempotency) =>
        runs.start(runId, mask.value(start), idempotency && mask.value(idempotency)),
      say: (message) => runs.say(mask.value(message)),
      cancel: (runId, request) => runs.cancel(runId, mask.value(request)),
      freeze: (runId, freeze) => runs.freeze(runId, mask.value(freeze)),
      get: runs.get,
      list: runs.list,
      count: runs.count,
      firstHits: runs.firstHits,
      sessions: runs.sessions,
      orphans: runs.orphans,
      prune: runs.prune,
    },
    journal: {
      append: (append) => journal.append(maskedAppend(append, mask)),
      read: journal.read,
      head: journal.head,
      readAll: journal.readAll,
      position: journal.position,
      onCommit: journal.onCommit,
    },
    leases: {
      acquire: leases.acquire,
      release: leases.release,
      recordAcquisitions: leases.recordAcquisitions,
      due: leases.due,
      nextDue: leases.nextDue,
      heartbeat: leases.heartbeat,
      workers: leases.workers,
      driverOf: leases.driverOf,
      quarantine: (entry) => leases.quarantine(mask.value(entry)),
      quarantined: leases.quarantined,
    },
    // Masking the bytes of a file would damage it. `loop/attachments/store-files.ts` refuses files that contain a secret as plain text.
    blobs: { put: (text) => blobs.put(mask.text(text)), putFile: blobs.putFile, get: blobs.get },
    transfers: {
      move: (root, transferId, to) => transfers.move(root, transferId, to && mask.text(to)),
      settle: (root, to, outcome) => transfers.settle(root, mask.text(to), outcome),
      import: async (tree) => transfers.import(refuseSecrets(tree, mask)),
      storedEvents: transfers.storedEvents,
    },
    outbox: {
      acquire: outbox.acquire,
      release: outbox.release,
      advance: outbox.advance,
      record: (delivery, retryAt) => outbox.record(mask.value(delivery), retryAt),
      cursors: outbox.cursors,
      deliveries: outbox.deliveries,
    },
    triggers: {
      begin: triggers.begin,
      states: triggers.states,
      advance: triggers.advance,
      pause: triggers.pause,
      claim: (entry) => triggers.claim({ ...entry, payload: mask.text(entry.payload) }),
      settle: (trigger, id, settlement) => triggers.settle(trigger, id, mask.value(settlement)),
      reopen: (trigger, id, payload) => triggers.reopen(trigger, id, mask.text(payload)),
      entry: triggers.entry,
      pending: triggers.pending,
      entries: triggers.entries,
      countSince: triggers.countSince,
    },
    // These methods write only ids, hashes, and names that a person chose.
    inbox: store.inbox,
    usage: store.usage,
    users: store.users,
    close: () => store.close(),
  };
}

/** A tree from another store cannot be masked, because its hash chains cover the text. The tree is imported unchanged, or refused. */
function refuseSecrets(tree: CarriedTree, mask: Mask): CarriedTree {
  const found = tree.events.find((carried) => containsSecret(carried, mask))?.event;
  const where = found ? `Event ${found.seq} of run ${found.runId}` : "A stored value";
  const texts = [...tree.blobs].map(([name, stored]) => (isFileBlob(name) ? plainText(stored) : stored));
  if (found || texts.some((text) => mask.text(text) !== text))
    throw new CadreError(
      "UNPROCESSABLE",
      `${where} contains a secret of this project, and a journal cannot be changed. Nothing was imported: change the secret, or import it elsewhere.`,
    );
  return tree;
}

function containsSecret({ event, text }: CarriedTree["events"][number], mask: Mask): boolean {
  if (mask.text(text) === text) return false;
  const written = JSON.parse(text) as JournalEvent;
  return event.type !== "AGENT_THOUGHT" || maskEvent(written, mask) !== written;
}

/** The bytes of a file as characters, to search them for secrets. */
const plainText = (base64: string): string => Buffer.from(base64, "base64").toString("latin1");

/** Masks each event. Returns the same append if it contains no secret. */
function maskedAppend(append: Append, mask: Mask): Append {
  const { events, spawn } = append;
  const masked = events.map((event) => maskEvent(event, mask));
  const isClean = masked.every((event, index) => event === events[index]);
  if (isClean && !spawn) return append;
  return { ...append, events: masked, ...(spawn ? { spawn: mask.value(spawn) } : {}) };
}
