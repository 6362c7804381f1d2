// What people have allowed beyond one run, as far as it is in force, and how to take it back.

import { CadreError } from "../../errors.ts";
import type { ApiParts } from "../parts.ts";
import { type Route, route } from "../route.ts";
import { Grants, Nothing } from "../wire.ts";

export function grantRoutes({ store, people }: ApiParts): Route[] {
  return [
    route(
      { method: "get", path: "/api/grants", summary: "What is allowed for good", answer: Grants },
      async () => {
        const now = people.clock.now();
        return { grants: (await store.grants()).filter(({ until = Infinity }) => until > now) };
      },
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
