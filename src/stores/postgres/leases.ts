// Reads which runs are due, and which worker holds which run.

import type { Clock } from "../../clock.ts";
import type { PoolFilter } from "../../config/pools.ts";
import type { RunId } from "../../ids.ts";
import { LISTED_RUNS, optional, readQuarantine, readWorkers } from "../columns.ts";
import type { Store, WorkerRow } from "../store.ts";
import { NOW_MS } from "./open.ts";
import type { Read, Sql } from "./sql.ts";

/** Leaves out quarantined runs. Signals make them due too, and they would crowd out the other runs. */
export const NOT_QUARANTINED = "NOT EXISTS (SELECT 1 FROM quarantine WHERE quarantine.run = runs.id)";

type Reads = Pick<Store["leases"], "due" | "nextDue" | "workers" | "driverOf" | "quarantined">;

/** The database's clock, or the clock of a test, decides whether a worker is alive. */
export function leaseReads(read: Read, testClock: Clock | undefined): Reads {
  const clock = (): number | null => testClock?.now() ?? null;
  return {
    due: (now, limit, of) => read((sql) => dueRuns(sql, { now, clock: clock(), limit, of })),
    nextDue: () =>
      read(async (sql) => {
        const first = await sql.get(
          `SELECT min(due_at) AS at FROM runs WHERE due_at IS NOT NULL AND ${NOT_QUARANTINED}`,
        );
        return optional(first?.["at"]) as number | undefined;
      }),
    workers: () => read((sql) => listWorkers(sql, clock())),
    driverOf: (runId) => read((sql) => driverOf(sql, runId, clock())),
    quarantined: () =>
      read(async (sql) => {
        const found = await sql.all("SELECT run, reason, seq FROM quarantine ORDER BY run");
        return found.map(readQuarantine);
      }),
  };
}

interface DueQuestion {
  now: number;
  /** The time of a test's clock. Null if the database's clock is to be used. */
  clock: number | null;
  limit: number;
  of: PoolFilter | undefined;
}

async function dueRuns(sql: Sql, { now, clock, limit, of }: DueQuestion): Promise<RunId[]> {
  const [inPool, values] = poolCondition(of);
  const abandoned = await sql.all(
    `SELECT id FROM runs WHERE worker IS NOT NULL AND ${NOT_QUARANTINED} ${inPool}
       AND NOT EXISTS (SELECT 1 FROM workers WHERE name = runs.worker AND expires_at > coalesce($1, ${NOW_MS}))
       ORDER BY n LIMIT $2`,
    clock,
    limit,
    ...values,
  );
  const free = await sql.all(
    `SELECT id FROM runs WHERE due_at <= $1 AND ${NOT_QUARANTINED} ${inPool} ORDER BY due_at, n LIMIT $2`,
    now,
    limit - abandoned.length,
    ...values,
  );
  // If a run was given back between the two queries, both answers contain it.
  return [...new Set([...abandoned, ...free].map((columns) => columns["id"] as string))];
}

async function listWorkers(sql: Sql, clock: number | null): Promise<WorkerRow[]> {
  const found = await sql.all(
    `SELECT name, expires_at, card, expires_at <= coalesce($1, ${NOW_MS}) AS silent,
       (SELECT count(*) FROM runs WHERE runs.worker = workers.name) AS runs,
       (SELECT coalesce(json_agg(id), '[]')::text FROM
         (SELECT id FROM runs WHERE runs.worker = workers.name ORDER BY n LIMIT ${LISTED_RUNS}) AS named) AS holds
     FROM workers WHERE card IS NOT NULL ORDER BY name`,
    clock,
  );
  return readWorkers(found);
}

async function driverOf(sql: Sql, runId: RunId, clock: number | null): Promise<string | undefined> {
  const found = await sql.get(
    `SELECT name FROM workers JOIN runs ON runs.worker = workers.name
     WHERE runs.id = $1 AND expires_at > coalesce($2, ${NOW_MS})`,
    runId,
    clock,
  );
  return found?.["name"] as string | undefined;
}

/** Gives back the leases and the fresh blobs of a process that shuts down. */
export async function releaseAll(sql: Sql, workers: readonly string[], holder: string): Promise<void> {
  await sql.run("UPDATE runs SET worker = NULL, due_at = 0 WHERE worker = ANY($1)", workers);
  await sql.run("DELETE FROM workers WHERE name = ANY($1)", workers);
  await sql.run("DELETE FROM fresh WHERE holder = $1", holder);
}

/** Filters by the workspace of the root, because a child can work in its own worktree. */
function poolCondition(
  of: PoolFilter | undefined,
): [condition: string, values: (string | readonly string[])[]] {
  if (!of) return ["", []];
  const { pool, pools, workspaces } = of;
  const [test, folders] =
    "in" in workspaces
      ? (["= ANY($5)", workspaces.in] as const)
      : (["<> ALL($5)", workspaces.notIn] as const);
  return [
    `AND (runs.pool = $3 OR coalesce(runs.pool, '') <> ALL($4)
       AND EXISTS (SELECT 1 FROM runs AS top WHERE top.id = runs.root AND top.workspace ${test}))`,
    [pool, pools, folders],
  ];
}
