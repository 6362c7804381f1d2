// A tree that leaves for another store, or comes from one (E7). Each is one transaction.

import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { UnjournaledState } from "../../journal/events.ts";
import { type RunRecord, wholeMs } from "../run-record.ts";
import type { CarriedTree, MovedTree, MoveOutcome } from "../store.ts";
import {
  DUE_ON_ARRIVAL,
  headsOf,
  isAlreadyHere,
  movedEvent,
  movedTree,
  readSent,
  readStanding,
  refuseIfArrived,
  refuseIfAtWork,
  refuseIfShared,
  refuseSecondTarget,
  type SentTree,
} from "../transaction/transfer-rules.ts";
import type { Batch } from "./batch.ts";
import { updateItems } from "./inbox.ts";
import type { Sql } from "./sql.ts";

interface Parts {
  sql: Sql;
  batch: Batch;
}

export function moveTree(
  root: RunId,
  { transferId, to }: { transferId: string; to: string | undefined },
  { sql, batch }: Parts,
): MovedTree {
  batch.writeRows();
  // Parents first: one that has gone hears nothing of its children.
  const runs = idsOf(sql, RUNS_OF, root).map((id) => batch.load(id));
  if (runs.length === 0) throw new CadreError("NOT_FOUND", `There is no tree ${root}.`);
  refuseIfAtWork(runs, batch.now);
  refuseIfShared(root, idsOf(sql, OTHER_PAYERS, root));
  for (const held of runs) {
    if (held.row.endedAt !== undefined) continue;
    batch.signal(held, [movedEvent(transferId, standingOf(sql, held))]);
  }
  return sendTo(sql, root, { to, ...lastWords(runs, batch) });
}

const lastWords = (runs: readonly RunRecord[], batch: Batch): MovedTree =>
  movedTree(runs.flatMap((held) => batch.journalAfter(held, held.row.seq - 1)));

function sendTo(sql: Sql, root: RunId, { to, ...tree }: MovedTree & { to: string | undefined }): MovedTree {
  const { transferId } = tree;
  if (transferId === undefined) return tree;
  const sent = whereSent(sql, transferId);
  refuseSecondTarget(root, sent, to);
  if (to !== undefined) sql.run(SEND, transferId, to);
  return { ...tree, ...(sent ? { sentTo: sent.target } : {}) };
}

const whereSent = (sql: Sql, transferId: string): SentTree | undefined =>
  readSent(sql.get("SELECT place, arrived_at FROM sent WHERE transfer = ?", transferId));

export function settleMove(
  root: RunId,
  { to, outcome }: { to: string; outcome: MoveOutcome },
  { sql, batch }: Parts,
): void {
  const runs = idsOf(sql, RUNS_OF, root).map((id) => batch.load(id));
  const { transferId } = lastWords(runs, batch);
  if (transferId === undefined) return;
  if (outcome === "refused") sql.run(TAKE_BACK, transferId, to);
  else sql.run(ARRIVE, batch.now, transferId, to);
}

const idsOf = (sql: Sql, text: string, root: RunId): RunId[] =>
  sql.all(text, root).map(({ id }) => id as RunId);

function standingOf(sql: Sql, { n, row }: RunRecord): UnjournaledState {
  return readStanding({
    claims: sql.all("SELECT path FROM claims WHERE run = ? ORDER BY path", row.id),
    grants: sql.all("SELECT * FROM grants WHERE run = ? AND scope = 'tree' ORDER BY id", n),
    budget: sql.get("SELECT max_tokens, max_cost FROM budgets WHERE root = ?", row.id),
  });
}

export function importTree(tree: CarriedTree, { sql, batch }: Parts): { root: RunId; existed: boolean } {
  const known = sql.get("SELECT root FROM transfers WHERE id = ?", tree.transferId);
  if (known) return { root: known["root"] as RunId, existed: true };
  refuseIfArrived(whereSent(sql, tree.transferId));
  const here = new Set<RunId>();
  const heads = headsOf(tree);
  for (const [runId, hash] of heads) {
    const held = batch.find(runId);
    if (held && isAlreadyHere(held, hash)) here.add(runId);
  }
  for (const [name, stored] of tree.blobs) batch.statements.putBlob.run(name, stored);
  for (const carried of tree.events) if (!here.has(carried.event.runId)) takeIn(batch, carried);
  for (const [runId, standing] of tree.standing)
    if (!here.has(runId)) restoreStanding(batch, batch.load(runId), standing);
  sql.run("INSERT INTO transfers (id, root) VALUES (?, ?)", tree.transferId, tree.root);
  return { root: tree.root, existed: here.size === heads.size };
}

function takeIn(batch: Batch, { event, ...stored }: CarriedTree["events"][number]): void {
  const { runId, ts } = event;
  const held = event.type === "RUN_STARTED" ? batch.admitted(runId, event.payload, ts) : batch.load(runId);
  if (event.type === "RUN_STARTED") held.dueAt = DUE_ON_ARRIVAL;
  const placed = { ...event, position: batch.position + 1 };
  batch.place(held, placed, stored);
  updateItems(batch.statements, held, placed);
  held.lastSignal = held.row.seq;
  batch.touch(held);
}

function restoreStanding(batch: Batch, held: RunRecord, { claims, grants, budget }: UnjournaledState): void {
  const { statements } = batch;
  for (const path of claims ?? []) statements.claim.run(held.row.rootRunId, path, held.row.id);
  for (const { rule, by, at, until, folder } of grants ?? [])
    statements.addGrant.run(held.n, rule, by, at, wholeMs(until), "tree", folder ?? null);
  if (budget) statements.raiseBudget.run(held.row.id, budget.maxTokens ?? null, budget.maxCost ?? null);
  batch.granted = true;
}

const RUNS_OF = "SELECT id FROM runs WHERE root = ? ORDER BY n";
const OTHER_PAYERS = "SELECT id FROM runs WHERE budget = ?1 AND root <> ?1 AND ended_at IS NULL";
const SEND = `INSERT INTO sent (transfer, place, tries) VALUES (?, ?, 1)
  ON CONFLICT (transfer) DO UPDATE SET tries = tries + 1`;
const TAKE_BACK = "DELETE FROM sent WHERE transfer = ? AND place = ? AND tries = 1 AND arrived_at IS NULL";
const ARRIVE = "UPDATE sent SET arrived_at = coalesce(arrived_at, ?) WHERE transfer = ? AND place = ?";
