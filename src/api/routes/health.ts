// Describes the process that serves the API, with its store and workers. Also runs the checks of `cadre doctor`.

import { z } from "zod";
import { poolFilter, poolNames } from "../../config/pools.ts";
import { approvalId } from "../../ids.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { PoolFilter, Store, WorkerRow } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { answeredRuns, mayBeAnswered } from "../views/answered-runs.ts";
import { route } from "./route.ts";
import { Check, MAX_PAGE, namedObject } from "./schemas.ts";

export const Health = namedObject("Health", {
  version: z.string(),
  pid: z.int(),
  storeId: z.string(),
  folder: z.string(),
  /** The beginning of every `cadre` command for this project. It works in any terminal of the server's machine. */
  command: z.string(),
  startedAt: z.number(),
  /** True if any worker drives runs: this process or another live process. */
  drives: z.boolean(),
  /** The number of runs that wait for a driver. Set only if there is no driver. The count stops at 1,000. */
  due: z.int().optional(),
  /** Pools with waiting runs but no worker, and the number of their waiting runs. Set only if other pools have workers. */
  idlePools: z.array(z.object({ pool: z.string(), due: z.int() })).optional(),
  /** True if the store is on a database server. Processes on any machine can drive its runs. */
  isShared: z.boolean(),
  /** True if this process drives runs itself. False with `cadre up --no-worker`. */
  isWorker: z.boolean(),
  /** True if this is a permanent server with a web page, as `cadre up` starts it. */
  isServer: z.boolean(),
  model: z.string(),
  /** True if visitors can kill the server from the page (`cadre up --demo`). */
  demo: z.literal(true).optional(),
});
export type Health = z.infer<typeof Health>;

/** A process that drives runs. */
export const WorkerView = namedObject("WorkerView", {
  name: z.string(),
  host: z.string(),
  pid: z.int(),
  pool: z.string(),
  version: z.string(),
  since: z.number(),
  seenAt: z.number(),
  /** True if the worker sent no heartbeat for the duration of a lease. Other workers take over its runs. */
  silent: z.boolean(),
  /** Number of runs that the worker drives. */
  runs: z.int(),
  /** Ids of some runs that the worker drives. */
  holds: z.array(z.string()),
  /** Number of runs that this worker cannot drive because a newer version of Cadre wrote their journals. */
  tooNew: z.int().optional(),
});
export type WorkerView = z.infer<typeof WorkerView>;

export const Checks = namedObject("Checks", { checks: z.array(Check) });

export const Workers = namedObject("Workers", { workers: z.array(WorkerView) });

export function healthRoutes(parts: ApiParts) {
  const { info, store, checks, web, people } = parts;
  return [
    route.get(
      "/api/health",
      { summary: "The process that serves this API, and its store", answer: Health },
      async () => {
        const { version, folder, command, startedAt, model, isShared } = info;
        const alive = (await store.leases.workers()).filter(({ silent }) => !silent);
        const drives = info.drives || alive.length > 0;
        const due = drives ? await idlePools(alive, parts) : { due: await countDue(store) };
        const demo = web.plug ? { demo: true as const } : {};
        const server = { version, pid: process.pid, storeId: store.id, folder, command, startedAt };
        const isServer = web.served !== undefined;
        return { ...server, drives, ...due, isShared, isWorker: info.drives, isServer, model, ...demo };
      },
    ),
    route.get(
      "/api/workers",
      { summary: "The workers that drive runs of this store", answer: Workers },
      async () => ({
        workers: (await store.leases.workers()).toSorted((a, b) => Number(a.silent) - Number(b.silent)),
      }),
    ),
    route.get(
      "/api/checks",
      {
        summary: "Possible problems of this installation, and how to fix them",
        answer: Checks,
        role: "admin",
      },
      async () => ({ checks: (await checks()).map((check) => people.mask.value(check)) }),
    ),
  ];
}

/** Finds pools that have waiting runs but no worker. Only a pool's own workers take its runs, so these runs would wait forever. */
async function idlePools(
  alive: readonly WorkerRow[],
  { store, info: { pools = {} } }: ApiParts,
): Promise<Pick<Health, "idlePools">> {
  const names = Object.keys(pools).length === 0 ? [] : poolNames(pools);
  const without = names.filter((name) => !alive.some(({ pool }) => pool === name));
  const counted = await Promise.all(
    without.map(async (pool) => ({ pool, due: await countDue(store, poolFilter(pools, pool)) })),
  );
  const idle = counted.filter(({ due }) => due > 0);
  return idle.length === 0 ? {} : { idlePools: idle };
}

/** The count of due runs stops at this number. */
const MOST_DUE = 1_000;

/**
 * Counts the runs that wait for a driver.
 * Runs that wait for a person are not counted, although the store might list such a run as due after an import or a message.
 */
async function countDue(store: Store, of?: PoolFilter): Promise<number> {
  const now = store.clock.now();
  const due = new Set(await store.leases.due(now, MOST_DUE, of));
  if (due.size === 0) return 0;
  const [{ runs }, items] = await Promise.all([
    store.runs.list({ status: ["suspended"], limit: MAX_PAGE }),
    store.inbox.openItems(),
  ]);
  // Expired items wait for the driver, not for a person.
  const open = items.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  const ids = new Set(open.map(({ runId, itemId }) => approvalId(runId, itemId)));
  const isUndecided = ({ id, waitingOn }: RunRow): boolean =>
    waitingOn?.kind === "child_hitl" ||
    (waitingOn?.items ?? []).every((item) => ids.has(approvalId(id, item)));
  const asked = runs.filter((row) => due.has(row.id) && mayBeAnswered(row) && !row.cancelRequested);
  const answered = await answeredRuns(store, asked);
  return due.size - asked.filter((row) => isUndecided(row) && !answered.has(row.id)).length;
}
