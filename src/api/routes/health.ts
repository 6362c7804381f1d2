// Who serves this API, over which store, and whether all is well around it.

import { poolFilter, poolNames } from "../../config/pools.ts";
import type { WorkerRow } from "../../stores/store.ts";
import { Health } from "../client/types.ts";
import { countDue } from "../due-runs.ts";
import type { ApiParts } from "../parts.ts";
import { route } from "./route.ts";
import { Checks, Workers } from "./wire.ts";

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
