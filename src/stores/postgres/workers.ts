// Tables beside the journals that hold a line or two: who is alive, and which request made which run.

import type { RunId } from "../../ids.ts";
import type { SessionMessage, WorkerCard, WorkerRow } from "../store.ts";
import { LISTED_RUNS, workerRows } from "../transaction/append-rules.ts";
import { runUnderKey } from "../transaction/start-rules.ts";
import { NOW_MS } from "./open.ts";
import type { Sql } from "./sql.ts";

/** Without a card the last one stays. */
export async function keepAlive(sql: Sql, worker: string, until: number, card?: WorkerCard): Promise<void> {
  await sql.run(
    `INSERT INTO workers (name, expires_at, card) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at, card = coalesce(excluded.card, workers.card)
     WHERE workers.expires_at <> excluded.expires_at OR excluded.card <> coalesce(workers.card, '')`,
    worker,
    until,
    card ? JSON.stringify(card) : null,
  );
}

/** Until when a worker counts as alive; undefined: it does not. */
export async function aliveUntil(sql: Sql, worker: string, now: number): Promise<number | undefined> {
  const found = await sql.get("SELECT expires_at FROM workers WHERE name = $1", worker);
  const until = found?.["expires_at"] as number | undefined;
  return until !== undefined && until > now ? until : undefined;
}

/** `clock` null: the database's. */
export async function listWorkers(sql: Sql, clock: number | null): Promise<WorkerRow[]> {
  const found = await sql.all(
    `SELECT name, expires_at, card, expires_at <= coalesce($1, ${NOW_MS}) AS silent,
       (SELECT count(*) FROM runs WHERE runs.worker = workers.name) AS runs,
       (SELECT coalesce(json_agg(id), '[]')::text FROM
         (SELECT id FROM runs WHERE runs.worker = workers.name ORDER BY n LIMIT ${LISTED_RUNS}) AS named) AS holds
     FROM workers WHERE card IS NOT NULL ORDER BY name`,
    clock,
  );
  return workerRows(found);
}

export async function driverOf(sql: Sql, runId: RunId, clock: number | null): Promise<string | undefined> {
  const found = await sql.get(
    `SELECT name FROM workers JOIN runs ON runs.worker = workers.name
     WHERE runs.id = $1 AND expires_at > coalesce($2, ${NOW_MS})`,
    runId,
    clock,
  );
  return found?.["name"] as string | undefined;
}

/** What a process has, when it leaves in order. */
export async function letGo(sql: Sql, workers: readonly string[], holder: string): Promise<void> {
  await sql.run("UPDATE runs SET worker = NULL, due_at = 0 WHERE worker = ANY($1)", workers);
  await sql.run("DELETE FROM workers WHERE name = ANY($1)", workers);
  await sql.run("DELETE FROM fresh WHERE holder = $1", holder);
}

/** The run that a key was used for. */
export async function runUnder(
  sql: Sql,
  idempotency: SessionMessage["idempotency"],
): Promise<RunId | undefined> {
  if (!idempotency) return undefined;
  const known = await sql.get("SELECT body, run FROM idempotency WHERE key = $1", idempotency.key);
  return runUnderKey(known, idempotency.body);
}

export async function keepKey(
  sql: Sql,
  idempotency: SessionMessage["idempotency"],
  runId: RunId,
): Promise<void> {
  if (!idempotency) return;
  const { key, body } = idempotency;
  await sql.run("INSERT INTO idempotency (key, body, run) VALUES ($1, $2, $3)", key, body, runId);
}
