// Who serves this API, over which store, and whether all is well around it.

import { z } from "zod";
import { poolFilter, poolNames } from "../../config/pools.ts";
import { approvalId } from "../../ids.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { PoolFilter, Store, WorkerRow } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { answeredRuns, mayBeAnswered } from "../views/answered-runs.ts";
import { route } from "./route.ts";
import { Check, MAX_PAGE, named } from "./schemas.ts";

export const Health = named(
  "Health",
  z.object({
    version: z.string(),
    pid: z.int(),
    storeId: z.string(),
    folder: z.string(),
    /** How a command for this project begins in any terminal of the server's machine. */
    command: z.string(),
    startedAt: z.number(),
    /** True where runs are driven: by this process, or by a worker elsewhere that is heard of. */
    drives: z.boolean(),
    /** Where nobody drives: how many runs could go on, and wait for somebody who does; 1,000 stands for more, too. */
    due: z.int().optional(),
    /** Where somebody drives: pools that none of them is of, and how many of their runs wait, as above. */
    idlePools: z.array(z.object({ pool: z.string(), due: z.int() })).optional(),
    /** The store is on a server: any number of processes drive, on any machine. */
    isShared: z.boolean(),
    /** It is this process that drives; with `up --no-worker` it leaves that to workers elsewhere. */
    isWorker: z.boolean(),
    /** It stays until somebody ends it, and lets browsers in: `cadre up`. */
    isServer: z.boolean(),
    /** The default model. */
    model: z.string(),
    /** It can be killed from the page: `cadre up --demo`. */
    demo: z.literal(true).optional(),
  }),
);
export type Health = z.infer<typeof Health>;

/** A process that drives runs. */
export const WorkerView = named(
  "WorkerView",
  z.object({
    name: z.string(),
    host: z.string(),
    pid: z.int(),
    pool: z.string(),
    version: z.string(),
    since: z.number(),
    seenAt: z.number(),
    /** Not heard of for longer than a lease lasts: dead, frozen or cut off. Others take its runs, if there are any. */
    silent: z.boolean(),
    /** Runs that it holds. */
    runs: z.int(),
    /** The first few of them. */
    holds: z.array(z.string()),
    /** Runs that it leaves to a newer version, whose journals it does not understand. */
    tooNew: z.int().optional(),
  }),
);
export type WorkerView = z.infer<typeof WorkerView>;

export const Checks = named("Checks", z.object({ checks: z.array(Check) }));

export const Workers = named("Workers", z.object({ workers: z.array(WorkerView) }));

export function healthRoutes(parts: ApiParts) {
  const {
    info,
    store,
    checks,
    web,
    people: { mask },
  } = parts;
  return [
    route(
      {
        method: "get",
        path: "/api/health",
        summary: "Who serves this API, over which store",
        answer: Health,
      },
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
    route(
      {
        method: "get",
        path: "/api/workers",
        summary: "Who drives runs of this store",
        answer: Workers,
      },
      // The dead stay for a day: those who work stand before them.
      async () => ({
        workers: (await store.leases.workers()).toSorted((a, b) => Number(a.silent) - Number(b.silent)),
      }),
    ),
    route(
      {
        method: "get",
        path: "/api/checks",
        summary: "What could keep Cadre from working well here, and what helps",
        answer: Checks,
        role: "admin",
      },
      async () => ({ checks: (await checks()).map((check) => mask.value(check)) }),
    ),
  ];
}

/** Runs of a pool are nobody else's: they would wait for ever beside workers that have nothing to do. */
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

// How many runs wait for somebody who drives. What waits for a person, with nothing decided, does not, although it may be due once
// to be looked at: after an import, or for a message that came meanwhile.
/** More are not counted. */
const MOST_DUE = 1_000;

async function countDue(store: Store, of?: PoolFilter): Promise<number> {
  const now = store.clock.now();
  const due = new Set(await store.leases.due(now, MOST_DUE, of));
  if (due.size === 0) return 0;
  const [{ runs }, items] = await Promise.all([
    store.runs.list({ status: ["suspended"], limit: MAX_PAGE }),
    store.inbox.openItems(),
  ]);
  // What was not decided in time is the driver's to say.
  const open = items.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  const ids = new Set(open.map(({ runId, itemId }) => approvalId(runId, itemId)));
  const isUndecided = ({ id, waitingOn }: RunRow): boolean =>
    waitingOn?.kind === "child_hitl" ||
    (waitingOn?.items ?? []).every((item) => ids.has(approvalId(id, item)));
  const asked = runs.filter((row) => due.has(row.id) && mayBeAnswered(row) && !row.cancelRequested);
  const answered = await answeredRuns(store, asked);
  return due.size - asked.filter((row) => isUndecided(row) && !answered.has(row.id)).length;
}
