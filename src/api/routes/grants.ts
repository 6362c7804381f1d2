// What people have allowed beyond one run, as far as it is in force, how to take it back, and which rules would spare them
// from being asked.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { pastCalls } from "../../loop/calls/past-calls.ts";
import { suggestRules } from "../../permissions/suggest.ts";
import type { ApiParts } from "../parts.ts";
import { route } from "./route.ts";
import { Nothing, named } from "./schemas.ts";

export const GrantView = named(
  "GrantView",
  z.object({
    id: z.int(),
    rule: z.string(),
    /** `tree`: until the run that it was given in has ended. */
    scope: z.enum(["always", "tree"]),
    /** Where it counts, and in the worktrees of it; absent: anywhere. */
    folder: z.string().optional(),
    by: z.string(),
    at: z.number(),
    until: z.number().optional(),
    runId: z.string(),
  }),
);
export type GrantView = z.infer<typeof GrantView>;

export const Grants = named("Grants", z.object({ grants: z.array(GrantView) }));

/** Rules that would have spared people from being asked, held against what they have decided. */
export const Suggestions = named(
  "Suggestions",
  z.object({
    /** Decisions that were looked at, the latest. */
    looked: z.object({ allowed: z.int(), refused: z.int() }),
    suggestions: z.array(
      z.object({
        rule: z.string(),
        /** Calls that people allowed and would not have been asked about, of all those of the same kind. */
        spared: z.int(),
        of: z.int(),
        /** Calls of that kind that people refused; it lets none of them pass. */
        refused: z.int(),
        /** Some of those that it would still ask about. */
        stillAsked: z.array(z.string()),
      }),
    ),
  }),
);
export type Suggestions = z.infer<typeof Suggestions>;

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
