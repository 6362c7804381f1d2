// What was spent, and how delegations went: of all runs, or of one and everything below it. How the latest runs of each
// agent went is read from rows alone.

import { talliesByAgent } from "../../projections/usage/agent-tallies.ts";
import { UsageQuery } from "../client/types.ts";
import { latestRuns } from "../latest-runs.ts";
import type { ApiParts } from "../parts.ts";
import { readUsage } from "../views/usage.ts";
import { route } from "./route.ts";
import { Activity, Usage } from "./wire.ts";

export function usageRoutes({ store }: ApiParts) {
  return [
    route(
      {
        method: "get",
        path: "/api/usage",
        summary:
          "What was spent, by agent, model and delegation; with `every` also by when, and how trees went",
        query: UsageQuery,
        answer: Usage,
      },
      ({ query }) => readUsage(store, query),
    ),
    route(
      {
        method: "get",
        path: "/api/activity",
        summary: "How the latest runs of each agent went",
        answer: Activity,
        etag: true,
      },
      async () => {
        const { rows, more } = await latestRuns(store);
        return { agents: talliesByAgent(rows), runs: rows.length, more };
      },
    ),
  ];
}
