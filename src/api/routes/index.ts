// All routes. A resource has a file of its own, and a line here.

import type { RouteParts } from "../route-parts.ts";
import { agentRoutes } from "./agents.ts";
import { approvalRoutes } from "./approvals.ts";
import { browserAccessRoutes } from "./browser-access.ts";
import { contractRoutes } from "./contracts.ts";
import { grantRoutes } from "./grants.ts";
import { healthRoutes } from "./health.ts";
import { metricsRoutes } from "./metrics.ts";
import { protocolRoutes } from "./protocols.ts";
import { readingRoutes } from "./reading.ts";
import type { Route } from "./route.ts";
import { runActionRoutes } from "./run-actions.ts";
import { runRoutes } from "./runs.ts";
import { sessionRoutes } from "./sessions.ts";
import { teamRoutes } from "./team.ts";

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
