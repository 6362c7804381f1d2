// Protocols of others that Cadre speaks beside its own API.

import { mcpRoutes } from "../mcp/routes.ts";
import { openaiRoutes } from "../openai/routes.ts";
import type { RouteParts } from "../route-parts.ts";
import type { Route } from "./route.ts";

export const protocolRoutes = (parts: RouteParts): Route[] => [...mcpRoutes(parts), ...openaiRoutes(parts)];
