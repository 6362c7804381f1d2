// The HTTP API over the runtime, whatever it is served on. A route reads a checked request, asks the loop
// or the store, and answers JSON; everything that fails ends here, as one body with a stable code.

import { type Context, Hono, type MiddlewareHandler } from "hono";
import { CadreError, toCadreError } from "../errors.ts";
import { asSender } from "./as-sender.ts";
import { errorBody, errorResponse, HttpRefusal, statusOf } from "./failure.ts";
import { createHub } from "./hub.ts";
import type { ApiParts } from "./parts.ts";
import type { refusalPage } from "./refusal-page.ts";
import { aboutRoutes } from "./routes/about.ts";
import { eventRoutes } from "./routes/events.ts";
import { apiRoutes } from "./routes.ts";
import { actorOf } from "./via.ts";

/** `outermost`: what this is served behind. */
export function createApp(parts: ApiParts, outermost?: Pick<Hono, "fetch">): Hono {
  const app = new Hono();
  app.use(jsonOnly);
  const given = {
    ...parts,
    hub: createHub(parts),
    by: (request: Request) => actorOf(parts.who(request), request),
    asSender: asSender(() => outermost ?? app),
  };
  const routes = [...apiRoutes(given), ...eventRoutes(given)];
  for (const { method, path, handle } of [...routes, ...aboutRoutes(routes, parts)])
    app.on(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ":$1"), handle);
  return withRefusals(app, parts);
}

/** What no route took, and what failed in one. `page`: how a refusal looks to who asked for a page. */
export function withRefusals(
  app: Hono,
  { onProblem, people: { mask } }: Pick<ApiParts, "onProblem" | "people">,
  page: typeof refusalPage = () => undefined,
): Hono {
  const refuse = (c: Context, error: unknown): Response => {
    const failure = toCadreError(error);
    return page(c, statusOf(failure), errorBody(failure).error.message) ?? errorResponse(failure, mask);
  };
  app.notFound((c) =>
    refuse(c, new CadreError("NOT_FOUND", `There is no ${c.req.method} ${c.req.path} here.`)),
  );
  app.onError((error, c) => {
    if (statusOf(toCadreError(error)) >= 500)
      onProblem({ message: `${c.req.method} ${c.req.path} failed.`, error });
    return refuse(c, error);
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
