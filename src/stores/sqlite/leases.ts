// Reads which runs are due, and which worker holds which run.

import type { Clock } from "../../clock.ts";
import type { PoolFilter } from "../../config/pools.ts";
import { LISTED_RUNS, optional, readQuarantine, readWorkers } from "../columns.ts";
import type { Store } from "../store.ts";
import type { Sql } from "./sql.ts";

/** Leaves out quarantined runs. Signals make them due too, and they would crowd out the other runs. */
export const NOT_QUARANTINED = "id NOT IN (SELECT run FROM quarantine)";

type Reads = Pick<Store["leases"], "due" | "nextDue" | "workers" | "driverOf" | "quarantined">;

export const leaseReads = (sql: Sql, clock: Clock): Reads => ({
  async due(now, limit, of) {
    const [inPool, values] = poolCondition(of);
    // `+n` prevents SQLite from scanning all runs in the order of `n`.
    const abandoned = sql.all(
      `SELECT id FROM runs WHERE worker IS NOT NULL AND ${NOT_QUARANTINED}
         AND worker NOT IN (SELECT name FROM workers WHERE expires_at > ?) ${inPool} ORDER BY +n LIMIT ?`,
      now,
      ...values,
      limit,
    );
    const free = sql.all(
      `SELECT id FROM runs WHERE due_at <= ? AND ${NOT_QUARANTINED} ${inPool} ORDER BY due_at, n LIMIT ?`,
      now,
      ...values,
      limit - abandoned.length,
    );
    return [...abandoned, ...free].map((columns) => columns["id"] as string);
  },
  async nextDue() {
    const first = sql.get(
      `SELECT min(due_at) AS at FROM runs WHERE due_at IS NOT NULL AND ${NOT_QUARANTINED}`,
    );
    return optional(first?.["at"]) as number | undefined;
  },
  workers: async () => readWorkers(sql.all(WORKERS, clock.now())),
  async driverOf(runId) {
    const found = sql.get(
      "SELECT name FROM workers WHERE expires_at > ? AND name = (SELECT worker FROM runs WHERE id = ?)",
      clock.now(),
      runId,
    );
    return found?.["name"] as string | undefined;
  },
  quarantined: async () =>
    sql.all("SELECT run, reason, seq FROM quarantine ORDER BY run").map(readQuarantine),
});

const WORKERS = `SELECT name, expires_at, card, expires_at <= ? AS silent,
    (SELECT count(*) FROM runs WHERE runs.worker = workers.name) AS runs,
    (SELECT json_group_array(id) FROM
      (SELECT id FROM runs WHERE runs.worker = workers.name ORDER BY n LIMIT ${LISTED_RUNS})) AS holds
  FROM workers WHERE card IS NOT NULL ORDER BY name`;

/** Filters by the workspace of the root, because a child can work in its own worktree. */
function poolCondition(of: PoolFilter | undefined): [condition: string, values: string[]] {
  if (!of) return ["", []];
  const { pool, pools, workspaces } = of;
  const [test, folders] =
    "in" in workspaces ? (["IN", workspaces.in] as const) : (["NOT IN", workspaces.notIn] as const);
  return [
    `AND (born ->> '$.pool' = ? OR coalesce(born ->> '$.pool', '') NOT IN (SELECT value FROM json_each(?))
       AND (SELECT top.born ->> '$.workspace' FROM runs AS top WHERE top.id = runs.root) ${test} (SELECT value FROM json_each(?)))`,
    [pool, JSON.stringify(pools), JSON.stringify(folders)],
  ];
}
