// All routes. A resource has a file of its own, and a line here.

import type { RouteParts } from "./parts.ts";
import type { Route } from "./route.ts";
import { agentRoutes } from "./routes/agents.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { contractRoutes } from "./routes/contracts.ts";
import { grantRoutes } from "./routes/grants.ts";
import { healthRoutes } from "./routes/health.ts";
import { messageRoutes } from "./routes/messages.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { protocolRoutes } from "./routes/protocols.ts";
import { runActionRoutes } from "./routes/run-actions.ts";
import { runRoutes } from "./routes/runs.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { usageRoutes } from "./routes/usage.ts";
import { webRoutes } from "./routes/web.ts";

export function apiRoutes(parts: RouteParts): Route[] {
  return [
    ...runRoutes(parts),
    ...runActionRoutes(parts),
    ...approvalRoutes(parts),
    ...grantRoutes(parts),
    ...agentRoutes(parts),
    ...sessionRoutes(parts),
    ...messageRoutes(parts),
    ...usageRoutes(parts),
    ...healthRoutes(parts),
    ...metricsRoutes(parts),
    ...webRoutes(parts),
    ...contractRoutes(parts),
    ...protocolRoutes(parts),
  ];
}
