// The HTTP API over the runtime, whatever it is served on. A route reads a checked request, asks the loop
// or the store, and answers JSON; everything that fails ends here, as one body with a stable code.

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
import { errorBody, errorResponse, HttpError, statusOf } from "./http-errors.ts";
import { createHub } from "./hub.ts";
import type { RefusalPage } from "./refusal-page.ts";

/** `outermost`: what this is served behind. */
export function createApp(parts: ApiParts, outermost?: Pick<Hono, "fetch">): Hono {
  const app = new Hono();
  app.use(jsonOnly);
  const tableFor = tables(
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

/** As few as fit, so that `/explain` is no part of a name; none of them empty: a slash too many is another address (A11). */
const SEGMENTS = "[^/]+(?:/[^/]+)*?";

/** People whose routes are kept: those who came last. */
const MOST_TABLES = 100;

/** The routes as each person has them: over what they see, and without what their role does not allow. */
function tables(
  parts: ApiParts,
  clientFor: ClientForRequest,
): (person: Person | undefined) => readonly Route[] {
  const kept = new Map<string, readonly Route[]>();
  return (person) => {
    const key = person ? `${person.role} ${person.sees} ${person.name}` : "";
    const known = kept.get(key);
    if (known) return known;
    const table = routeTable(person ? partsForUser(parts, person) : partsForTokenHolder(parts), clientFor);
    kept.set(key, table);
    if (kept.size > MOST_TABLES) kept.delete([...kept.keys()][1]!);
    return table;
  };
}

export function routeTable(parts: ApiParts, clientFor: ClientForRequest): Route[] {
  const given = {
    ...parts,
    hub: createHub(parts),
    by: (request: Request) => actorOf(parts.who(request), request),
    clientFor,
  };
  const routes: Route[] = [...apiRoutes(given), ...mcpRoutes(given), ...openaiRoutes(given)];
  const { person } = parts;
  return [...routes, ...apiDocsRoutes(routes, parts)].map((route) => {
    const needed = roleFor(route);
    if (!person || hasRole(person, needed)) return route;
    return { ...route, handle: async () => refuseRole(person, needed) };
  });
}

/** What no route took, and what failed in one. `page`: how a refusal looks to who asked for a page. */
export function addErrorHandlers(
  app: Hono,
  { onProblem, people: { mask } }: Pick<ApiParts, "onProblem" | "people">,
  page: RefusalPage = () => undefined,
): Hono {
  const refuse = (c: Context, error: unknown): Response => {
    const failure = toCadreError(error);
    const bodyOf = c.req.path.startsWith("/v1/") ? openaiErrorBody : errorBody;
    return (
      page(c, statusOf(failure), errorBody(failure).error.message) ?? errorResponse(failure, mask, bodyOf)
    );
  };
  app.notFound((c) =>
    refuse(
      c,
      new CadreError(
        "NOT_FOUND",
        `There is no ${c.req.method} ${c.req.path} here: /docs lists what there is.`,
      ),
    ),
  );
  app.onError((error, c) => {
    if (statusOf(toCadreError(error)) >= 500)
      onProblem({ message: `${c.req.method} ${c.req.path} failed.`, error, answered: true });
    return refuse(c, error);
  });
  return app;
}

/** A form on a foreign page can post text, but neither JSON nor a token in its headers; and no body says nothing (A05). */
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

// Through what somebody acts, beside who they are: a decision that came through a protocol is recorded as such. It is the
// word of whoever has the token anyway, so it gives nothing; only names that we know count.
const NAMES: Readonly<Record<string, string>> = { mcp: "MCP", acp: "ACP" };

/** `maria via MCP`. */
function actorOf(who: string, request: Request): string {
  const via = NAMES[request.headers.get(VIA_HEADER) ?? ""];
  return via === undefined ? who : `${who} via ${via}`;
}
