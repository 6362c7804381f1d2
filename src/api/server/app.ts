// The HTTP API as an app that any server can run. Each route checks the request, calls the loop or the store, and answers with JSON.
// The app converts every error to a body of the same format, with a stable code.

import { type Context, Hono, type MiddlewareHandler } from "hono";
import { CadreError, toCadreError } from "../../errors.ts";
import { hasRole, type Person, refuseRole } from "../access/person.ts";
import { partsForTokenHolder, partsForUser } from "../access/user-parts.ts";
import { VIA_HEADER } from "../client/send.ts";
import { mcpRoutes } from "../mcp/routes.ts";
import { openaiErrorBody } from "../openai/errors.ts";
import { openaiRoutes } from "../openai/routes.ts";
import type { ApiParts } from "../parts.ts";
import { apiDocsRoutes } from "../routes/api-docs.ts";
import { apiRoutes } from "../routes/index.ts";
import { type Route, roleFor } from "../routes/route.ts";
import { type ClientForRequest, createClientForRequest } from "./client-for-request.ts";
import { errorBody, HttpError, statusOf } from "./http-errors.ts";
import { createHub } from "./hub.ts";
import type { RefusalPage } from "./refusal-page.ts";

/** `outermost` is the app that contains this app and checks access. */
export function createApp(parts: ApiParts, outermost?: Pick<Hono, "fetch">): Hono {
  const app = new Hono();
  app.use(jsonOnly);
  const tableFor = createTables(
    parts,
    createClientForRequest(() => outermost ?? app),
  );
  tableFor(undefined).forEach(({ method, path, allowSlashes }, index) => {
    const handle = (c: Context) => tableFor(c.get("person"))[index]!.handle(c);
    const param = allowSlashes ? `:$1{${SEGMENTS}}` : ":$1";
    app.on(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, param), handle);
  });
  return addErrorHandlers(app, parts);
}

/** Matches a name with slashes. It is not greedy, so that `/explain` is not part of the name. Double slashes do not match (A11). */
const SEGMENTS = "[^/]+(?:/[^/]+)*?";

/** Maximum number of users whose route tables are cached. */
const MAX_TABLES = 100;

/** Creates the routes for each user. The routes read only runs that the user is allowed to see, and check the user's role. */
function createTables(
  parts: ApiParts,
  clientFor: ClientForRequest,
): (person: Person | undefined) => readonly Route[] {
  const cache = new Map<string, readonly Route[]>();
  return (person) => {
    const key = person ? `${person.role} ${person.sees} ${person.name}` : "";
    const known = cache.get(key);
    if (known) return known;
    const table = routeTable(person ? partsForUser(parts, person) : partsForTokenHolder(parts), clientFor);
    cache.set(key, table);
    if (cache.size > MAX_TABLES) cache.delete([...cache.keys()][1]!);
    return table;
  };
}

export function routeTable(parts: ApiParts, clientFor: ClientForRequest): Route[] {
  const routeParts = {
    ...parts,
    hub: createHub(parts),
    by: (request: Request) => actorOf(parts.who(request), request),
    clientFor,
  };
  const routes: Route[] = [...apiRoutes(routeParts), ...mcpRoutes(routeParts), ...openaiRoutes(routeParts)];
  const { person } = parts;
  return [...routes, ...apiDocsRoutes(routes, parts)].map((route) => {
    const needed = roleFor(route);
    if (!person || hasRole(person, needed)) return route;
    return { ...route, handle: async () => refuseRole(person, needed) };
  });
}

/** Adds the answers for unknown paths and errors. `page` renders an error as HTML for requests from a browser. */
export function addErrorHandlers(
  app: Hono,
  { onProblem, people: { mask } }: Pick<ApiParts, "onProblem" | "people">,
  page: RefusalPage = () => undefined,
): Hono {
  const refuse = (c: Context, error: unknown): Response => {
    const failure = toCadreError(error);
    const bodyOf = c.req.path.startsWith("/v1/") ? openaiErrorBody : errorBody;
    return (
      page(c, statusOf(failure), errorBody(failure).error.message) ??
      // An error might repeat parts of the request, so its secrets are masked.
      Response.json(mask.value<object>(bodyOf(failure)), { status: statusOf(failure) })
    );
  };
  app.notFound((c) =>
    refuse(
      c,
      new CadreError("NOT_FOUND", `There is no ${c.req.method} ${c.req.path} here. /docs lists all routes.`),
    ),
  );
  app.onError((error, c) => {
    if (statusOf(toCadreError(error)) >= 500)
      onProblem({ message: `${c.req.method} ${c.req.path} failed.`, error, answered: true });
    return refuse(c, error);
  });
  return app;
}

/** A form on another website can post text, but it can send neither JSON nor an Authorization header (A05). */
const jsonOnly: MiddlewareHandler = async (c, next) => {
  const type = c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (c.req.method === "POST" && type !== "application/json" && !(hasToken(c) && isEmpty(c))) {
    throw new HttpError(415, "Send JSON, with `Content-Type: application/json`. Nothing was changed.");
  }
  await next();
};

const hasToken = (c: Context): boolean => c.req.header("Authorization")?.startsWith("Bearer ") ?? false;

const isEmpty = (c: Context): boolean =>
  (c.req.header("Content-Length") ?? "0") === "0" && c.req.header("Transfer-Encoding") === undefined;

/** Protocols that a client can name as the source of a decision. The name gives no rights. Unknown names are ignored. */
const PROTOCOLS: Readonly<Record<string, string>> = { mcp: "MCP", acp: "ACP" };

/** Returns the acting person and the protocol as the journal records them: `maria via MCP`. */
function actorOf(who: string, request: Request): string {
  const via = PROTOCOLS[request.headers.get(VIA_HEADER) ?? ""];
  return via === undefined ? who : `${who} via ${via}`;
}
