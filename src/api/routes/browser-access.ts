// The public server's own affairs: a link for a browser, and a new token. Both are for who is let in already.

import { CadreError } from "../../errors.ts";
import { LinkView } from "../client/types.ts";
import type { ApiParts, BrowserAccess } from "../parts.ts";
import { route } from "./route.ts";
import { Nothing } from "./wire.ts";

export function browserAccessRoutes(parts: ApiParts) {
  return [
    route(
      {
        method: "post",
        path: "/api/link",
        summary: "A one-time link for a browser",
        answer: LinkView,
        status: 201,
        role: "viewer",
      },
      () => requireBrowserAccess(parts).newLink(parts.person?.name),
    ),
    route(
      {
        method: "post",
        path: "/api/token",
        summary: "A new token; what the old one opened is closed",
        answer: Nothing,
        status: 201,
        role: "admin",
      },
      () => {
        requireBrowserAccess(parts).renewToken();
        return {};
      },
    ),
  ];
}

export function requireBrowserAccess({ web }: Pick<ApiParts, "web">): BrowserAccess {
  if (web.served) return web.served;
  throw new CadreError(
    "CONFLICT",
    "This process serves no web page: start `cadre up`, or on Postgres ask the one that is up, in its Settings or by its API. Nothing was changed.",
  );
}
