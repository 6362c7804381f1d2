// What people have allowed beyond one run, as far as it is in force, how to take it back, and which rules would spare them
// from being asked.

import { CadreError } from "../../errors.ts";
import { pastCalls } from "../../loop/calls/past-calls.ts";
import { suggestRules } from "../../permissions/suggest.ts";
import type { ApiParts } from "../parts.ts";
import { route } from "./route.ts";
import { Grants, Nothing, Suggestions } from "./wire.ts";

export function grantRoutes({ store, people }: ApiParts) {
  return [
    route(
      { method: "get", path: "/api/grants", summary: "What is allowed for good", answer: Grants },
      async () => {
        const now = people.clock.now();
        return { grants: (await store.inbox.grants()).filter(({ until = Infinity }) => until > now) };
      },
    ),
    route(
      { method: "delete", path: "/api/grants/{id}", summary: "Take a grant back", answer: Nothing },
      async ({ params: { id } }) => {
        const known = /^\d{1,15}$/.test(id) && (await store.inbox.revokeGrant(Number(id)));
        if (!known)
          throw new CadreError(
            "NOT_FOUND",
            `There is no grant ${id}: \`cadre permissions\` lists those that are in force. Nothing was changed.`,
          );
        return {};
      },
    ),
    route(
      {
        method: "get",
        path: "/api/permissions/suggestions",
        summary: "Rules that would have spared people from being asked, held against what they have decided",
        answer: Suggestions,
        // A rule of the project counts for everybody.
        role: "admin",
      },
      async () => {
        const past = await pastCalls(store, people);
        const allowed = past.filter(({ decided }) => decided === "allowed").length;
        const looked = { allowed, refused: past.length - allowed };
        return { looked, suggestions: suggestRules(past, people.judge, people.toolFacts) };
      },
    ),
  ];
}
