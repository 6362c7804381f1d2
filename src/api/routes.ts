// All routes. A resource has a file of its own, and a line here.

import type { RouteParts } from "./parts.ts";
import type { Route } from "./route.ts";
import { agentRoutes } from "./routes/agents.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { compareRoutes } from "./routes/compare.ts";
import { contractRoutes } from "./routes/contracts.ts";
import { exportRoutes } from "./routes/export.ts";
import { grantRoutes } from "./routes/grants.ts";
import { healthRoutes } from "./routes/health.ts";
import { messageRoutes } from "./routes/messages.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { protocolRoutes } from "./routes/protocols.ts";
import { runActionRoutes } from "./routes/run-actions.ts";
import { runRoutes } from "./routes/runs.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { teamRoutes } from "./routes/team.ts";
import { usageRoutes } from "./routes/usage.ts";
import { webRoutes } from "./routes/web.ts";
import { whyRoutes } from "./routes/why.ts";

export function apiRoutes(parts: RouteParts): Route[] {
  return [
    ...runRoutes(parts),
    ...runActionRoutes(parts),
    ...compareRoutes(parts),
    ...exportRoutes(parts),
    ...approvalRoutes(parts),
    ...grantRoutes(parts),
    ...agentRoutes(parts),
    ...sessionRoutes(parts),
    ...messageRoutes(parts),
    ...usageRoutes(parts),
    ...whyRoutes(parts),
    ...healthRoutes(parts),
    ...metricsRoutes(parts),
    ...webRoutes(parts),
    ...teamRoutes(parts),
    ...contractRoutes(parts),
    ...protocolRoutes(parts),
  ];
}
