// The operations of a store that write. Each operation is a transaction, and lists the runs that it will need.

import type { Store } from "../store.ts";
import { append } from "./append.ts";
import { cancelBranch, freezeBranch, quarantineRun } from "./branch.ts";
import { acquireRun, heartbeat, recordAcquisitions, releaseRun } from "./leases.ts";
import { type PruneParts, prune } from "./prune.ts";
import type { Needs } from "./queries.ts";
import { say, startRun } from "./start.ts";
import { ask, type Steps, type Transaction } from "./transaction.ts";
import { importTree, moveTree, settleMove } from "./transfer.ts";

/** Executes a piece of work in the next commit. A store on a network first reads everything that the work needs in one round trip. */
export type Write = <T>(work: (tx: Transaction) => Steps<T>, needs?: Needs) => Promise<T>;

export function createOperations(write: Write, pruning: Pick<PruneParts, "read" | "treesPerCommit">) {
  return {
    runs: {
      start: (runId, start, idempotency) =>
        write((tx) => startRun(tx, runId, start, idempotency), {
          keys: [runId],
          rows: start.parentRunId === undefined ? [] : [start.parentRunId],
        }),
      say: (message) => write((tx) => say(tx, message)),
      cancel: (runId, request) => write((tx) => cancelBranch(tx, runId, request), { keys: [runId] }),
      freeze: (runId, freeze) => write((tx) => freezeBranch(tx, runId, freeze), { keys: [runId] }),
      prune: (filter) => prune(filter, { ...pruning, write }),
    } satisfies Partial<Store["runs"]>,
    journal: {
      append: (request) => write((tx) => append(tx, request), { keys: [request.runId] }),
    } satisfies Partial<Store["journal"]>,
    leases: {
      acquire: (runId, worker, lost) => write((tx) => acquireRun(tx, runId, worker, lost), { rows: [runId] }),
      release: (runId, writer, rest) => write((tx) => releaseRun(tx, runId, writer, rest), { rows: [runId] }),
      recordAcquisitions: (runId, writer, count) =>
        write((tx) => recordAcquisitions(tx, runId, writer, count), { rows: [runId] }),
      heartbeat: (worker, holds, card) =>
        write((tx) => heartbeat(tx, worker, holds, { card }), { rows: holds.map(({ runId }) => runId) }),
      quarantine: (entry) => write((tx) => quarantineRun(tx, entry), { rows: [entry.runId] }),
    } satisfies Partial<Store["leases"]>,
    inbox: {
      revokeGrant: (id) =>
        write(function* (tx) {
          tx.grantsChanged = true;
          return (yield* ask(tx.queries.deleteGrant(id))) > 0;
        }),
    } satisfies Partial<Store["inbox"]>,
    transfers: {
      move: (root, transferId, to) => write((tx) => moveTree(tx, root, transferId, to)),
      settle: (root, to, outcome) => write((tx) => settleMove(tx, root, to, outcome)),
      import: (tree) => write((tx) => importTree(tx, tree)),
    } satisfies Partial<Store["transfers"]>,
  };
}
