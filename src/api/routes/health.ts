// Who serves this API, over which store, and whether all is well around it.

import { countDue } from "../due-runs.ts";
import type { ApiParts } from "../parts.ts";
import { type Route, route } from "../route.ts";
import { Health } from "../schema.ts";
import { Checks, Workers } from "../wire.ts";

export function healthRoutes({ info, store, checks, web, people: { mask } }: ApiParts): Route[] {
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
        const drives = info.drives || (await store.workers()).some(({ silent }) => !silent);
        const due = drives ? {} : { due: await countDue(store) };
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
      async () => ({ workers: await store.workers() }),
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
