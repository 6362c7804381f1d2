// The places at work in a workspace, and the queue for them (B4, place-rules.ts). Asked only when a run that has no place
// begins something: `Held.place` answers for every other intent.

import type { RunId } from "../../ids.ts";
import type { RunRecord } from "../run-record.ts";
import type { Append, Spawn } from "../store.ts";
import { LAST_TICKET, needsWaking, nextAttemptAt } from "../transaction/slot-rules.ts";
import type { RowsAtHand } from "./batch-rows.ts";

/** The batch, as far as this needs it. */
interface Rows extends Pick<RowsAtHand, "now" | "sql" | "find" | "touch"> {
  /** Runs that were made due without an event. */
  readonly woken: RunId[];
}

/** Takes what the events of an append need. False: every place is taken, and nothing has changed. */
export async function takePlace(
  rows: Rows,
  held: RunRecord,
  { spawn, concurrent }: Append,
): Promise<boolean> {
  if (spawn) return placeChild(rows, held, spawn);
  if (concurrent === undefined || held.place === "held") return true;
  if ((await ahead(rows, held, await ticketOf(rows, held))) >= concurrent) return false;
  await drop(rows, held);
  await rows.sql.run(ADD, await workspaceOf(rows, held), held.row.id, 1);
  held.place = "held";
  return true;
}

async function placeChild(rows: Rows, parent: RunRecord, { runId, place, limits }: Spawn): Promise<boolean> {
  if (place === "queues") return true;
  const passes = place === "parents" && parent.place === "held";
  const ticket = place === "parents" ? await ticketOf(rows, parent) : LAST_TICKET;
  if (!passes && (await ahead(rows, parent, ticket)) >= limits.concurrent) return false;
  if (place === "parents") await drop(rows, parent);
  await rows.sql.run(ADD, await workspaceOf(rows, parent), runId, 1);
  return true;
}

/** At the rest or the end of a run: neither at work nor waiting for it. */
export async function leavePlace(rows: Rows, held: RunRecord): Promise<void> {
  if (held.place === "none") return;
  await drop(rows, held);
  await wakeNext(rows, await workspaceOf(rows, held));
}

/** A run that is cancelled begins nothing more, so nobody waits behind it. */
export async function leaveQueue(rows: Rows, held: RunRecord): Promise<void> {
  if (held.place === "queued") await leavePlace(rows, held);
}

/** A run that was refused a place keeps its turn, and is due when it should ask again: at once, if there is one by now. */
export async function queue(rows: Rows, held: RunRecord, concurrent: number): Promise<number> {
  if (held.place === "held") await leavePlace(rows, held);
  if (held.place === "none") await rows.sql.run(ADD, await workspaceOf(rows, held), held.row.id, 0);
  held.place = "queued";
  const before = await ahead(rows, held, await ticketOf(rows, held));
  const at = nextAttemptAt(rows.now, before, concurrent);
  if (at === 0) rows.woken.push(held.row.id);
  return at;
}

async function wakeNext(rows: Rows, workspace: string): Promise<void> {
  const queued = await rows.sql.all(
    "SELECT run FROM places WHERE workspace = $1 AND held = 0 ORDER BY n",
    workspace,
  );
  for (const columns of queued) {
    const next = await rows.find(columns["run"] as RunId);
    if (!needsWaking(next, rows.now)) continue;
    next.dueAt = 0;
    rows.touch(next);
    rows.woken.push(next.row.id);
    return;
  }
}

/** Those at work, and those who have waited longer. */
async function ahead(rows: Rows, held: RunRecord, ticket: number): Promise<number> {
  return (await rows.sql.get(AHEAD, await workspaceOf(rows, held), ticket))!["runs"] as number;
}

async function ticketOf({ sql }: Rows, { row, place }: RunRecord): Promise<number> {
  if (place === "none") return LAST_TICKET;
  return ((await sql.get("SELECT n FROM places WHERE run = $1", row.id))?.["n"] as number) ?? LAST_TICKET;
}

async function drop({ sql }: Rows, held: RunRecord): Promise<void> {
  if (held.place !== "none") await sql.run("DELETE FROM places WHERE run = $1", held.row.id);
  held.place = "none";
}

/** Where its tree is at work: a child in a worktree of its own is no reason for more agents at once. */
async function workspaceOf(rows: Rows, { row }: RunRecord): Promise<string> {
  return (await rows.find(row.rootRunId))?.row.workspace ?? row.workspace;
}

const ADD = "INSERT INTO places (workspace, run, held) VALUES ($1, $2, $3)";

const AHEAD = `SELECT (SELECT count(*) FROM places WHERE workspace = $1 AND held = 1)
    + (SELECT count(*) FROM places WHERE workspace = $1 AND held = 0 AND n < $2) AS runs`;
