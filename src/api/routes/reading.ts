// What is read from journals, one by one or over many of them.

import type { RouteParts } from "../route-parts.ts";
import { compareRoutes } from "./compare.ts";
import { exportRoutes } from "./export.ts";
import { messageRoutes } from "./messages.ts";
import type { Route } from "./route.ts";
import { usageRoutes } from "./usage.ts";
import { whyRoutes } from "./why.ts";

export const readingRoutes = (parts: RouteParts): Route[] => [
  ...compareRoutes(parts),
  ...exportRoutes(parts),
  ...whyRoutes(parts),
  ...messageRoutes(parts),
  ...usageRoutes(parts),
];
