// What people have allowed for good, and how to take it back.

import { CadreError } from "../../errors.ts";
import type { ApiParts } from "../parts.ts";
import { type Route, route } from "../route.ts";
import { Grants, Nothing } from "../wire.ts";

export function grantRoutes({ store }: ApiParts): Route[] {
  return [
    route(
      { method: "get", path: "/api/grants", summary: "What is allowed for good", answer: Grants },
      async () => ({ grants: (await store.grants()).filter(({ scope }) => scope === "always") }),
    ),
    route(
      { method: "delete", path: "/api/grants/{id}", summary: "Take a grant back", answer: Nothing },
      async ({ params: { id } }) => {
        const known = /^\d{1,15}$/.test(id) && (await store.revokeGrant(Number(id)));
        if (!known) throw new CadreError("NOT_FOUND", `There is no grant ${id}.`);
        return {};
      },
    ),
  ];
}
