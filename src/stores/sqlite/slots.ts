// The places at work in a workspace, and the queue for them (B4, place-rules.ts). Asked only when a run that has no place
// begins something: `Held.place` answers for every other intent.

import type { RunId } from "../../ids.ts";
import type { RunRecord } from "../run-record.ts";
import type { Append, Spawn } from "../store.ts";
import { LAST_TICKET, needsWaking, nextAttemptAt, readSlot } from "../transaction/slot-rules.ts";
import type { Statements } from "./run-rows.ts";

/** The batch, as far as this needs it. */
interface Rows {
  readonly now: number;
  readonly statements: Statements;
  /** Runs that were made due without an event. */
  readonly woken: RunId[];
  find(runId: RunId): RunRecord | undefined;
  touch(held: RunRecord): void;
}

/** Takes what the events of an append need. False: every place is taken, and nothing has changed. */
export function takePlace(rows: Rows, held: RunRecord, { spawn, concurrent }: Append): boolean {
  if (spawn) return placeChild(rows, held, spawn);
  if (concurrent === undefined || placeOf(rows, held) === "held") return true;
  if (ahead(rows, held, ticketOf(rows, held)) >= concurrent) return false;
  drop(rows, held);
  rows.statements.addPlace.run(workspaceOf(rows, held), held.row.id, 1);
  held.place = "held";
  return true;
}

function placeChild(rows: Rows, parent: RunRecord, { runId, place, limits }: Spawn): boolean {
  if (place === "queues") return true;
  const passes = place === "parents" && placeOf(rows, parent) === "held";
  const ticket = place === "parents" ? ticketOf(rows, parent) : LAST_TICKET;
  if (!passes && ahead(rows, parent, ticket) >= limits.concurrent) return false;
  if (place === "parents") drop(rows, parent);
  rows.statements.addPlace.run(workspaceOf(rows, parent), runId, 1);
  return true;
}

/** At the rest or the end of a run: neither at work nor waiting for it. */
export function leavePlace(rows: Rows, held: RunRecord): void {
  if (placeOf(rows, held) === "none") return;
  drop(rows, held);
  wakeNext(rows, workspaceOf(rows, held));
}

/** A run that is cancelled begins nothing more, so nobody waits behind it. */
export function leaveQueue(rows: Rows, held: RunRecord): void {
  if (placeOf(rows, held) === "queued") leavePlace(rows, held);
}

/** A run that was refused a place keeps its turn, and is due when it should ask again: at once, if there is one by now. */
export function queue(rows: Rows, held: RunRecord, concurrent: number): number {
  if (placeOf(rows, held) === "held") leavePlace(rows, held);
  if (placeOf(rows, held) === "none") rows.statements.addPlace.run(workspaceOf(rows, held), held.row.id, 0);
  held.place = "queued";
  const before = ahead(rows, held, ticketOf(rows, held));
  const at = nextAttemptAt(rows.now, before, concurrent);
  if (at === 0) rows.woken.push(held.row.id);
  return at;
}

function wakeNext(rows: Rows, workspace: string): void {
  for (const columns of rows.statements.queued.iterate(workspace)) {
    const next = rows.find(columns["run"] as RunId);
    if (!needsWaking(next, rows.now)) continue;
    next.dueAt = 0;
    rows.touch(next);
    rows.woken.push(next.row.id);
    return;
  }
}

/** Those at work, and those who have waited longer. */
function ahead(rows: Rows, held: RunRecord, ticket: number): number {
  const workspace = workspaceOf(rows, held);
  return rows.statements.placesAhead.get(workspace, workspace, ticket)?.["runs"] as number;
}

function ticketOf({ statements }: Rows, { row }: RunRecord): number {
  return (statements.placeOf.get(row.id)?.["n"] as number | undefined) ?? LAST_TICKET;
}

function placeOf({ statements }: Rows, held: RunRecord): NonNullable<RunRecord["place"]> {
  if (held.place !== undefined) return held.place;
  held.place = readSlot(statements.placeOf.get(held.row.id)?.["held"]);
  return held.place;
}

function drop({ statements }: Rows, held: RunRecord): void {
  statements.dropPlace.run(held.row.id);
  held.place = "none";
}

/** Where its tree is at work: a child in a worktree of its own is no reason for more agents at once. */
function workspaceOf(rows: Rows, { row }: RunRecord): string {
  return rows.find(row.rootRunId)?.row.workspace ?? row.workspace;
}
