// What one run's change means for the runs around it, in the same transaction (J7): a child's end reaches its parent
// (P6), and every run above that waits for it learns whether somebody below needs a person.

import type { RunId } from "../../ids.ts";
import type { EventBody, JournalEvent, Payload } from "../../journal/events.ts";
import { keyOf } from "../../journal/keys.ts";
import { type FreezeRequest, freezeEvent } from "../../projections/folds/freeze.ts";
import { awaitedChildren, blockedBy, childQuarantinedEvent } from "../../projections/folds/parent-events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { hasTakenOver } from "../../projections/folds/run-row.ts";
import type { RunRecord } from "../run-record.ts";
import type { AppendResult, Refusal, Spawn } from "../store.ts";
import { mayBlock, newsOfChild, spawnRefusal } from "../transaction/tree-rules.ts";
import type { Statements } from "./run-rows.ts";
import type { Sql } from "./sql.ts";

/** The batch, as far as this needs it. */
interface Writes {
  find(runId: RunId): RunRecord | undefined;
  load(runId: RunId): RunRecord;
  admitted(runId: RunId, start: Payload<"RUN_STARTED">): RunRecord;
  hasKey(held: RunRecord, key: string): boolean;
  /** Appends as somebody else than the run's driver. */
  signal(held: RunRecord, events: readonly EventBody[]): void;
  writeRows(): void;
}

/** After each write to a run. What it writes to others comes back here for them: so it climbs to the root. */
export function tellTree(batch: Writes, held: RunRecord, written: readonly JournalEvent[]): void {
  const last = written.at(-1);
  if (last) report(batch, held, newsOfChild(held.row, last));
  if (written.some(({ type }) => type === "RUN_SUSPENDED")) refreshBlockers(batch, held);
  const parent = held.row.parentRunId === undefined ? undefined : batch.find(held.row.parentRunId);
  if (parent && mayBlock(held.row, parent.row)) refreshBlockers(batch, parent);
}

/** Tells a parent of its child's end, once. One that has ended itself hears of nothing (D4). */
function report(batch: Writes, { row }: RunRecord, event: EventBody | undefined): void {
  const parent = event && row.parentRunId !== undefined ? batch.find(row.parentRunId) : undefined;
  if (!event || !parent || parent.row.endedAt !== undefined) return;
  if (!batch.hasKey(parent, keyOf(event))) batch.signal(parent, [event]);
}

export const reportSetAside = (batch: Writes, held: RunRecord, reason: string): void =>
  report(batch, held, childQuarantinedEvent(held.row, reason));

function refreshBlockers(batch: Writes, held: RunRecord): void {
  const awaited = awaitedChildren(held.row);
  if (awaited.length === 0) return;
  const children = awaited.flatMap((id) => batch.find(id)?.row ?? []);
  const event = blockedBy(held.row, children);
  if (event) batch.signal(held, [event]);
}

/** D6: the first of these files that a run of another branch is changing. Its own line, up and down, may have it. */
export function claimedBy(
  batch: Writes,
  statements: Statements,
  { row }: RunRecord,
  paths: readonly string[],
): AppendResult["claimedBy"] {
  for (const path of paths) {
    const holder = statements.claimOf.get(row.rootRunId, path)?.["run"] as RunId | undefined;
    const held = holder === undefined || holder === row.id ? undefined : batch.find(holder);
    if (!held || held.row.endedAt !== undefined) continue;
    if (isAbove(batch, held.row, row) || isAbove(batch, row, held.row)) continue;
    return { path, runId: held.row.id, agent: held.row.agent };
  }
  return undefined;
}

function isAbove(batch: Writes, upper: RunRow, lower: RunRow): boolean {
  for (let row: RunRow | undefined = lower; row; ) {
    if (row.id === upper.id) return true;
    row = row.parentRunId === undefined ? undefined : batch.find(row.parentRunId)?.row;
  }
  return false;
}

/** J7: the child exists if, and only if, its parent's journal says so. */
export function admitChild(batch: Writes, { runId, start, events }: Spawn): void {
  const held = batch.admitted(runId, start);
  batch.signal(held, [{ type: "RUN_STARTED", payload: start }, ...events]);
}

export function noRoom(statements: Statements, { row }: RunRecord, spawn: Spawn): Refusal | undefined {
  const children = statements.countChildren.get(row.id)!["runs"] as number;
  const runs = statements.countTree.get(row.rootRunId)!["runs"] as number;
  return spawnRefusal({ children, runs }, spawn);
}

/** The run and everything below it that has not ended and is not about to, from the top down. */
export function goingOn(batch: Writes, sql: Sql, runId: RunId): RunId[] {
  batch.load(runId);
  batch.writeRows();
  return sql.all(SUBTREE, runId).map((columns) => columns["id"] as RunId);
}

/** J11: the run, then those that its work was routed or handed over to: the last has it now. */
export function holdersOf(batch: Writes, sql: Sql, held: RunRecord): [RunRecord, ...RunRecord[]] {
  const holders: [RunRecord, ...RunRecord[]] = [held];
  for (const id of goingOn(batch, sql, held.row.id)) {
    const below = batch.load(id);
    if (below.row.parentRunId === holders.at(-1)!.row.id && hasTakenOver(below.row)) holders.push(below);
  }
  return holders;
}

/** BV4. Those that it changed. */
export function freezeBranch(batch: Writes, sql: Sql, top: RunId, freeze: FreezeRequest): RunId[] {
  return goingOn(batch, sql, top).filter((id) => {
    const held = batch.load(id);
    const event = freezeEvent(held.row, top, freeze);
    if (event) batch.signal(held, [event]);
    return event !== undefined;
  });
}

/** CROSS: from the tree to the rows. Left to choose, SQLite looks through every run. */
const SUBTREE = `WITH RECURSIVE below (id, level) AS (
    SELECT ?, 0 UNION ALL SELECT runs.id, level + 1 FROM below CROSS JOIN runs ON runs.parent = below.id)
  SELECT runs.id FROM below CROSS JOIN runs ON runs.id = below.id
  WHERE runs.ended_at IS NULL AND runs.cancel = 0 ORDER BY level, runs.id`;
