// Moves a tree out of this store, or imports a tree (E7). Each operation is one transaction.

import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { EventBody, JournalEvent, UnjournaledState } from "../../journal/events.ts";
import { DUE_ON_ARRIVAL, type RunRecord } from "../run-record.ts";
import type { CarriedTree, MovedTree, MoveOutcome } from "../store.ts";
import {
  admitRun,
  ask,
  findRun,
  journalAfter,
  loadRun,
  type Steps,
  type Transaction,
} from "./transaction.ts";
import { placeEvent, signal, updateItems } from "./write-events.ts";

export function* moveTree(
  tx: Transaction,
  root: RunId,
  transferId: string,
  to: string | undefined,
): Steps<MovedTree> {
  // Parents come first. A parent that has already moved gets no event about the end of a child.
  const runs = yield* recordsOfTree(tx, root);
  if (runs.length === 0) throw new CadreError("NOT_FOUND", `There is no tree ${root}.`);
  refuseIfAtWork(runs, tx.now);
  refuseIfShared(root, yield* ask(tx.queries.otherPayees(root)));
  for (const record of runs) {
    if (record.row.endedAt !== undefined) continue;
    yield* signal(tx, record, [movedEvent(transferId, yield* ask(tx.queries.unjournaledState(record)))]);
  }
  const tree = yield* readMove(tx, runs);
  if (tree.transferId === undefined) return tree;
  const sent = yield* ask(tx.queries.sentTo(tree.transferId));
  if (sent) refuseSecondTarget(root, sent, to);
  if (to !== undefined) yield* ask(tx.queries.noteSent(tree.transferId, to));
  return sent ? { ...tree, sentTo: sent.target } : tree;
}

function* recordsOfTree(tx: Transaction, root: RunId): Steps<RunRecord[]> {
  const ids = yield* ask(tx.queries.runsOfTree(root));
  yield* ask(tx.queries.prefetch({ keys: ids }));
  const records: RunRecord[] = [];
  for (const id of ids) records.push(yield* loadRun(tx, id));
  return records;
}

const movedEvent = (transferId: string, standing: UnjournaledState): EventBody => ({
  type: "RUN_MOVED",
  payload: Object.keys(standing).length === 0 ? { transferId } : { transferId, standing },
});

/** Reads the transfer from the last event of every run. */
function* readMove(tx: Transaction, runs: readonly RunRecord[]): Steps<MovedTree> {
  const last: JournalEvent[] = [];
  for (const record of runs) last.push(...(yield* journalAfter(tx, record, record.row.seq - 1)));
  const moved = last.flatMap((event) => (event.type === "RUN_MOVED" ? [event] : []));
  return {
    transferId: moved[0]?.payload.transferId,
    standing: moved.flatMap(({ runId, payload: { standing } }) => (standing ? [{ runId, standing }] : [])),
  };
}

/** If a run were still at work, the tree would continue in both stores. */
function refuseIfAtWork(runs: readonly RunRecord[], now: number): void {
  const busy = runs.find((record) => !isAtRest(record, now));
  if (!busy) return;
  throw new CadreError(
    "CONFLICT",
    `Run ${busy.row.id} (${busy.row.agent}) is at work or about to be. Nothing was moved: wait until the tree rests (\`cadre freeze ${busy.row.rootRunId}\` brings it to rest if a process drives it), or cancel it, and export it then.`,
    { runId: busy.row.id },
  );
}

function isAtRest({ row, worker, dueAt, previousUntil = 0 }: RunRecord, now: number): boolean {
  if (row.endedAt !== undefined) return true;
  // An earlier worker might still be busy in this store with a call that would start again in the other store.
  if (previousUntil > now) return false;
  return worker === undefined && (dueAt === undefined || dueAt === DUE_ON_ARRIVAL || dueAt > now);
}

/** Other trees draw on this tree's budget. After the move, both stores would spend the same budget. */
function refuseIfShared(payer: RunId, others: readonly RunId[]): void {
  if (others.length === 0) return;
  throw new CadreError(
    "CONFLICT",
    `Run ${others[0]} draws on the budget of ${payer} and has not ended. Nothing was moved: wait for it, or cancel it, and export then.`,
    { runs: others },
  );
}

