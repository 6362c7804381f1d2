// Routes that older documents name, for the programs that were written to them.

import type { RouteParts } from "../route-parts.ts";
import { chatContractRoutes } from "./chat-contract.ts";
import { opsContractRoutes } from "./ops-contract.ts";
import type { Route } from "./route.ts";
import { settingsRoutes } from "./settings.ts";
import { workspaceRoutes } from "./workspace.ts";

export function contractRoutes(parts: RouteParts): Route[] {
  return [
    ...opsContractRoutes(parts),
    ...chatContractRoutes(parts),
    ...settingsRoutes(parts),
    ...workspaceRoutes(parts),
  ];
}
