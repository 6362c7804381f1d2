// All routes. A resource has a file of its own, and a line here.

import type { Route } from "./route.ts";
import type { RouteParts } from "./route-parts.ts";
import { agentRoutes } from "./routes/agents.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { contractRoutes } from "./routes/contracts.ts";
import { grantRoutes } from "./routes/grants.ts";
import { healthRoutes } from "./routes/health.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { protocolRoutes } from "./routes/protocols.ts";
import { readingRoutes } from "./routes/reading.ts";
import { runActionRoutes } from "./routes/run-actions.ts";
import { runRoutes } from "./routes/runs.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { teamRoutes } from "./routes/team.ts";
import { browserAccessRoutes } from "./routes/web.ts";

export function apiRoutes(parts: RouteParts): Route[] {
  return [
    ...runRoutes(parts),
    ...runActionRoutes(parts),
    ...readingRoutes(parts),
    ...approvalRoutes(parts),
    ...grantRoutes(parts),
    ...agentRoutes(parts),
    ...sessionRoutes(parts),
    ...healthRoutes(parts),
    ...metricsRoutes(parts),
    ...browserAccessRoutes(parts),
    ...teamRoutes(parts),
    ...contractRoutes(parts),
    ...protocolRoutes(parts),
  ];
}
