// What one run's change means for the runs around it, in the same transaction (J7): a child's end reaches its parent
// (P6), and every run above that waits for it learns whether somebody below needs a person.

import type { RunId } from "../../ids.ts";
import type { EventBody, JournalEvent } from "../../journal/events.ts";
import { keyOf } from "../../journal/keys.ts";
import { type FreezeRequest, freezeEvent } from "../../projections/folds/freeze.ts";
import { awaitedChildren, blockedBy, childQuarantinedEvent } from "../../projections/folds/parent-events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { hasTakenOver } from "../../projections/folds/run-row.ts";
import type { RunRecord } from "../run-record.ts";
import type { AppendResult, Refusal, Spawn } from "../store.ts";
import { mayBlock, newsOfChild, spawnRefusal } from "../transaction/tree-rules.ts";
import type { RowsAtHand } from "./batch-rows.ts";

/** The batch, as far as this needs it. */
interface Writes
  extends Pick<RowsAtHand, "sql" | "find" | "load" | "prefetch" | "admitted" | "hasKey" | "writeRows"> {
  /** Appends as somebody else than the run's driver. */
  signal(held: RunRecord, events: readonly EventBody[]): Promise<void>;
}

/** After each write to a run. What it writes to others comes back here for them: so it climbs to the root. */
export async function tellTree(
  batch: Writes,
  held: RunRecord,
  written: readonly JournalEvent[],
): Promise<void> {
  const last = written.at(-1);
  if (last) await report(batch, held, newsOfChild(held.row, last));
  if (written.some(({ type }) => type === "RUN_SUSPENDED")) await refreshBlockers(batch, held);
  const parent = held.row.parentRunId === undefined ? undefined : await batch.find(held.row.parentRunId);
  if (parent && mayBlock(held.row, parent.row)) await refreshBlockers(batch, parent);
}

/** Tells a parent of its child's end, once. One that has ended itself hears of nothing (D4). */
async function report(batch: Writes, { row }: RunRecord, event: EventBody | undefined): Promise<void> {
  const parent = event && row.parentRunId !== undefined ? await batch.find(row.parentRunId) : undefined;
  if (!event || !parent || parent.row.endedAt !== undefined) return;
  if (!(await batch.hasKey(parent, keyOf(event)))) await batch.signal(parent, [event]);
}

export const reportSetAside = (batch: Writes, held: RunRecord, reason: string): Promise<void> =>
  report(batch, held, childQuarantinedEvent(held.row, reason));

async function refreshBlockers(batch: Writes, held: RunRecord): Promise<void> {
  const awaited = awaitedChildren(held.row);
  if (awaited.length === 0) return;
  const children: RunRow[] = [];
  for (const id of awaited) {
    const child = await batch.find(id);
    if (child) children.push(child.row);
  }
  const event = blockedBy(held.row, children);
  if (event) await batch.signal(held, [event]);
}

/** D6: the first of these files that a run of another branch is changing. Its own line, up and down, may have it. */
export async function claimedBy(
  batch: Writes,
  { row }: RunRecord,
  paths: readonly string[],
): Promise<AppendResult["claimedBy"]> {
  for (const path of paths) {
    const claim = await batch.sql.get(
      "SELECT run FROM claims WHERE root = $1 AND path = $2",
      row.rootRunId,
      path,
    );
    const holder = claim?.["run"] as RunId | undefined;
    const held = holder === undefined || holder === row.id ? undefined : await batch.find(holder);
    if (!held || held.row.endedAt !== undefined) continue;
    if ((await isAbove(batch, held.row, row)) || (await isAbove(batch, row, held.row))) continue;
    return { path, runId: held.row.id, agent: held.row.agent };
  }
  return undefined;
}

async function isAbove(batch: Writes, upper: RunRow, lower: RunRow): Promise<boolean> {
  for (let row: RunRow | undefined = lower; row; ) {
    if (row.id === upper.id) return true;
    row = row.parentRunId === undefined ? undefined : (await batch.find(row.parentRunId))?.row;
  }
  return false;
}

/** J7: the child exists if, and only if, its parent's journal says so. */
export async function admitChild(batch: Writes, { runId, start, events, place }: Spawn): Promise<void> {
  const held = batch.admitted(runId, start, place === "queues" ? "none" : "held");
  await batch.signal(held, [{ type: "RUN_STARTED", payload: start }, ...events]);
}

export async function noRoom(batch: Writes, { row }: RunRecord, spawn: Spawn): Promise<Refusal | undefined> {
  await batch.writeRows();
  const counted = await batch.sql.get(
    `SELECT (SELECT count(*) FROM runs WHERE parent = $1) AS children,
       (SELECT count(*) FROM runs WHERE root = $2) AS runs`,
    row.id,
    row.rootRunId,
  );
  return spawnRefusal(counted as { children: number; runs: number }, spawn);
}

/** The run and everything below it that has not ended and is not about to, from the top down. */
export async function goingOn(batch: Writes, runId: RunId): Promise<RunId[]> {
  await batch.load(runId);
  await batch.writeRows();
  const subtree = (await batch.sql.all(SUBTREE, runId)).map((columns) => columns["id"] as RunId);
  await batch.prefetch([], subtree);
  return subtree;
}

/** J11: the run, then those that its work was routed or handed over to: the last has it now. */
export async function holdersOf(batch: Writes, held: RunRecord): Promise<[RunRecord, ...RunRecord[]]> {
  const holders: [RunRecord, ...RunRecord[]] = [held];
  for (const id of await goingOn(batch, held.row.id)) {
    const below = await batch.load(id);
    if (below.row.parentRunId === holders.at(-1)!.row.id && hasTakenOver(below.row)) holders.push(below);
  }
  return holders;
}

/** BV4. Those that it changed. */
export async function freezeBranch(batch: Writes, top: RunId, freeze: FreezeRequest): Promise<RunId[]> {
  const changed: RunId[] = [];
  for (const id of await goingOn(batch, top)) {
    const held = await batch.load(id);
    const event = freezeEvent(held.row, top, freeze);
    if (!event) continue;
    changed.push(id);
    await batch.signal(held, [event]);
  }
  return changed;
}

const SUBTREE = `WITH RECURSIVE below (id, level) AS (
    SELECT $1::text, 0 UNION ALL SELECT runs.id, level + 1 FROM below JOIN runs ON runs.parent = below.id)
  SELECT runs.id FROM below JOIN runs ON runs.id = below.id
  WHERE runs.ended_at IS NULL AND runs.cancel = 0 ORDER BY level, runs.id COLLATE "C"`;
