// What a team of people needs beside its runs.

import type { ApiParts } from "../parts.ts";
import type { Route } from "./route.ts";
import { userRoutes } from "./users.ts";
import { webhookRoutes } from "./webhooks.ts";

export const teamRoutes = (parts: ApiParts): Route[] => [...userRoutes(parts), ...webhookRoutes(parts)];
