// How more browsers get in: a one-time link, and a new token that signs all others out.

import { CadreError } from "../../errors.ts";
import type { Person } from "../access/person.ts";
import { route } from "./route.ts";
import { LinkView } from "./schemas.ts";

/** The public server's part of it. */
export interface BrowserAccess {
  /** Makes a link that lets one browser in, once: for a named user, or for the holder of the token. */
  newLink(user?: string): LinkView;
  renewToken(): void;
}

interface Served {
  web: { served?: BrowserAccess };
}

export function browserAccessRoutes(parts: Served & { person?: Person }) {
  return [
    route.post(
      "/api/link",
      {
        summary: "Create a one-time link that signs in a browser",
        answer: LinkView,
        status: 201,
        role: "viewer",
      },
      () => requireBrowserAccess(parts).newLink(parts.person?.name),
    ),
    route.post(
      "/api/token",
      { summary: "Create a new token; sessions of the old one are closed", status: 201, role: "admin" },
      () => requireBrowserAccess(parts).renewToken(),
    ),
  ];
}

export function requireBrowserAccess({ web }: Served): BrowserAccess {
  if (web.served) return web.served;
  throw new CadreError(
    "CONFLICT",
    "This process serves no web page: start `cadre up`, or on Postgres ask the one that is up, in its Settings or by its API. Nothing was changed.",
  );
}
