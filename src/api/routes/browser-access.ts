// Gives browsers access. A one-time link signs in one browser. A new token signs out all browsers except the browser that requested it.

import { CadreError } from "../../errors.ts";
import type { Person } from "../access/person.ts";
import { route } from "./route.ts";
import { LinkView } from "./schemas.ts";

/** Functions of the public server that these routes call. */
export interface BrowserAccess {
  /** Makes a one-time link that signs in one browser, for a named user or for the token's holder. */
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
    "This process serves no web page: start `cadre up`, or use the Settings page or the API of a server that is running. Nothing was changed.",
  );
}
