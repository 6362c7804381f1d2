// A tree that leaves for another store, or comes from one (E7). Each is one transaction.

import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { JournalEvent, UnjournaledState } from "../../journal/events.ts";
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
import { type Batch, CLAIM } from "./batch.ts";
import { RAISE } from "./budgets.ts";
import { ADD_GRANT, updateItems } from "./inbox.ts";
import type { Sql } from "./sql.ts";

export async function moveTree(
  root: RunId,
  { transferId, to }: { transferId: string; to: string | undefined },
  batch: Batch,
): Promise<MovedTree> {
  const { sql } = batch;
  await batch.writeRows();
  // Parents first: one that has gone hears nothing of its children.
  const runs = await runsOf(batch, root);
  if (runs.length === 0) throw new CadreError("NOT_FOUND", `There is no tree ${root}.`);
  refuseIfAtWork(runs, batch.now);
  refuseIfShared(root, await idsOf(sql, OTHER_PAYERS, root));
  for (const held of runs) {
    if (held.row.endedAt !== undefined) continue;
    await batch.signal(held, [movedEvent(transferId, await standingOf(sql, held))]);
  }
  return sendTo(sql, root, { to, ...(await lastWords(runs, batch)) });
}

async function lastWords(runs: readonly RunRecord[], batch: Batch): Promise<MovedTree> {
  const last: JournalEvent[] = [];
  for (const held of runs) last.push(...(await batch.journalAfter(held, held.row.seq - 1)));
  return movedTree(last);
}

async function sendTo(
  sql: Sql,
  root: RunId,
  { to, ...tree }: MovedTree & { to: string | undefined },
): Promise<MovedTree> {
  const { transferId } = tree;
  if (transferId === undefined) return tree;
  const sent = await whereSent(sql, transferId);
  refuseSecondTarget(root, sent, to);
  if (to !== undefined) await sql.run(SEND, transferId, to);
  return { ...tree, ...(sent ? { sentTo: sent.target } : {}) };
}

const whereSent = async (sql: Sql, transferId: string): Promise<SentTree | undefined> =>
  readSent(await sql.get("SELECT place, arrived_at FROM sent WHERE transfer = $1", transferId));

export async function settleMove(
  root: RunId,
  { to, outcome }: { to: string; outcome: MoveOutcome },
  batch: Batch,
): Promise<void> {
  const { sql } = batch;
  const { transferId } = await lastWords(await runsOf(batch, root), batch);
  if (transferId === undefined) return;
  if (outcome === "refused") await sql.run(TAKE_BACK, transferId, to);
  else await sql.run(ARRIVE, transferId, to, batch.now);
}

async function runsOf(batch: Batch, root: RunId): Promise<RunRecord[]> {
  const ids = await idsOf(batch.sql, "SELECT id FROM runs WHERE root = $1 ORDER BY n", root);
  await batch.prefetch([], ids);
  return Promise.all(ids.map((id) => batch.load(id)));
}

const idsOf = async (sql: Sql, text: string, root: RunId): Promise<RunId[]> =>
  (await sql.all(text, root)).map(({ id }) => id as RunId);

async function standingOf(sql: Sql, { n, row }: RunRecord): Promise<UnjournaledState> {
  return readStanding({
    claims: await sql.all('SELECT path FROM claims WHERE run = $1 ORDER BY path COLLATE "C"', row.id),
    grants: await sql.all("SELECT * FROM grants WHERE run = $1 AND scope = 'tree' ORDER BY id", n),
    budget: await sql.get("SELECT max_tokens, max_cost FROM budgets WHERE root = $1", row.id),
  });
}

export async function importTree(
  tree: CarriedTree,
  batch: Batch,
): Promise<{ root: RunId; existed: boolean }> {
  const { sql } = batch;
  const known = await sql.get("SELECT root FROM transfers WHERE id = $1", tree.transferId);
  if (known) return { root: known["root"] as RunId, existed: true };
  refuseIfArrived(await whereSent(sql, tree.transferId));
  const here = new Set<RunId>();
  const heads = headsOf(tree);
  await batch.prefetch([...heads.keys()], []);
  for (const [runId, hash] of heads) {
    const held = await batch.find(runId);
    if (held && isAlreadyHere(held, hash)) here.add(runId);
  }
  for (const [name, stored] of tree.blobs) await batch.putBlob(name, stored);
  for (const carried of tree.events) if (!here.has(carried.event.runId)) await takeIn(batch, carried);
  for (const [runId, standing] of tree.standing)
    if (!here.has(runId)) await restoreStanding(sql, await batch.load(runId), standing);
  await sql.run("INSERT INTO transfers (id, root) VALUES ($1, $2)", tree.transferId, tree.root);
  return { root: tree.root, existed: here.size === heads.size };
}

async function takeIn(batch: Batch, { event, ...stored }: CarriedTree["events"][number]): Promise<void> {
  const { runId, ts } = event;
  const held =
    event.type === "RUN_STARTED" ? batch.admitted(runId, event.payload, "none", ts) : await batch.load(runId);
  if (event.type === "RUN_STARTED") held.dueAt = DUE_ON_ARRIVAL;
  const placed = { ...event, position: batch.position + 1 };
  await batch.placeAs(held, placed, stored);
  if (held.row.endedAt !== undefined) await batch.rest(held, undefined);
  await updateItems(batch.sql, held, placed);
  held.lastSignal = held.row.seq;
}

async function restoreStanding(
  sql: Sql,
  held: RunRecord,
  { claims, grants, budget }: UnjournaledState,
): Promise<void> {
  const { id, rootRunId } = held.row;
  for (const path of claims ?? []) await sql.run(CLAIM, rootRunId, path, id);
  for (const { rule, by, at, until, folder } of grants ?? [])
    await sql.run(ADD_GRANT, held.n, rule, by, at, wholeMs(until), "tree", folder ?? null);
  if (budget) await sql.run(RAISE, id, budget.maxTokens ?? null, budget.maxCost ?? null);
}

const OTHER_PAYERS = "SELECT id FROM runs WHERE budget = $1 AND root <> $1 AND ended_at IS NULL";
const SEND = `INSERT INTO sent (transfer, place, tries) VALUES ($1, $2, 1)
  ON CONFLICT (transfer) DO UPDATE SET tries = sent.tries + 1`;
const TAKE_BACK = "DELETE FROM sent WHERE transfer = $1 AND place = $2 AND tries = 1 AND arrived_at IS NULL";
const ARRIVE = "UPDATE sent SET arrived_at = coalesce(arrived_at, $3) WHERE transfer = $1 AND place = $2";
