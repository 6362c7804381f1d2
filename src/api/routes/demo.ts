// The demo's plug. A server that nobody watches, or that does real work, has none: these routes are not there.

import { PlugView } from "../client/types.ts";
import type { ApiParts } from "../parts.ts";
import { route } from "./route.ts";
import { Nothing } from "./wire.ts";

export function demoRoutes({ web: { plug } }: ApiParts) {
  if (!plug) return [];
  return [
    route(
      {
        method: "get",
        path: "/api/plug",
        summary: "What became of the runs when the server was last killed",
        answer: PlugView,
      },
      async () => ({ last: await plug.lastRecovery() }),
    ),
    route(
      {
        method: "post",
        path: "/api/plug",
        summary: "Kills the server with SIGKILL; a watcher starts it again",
        answer: Nothing,
        status: 202,
        role: "admin",
      },
      () => {
        plug.kill();
        return {};
      },
    ),
  ];
}
