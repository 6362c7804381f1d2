// Who serves this API, and over which store.

import type { ApiParts } from "../parts.ts";
import { type Route, route } from "../route.ts";
import { Health } from "../schema.ts";

export function healthRoutes({ info, store }: ApiParts): Route[] {
  return [
    route(
      {
        method: "get",
        path: "/api/health",
        summary: "Who serves this API, over which store",
        answer: Health,
      },
      () => {
        const { version, folder, startedAt, drives, model } = info;
        return { version, pid: process.pid, storeId: store.id, folder, startedAt, drives, model };
      },
    ),
  ];
}
