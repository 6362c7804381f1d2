// The HTTP API over the runtime, whatever it is served on. A route reads a checked request, asks the loop
// or the store, and answers JSON; everything that fails ends here, as one body with a stable code.

import { Hono, type MiddlewareHandler } from "hono";
import { CadreError } from "../errors.ts";
import { errorResponse, HttpRefusal } from "./failure.ts";
import type { ApiParts } from "./parts.ts";
import { agentRoutes } from "./routes/agents.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { eventRoutes } from "./routes/events.ts";
import { grantRoutes } from "./routes/grants.ts";
import { healthRoutes } from "./routes/health.ts";
import { messageRoutes } from "./routes/messages.ts";
import { runRoutes } from "./routes/runs.ts";
import { usageRoutes } from "./routes/usage.ts";
import { webRoutes } from "./routes/web.ts";

export function createApp(parts: ApiParts): Hono {
  const app = new Hono();
  app.use(jsonOnly);
  app.route("/api/health", healthRoutes(parts));
  app.route("/api/runs", runRoutes(parts));
  app.route("/api", eventRoutes(parts));
  app.route("/api/approvals", approvalRoutes(parts));
  app.route("/api/grants", grantRoutes(parts));
  app.route("/api/agents", agentRoutes(parts));
  app.route("/api/messages", messageRoutes(parts));
  app.route("/api/usage", usageRoutes(parts));
  app.route("/api", webRoutes(parts));
  return withRefusals(app, parts);
}

/** What no route took, and what failed in one. */
export function withRefusals(
  app: Hono,
  { onProblem, people: { mask } }: Pick<ApiParts, "onProblem" | "people">,
): Hono {
  app.notFound((c) =>
    errorResponse(new CadreError("NOT_FOUND", `There is no ${c.req.method} ${c.req.path} here.`), mask),
  );
  app.onError((error, c) => {
    const foreseen = error instanceof CadreError && error.code !== "INTERNAL";
    if (!foreseen) onProblem({ message: `${c.req.method} ${c.req.path} failed.`, error });
    return errorResponse(error, mask);
  });
  return app;
}

/** A form on a foreign page can post text, but not JSON. */
const jsonOnly: MiddlewareHandler = async (c, next) => {
  const type = c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (c.req.method === "POST" && type !== "application/json") {
    throw new HttpRefusal(415, "Send JSON, with `Content-Type: application/json`. Nothing was changed.");
  }
  await next();
};