/** A tree that is sent to a second server could continue in two stores. */
function refuseSecondTarget(
  root: RunId,
  { target, hasArrived }: { target: string; hasArrived: boolean },
  to: string | undefined,
): void {
  if (hasArrived)
    throw new CadreError(
      "CONFLICT",
      `${root} was moved to ${target} already, and goes on there. Nothing was sent or written: look for it there, and export it there to move it on.`,
      { to: target },
    );
  if (to === undefined || to === target) return;
  throw new CadreError(
    "CONFLICT",
    `${root} was sent to ${target}, and whether it has arrived there is not known. Nothing was sent to ${to}, or it could go on in both. Ask again with --to ${target}; if it is not there, \`cadre export --format cadre ${root}\` writes the file to import elsewhere.`,
    { to: target },
  );
}

export function* settleMove(tx: Transaction, root: RunId, to: string, outcome: MoveOutcome): Steps<void> {
  const { transferId } = yield* readMove(tx, yield* recordsOfTree(tx, root));
  if (transferId === undefined) return;
  if (outcome === "refused") yield* ask(tx.queries.takeBackSent(transferId, to));
  else yield* ask(tx.queries.noteArrival(transferId, to, tx.now));
}

export function* importTree(tx: Transaction, tree: CarriedTree): Steps<{ root: RunId; existed: boolean }> {
  const { queries } = tx;
  const known = yield* ask(queries.importedRoot(tree.transferId));
  if (known !== undefined) return { root: known, existed: true };
  const sent = yield* ask(queries.sentTo(tree.transferId));
  if (sent?.hasArrived) throw alreadyMoved(sent.target);
  const heads = new Map(tree.events.map(({ event, hash }) => [event.runId, hash]));
  yield* ask(queries.prefetch({ rows: [...heads.keys()] }));
  const here = new Set<RunId>();
  for (const [runId, hash] of heads) {
    const record = yield* findRun(tx, runId);
    if (record && isSame(record, hash)) here.add(runId);
  }
  for (const [name, stored] of tree.blobs) yield* ask(queries.putBlob(name, stored));
  for (const carried of tree.events) if (!here.has(carried.event.runId)) yield* importEvent(tx, carried);
  for (const [runId, standing] of tree.standing)
    if (!here.has(runId)) yield* restoreUnjournaled(tx, yield* loadRun(tx, runId), standing);
  yield* ask(queries.noteImport(tree.transferId, tree.root));
  return { root: tree.root, existed: here.size === heads.size };
}

/** The error for an old file whose tree has moved to another store. After an import, the tree would continue in both stores. */
const alreadyMoved = (target: string): CadreError =>
  new CadreError(
    "CONFLICT",
    `The tree of this file was moved from here to ${target}, and goes on there. Nothing was imported: to have it back, export it there.`,
    { to: target },
  );

/** Whether this store already has the run with the same journal. */
function isSame({ hash: known, row: { id, rootRunId, stopReason } }: RunRecord, hash: string): boolean {
  if (known === hash) return true;
  const why =
    stopReason === "moved"
      ? `It was moved away from here; \`cadre prune --run ${rootRunId}\` makes room for it.`
      : "A journal has one continuation: look which of the two is the right one.";
  throw new CadreError("CONFLICT", `There is another run ${id} here already. Nothing was imported. ${why}`, {
    runId: id,
  });
}

function* importEvent(tx: Transaction, carried: CarriedTree["events"][number]): Steps<void> {
  const { event, ...stored } = carried;
  const { runId, ts } = event;
  const isFirst = event.type === "RUN_STARTED";
  const record = isFirst ? yield* admitRun(tx, runId, event.payload, { at: ts }) : yield* loadRun(tx, runId);
  if (isFirst) record.dueAt = DUE_ON_ARRIVAL;
  const placed = { ...event, position: tx.position + 1 };
  yield* placeEvent(tx, record, placed, stored);
  yield* updateItems(tx, record, placed);
  record.lastSignal = record.row.seq;
  tx.queries.touch(record);
}

function* restoreUnjournaled(
  tx: Transaction,
  record: RunRecord,
  { claims = [], grants = [], budget }: UnjournaledState,
): Steps<void> {
  const { id, rootRunId } = record.row;
  for (const path of claims) yield* ask(tx.queries.claim(rootRunId, path, id));
  for (const grant of grants) yield* ask(tx.queries.addGrant(record, { ...grant, scope: "tree" }));
  if (budget) yield* ask(tx.queries.raiseBudget(id, budget));
  tx.grantsChanged = true;
}
