// Protocols of others that Cadre speaks beside its own API.

import type { Route } from "../route.ts";
import type { RouteParts } from "../route-parts.ts";
import { mcpRoutes } from "./mcp.ts";
import { openaiRoutes } from "./openai.ts";

export const protocolRoutes = (parts: RouteParts): Route[] => [...mcpRoutes(parts), ...openaiRoutes(parts)];
