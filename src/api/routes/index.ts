// All routes of Cadre's own API. Each resource has its own file, and one line in this list.

import type { RouteParts } from "../parts.ts";
import { agentRoutes } from "./agents.ts";
import { approvalRoutes } from "./approvals.ts";
import { attachmentRoutes } from "./attachments.ts";
import { browserAccessRoutes } from "./browser-access.ts";
import { cacheRoutes } from "./cache.ts";
import { chatContractRoutes } from "./chat-contract.ts";
import { compareRoutes } from "./compare.ts";
import { decisionRoutes } from "./decisions.ts";
import { demoRoutes } from "./demo.ts";
import { eventRoutes } from "./events.ts";
import { exportRoutes } from "./export.ts";
import { factoryContractRoutes } from "./factory-contract.ts";
import { grantRoutes } from "./grants.ts";
import { healthRoutes } from "./health.ts";
import { hookRoutes } from "./hooks.ts";
import { messageRoutes } from "./messages.ts";
import { metricsRoutes } from "./metrics.ts";
import { opsContractRoutes } from "./ops-contract.ts";
import { projectRoutes } from "./projects.ts";
import { runActionRoutes } from "./run-actions.ts";
import { runRoutes } from "./runs.ts";
import { scheduleRoutes } from "./schedules.ts";
import { sessionRoutes } from "./sessions.ts";
import { settingsRoutes } from "./settings.ts";
import { undoRoutes } from "./undo.ts";
import { usageRoutes } from "./usage.ts";
import { userRoutes } from "./users.ts";
import { webhookRoutes } from "./webhooks.ts";
import { whyRoutes } from "./why.ts";
import { workspaceRoutes } from "./workspace.ts";

/** Lists the routes. The return type is inferred, because the client's types are derived from it. */
export function apiRoutes(parts: RouteParts) {
  return [
    ...runRoutes(parts),
    ...runActionRoutes(parts),
    ...attachmentRoutes(parts),
    ...compareRoutes(parts),
    ...exportRoutes(parts),
    ...whyRoutes(parts),
    ...cacheRoutes(parts),
    ...messageRoutes(parts),
    ...undoRoutes(parts),
    ...usageRoutes(parts),
    ...approvalRoutes(parts),
    ...decisionRoutes(parts),
    ...grantRoutes(parts),
    ...agentRoutes(parts),
    ...sessionRoutes(parts),
    ...healthRoutes(parts),
    ...metricsRoutes(parts),
    ...browserAccessRoutes(parts),
    ...projectRoutes(parts),
    ...demoRoutes(parts),
    ...userRoutes(parts),
    ...webhookRoutes(parts),
    ...scheduleRoutes(parts),
    ...hookRoutes(parts),
    ...opsContractRoutes(parts),
    ...factoryContractRoutes(parts),
    ...chatContractRoutes(parts),
    ...settingsRoutes(parts),
    ...workspaceRoutes(parts),
    ...eventRoutes(parts),
  ];
}

export type ApiRoute = ReturnType<typeof apiRoutes>[number];
