// Tables beside the journals that hold a line or two: who is alive, and which request made which run.

import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { Said } from "../store.ts";
import type { Sql } from "./sql.ts";

export async function keepAlive(sql: Sql, worker: string, until: number): Promise<void> {
  await sql.run(
    `INSERT INTO workers (name, expires_at) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at WHERE workers.expires_at <> excluded.expires_at`,
    worker,
    until,
  );
}

export async function isAlive(sql: Sql, worker: string, now: number): Promise<boolean> {
  return (
    (await sql.get("SELECT 1 FROM workers WHERE name = $1 AND expires_at > $2", worker, now)) !== undefined
  );
}

/** What a process has, when it leaves in order. */
export async function letGo(sql: Sql, workers: readonly string[], holder: string): Promise<void> {
  await sql.run("UPDATE runs SET worker = NULL, due_at = 0 WHERE worker = ANY($1)", workers);
  await sql.run("DELETE FROM workers WHERE name = ANY($1)", workers);
  await sql.run("DELETE FROM fresh WHERE holder = $1", holder);
}

/** The run that a key was used for. */
export async function runUnder(sql: Sql, idempotency: Said["idempotency"]): Promise<RunId | undefined> {
  if (!idempotency) return undefined;
  const known = await sql.get("SELECT body, run FROM idempotency WHERE key = $1", idempotency.key);
  if (!known) return undefined;
  if (known["body"] === idempotency.body) return known["run"] as string;
  throw new CadreError(
    "UNPROCESSABLE",
    "This idempotency key was used for another request. Nothing was started.",
  );
}

export async function keepKey(sql: Sql, idempotency: Said["idempotency"], runId: RunId): Promise<void> {
  if (!idempotency) return;
  const { key, body } = idempotency;
  await sql.run("INSERT INTO idempotency (key, body, run) VALUES ($1, $2, $3)", key, body, runId);
}
