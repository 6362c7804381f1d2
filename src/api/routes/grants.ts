// Lists and revokes grants: permissions that last longer than one run. Suggests rules that would make questions unnecessary.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { pastCalls } from "../../loop/calls/past-calls.ts";
import { suggestRules } from "../../permissions/suggest.ts";
import type { ApiParts } from "../parts.ts";
import { route } from "./route.ts";
import { namedObject } from "./schemas.ts";

export const GrantView = namedObject("GrantView", {
  id: z.int(),
  rule: z.string(),
  /** A grant with the scope `tree` ends together with the run in which it was given. */
  scope: z.enum(["always", "tree"]),
  /** The grant applies to this folder and its worktrees. If absent, the grant applies to any folder. */
  folder: z.string().optional(),
  by: z.string(),
  at: z.number(),
  until: z.number().optional(),
  runId: z.string(),
});
export type GrantView = z.infer<typeof GrantView>;

export const Grants = namedObject("Grants", { grants: z.array(GrantView) });

/** Rules that would have made questions unnecessary, checked against past decisions. */
export const Suggestions = namedObject("Suggestions", {
  /** Number of past decisions that were checked. */
  looked: z.object({ allowed: z.int(), refused: z.int() }),
  suggestions: z.array(
    z.object({
      rule: z.string(),
      /** `spared` counts calls that the rule would have allowed without asking. `of` counts all allowed calls of the same kind. */
      spared: z.int(),
      of: z.int(),
      /** Number of denied calls of the same kind. The rule allows none of them. */
      refused: z.int(),
      /** Examples of calls that would still need an approval. */
      stillAsked: z.array(z.string()),
    }),
  ),
});
export type Suggestions = z.infer<typeof Suggestions>;

export function grantRoutes({ store, people }: ApiParts) {
  return [
    route.get("/api/grants", { summary: "Grants that apply beyond one run", answer: Grants }, async () => {
      const now = people.clock.now();
      return { grants: (await store.inbox.grants()).filter(({ until = Infinity }) => until > now) };
    }),
    route.delete("/api/grants/{id}", { summary: "Revoke a grant" }, async ({ params: { id } }) => {
      const known = /^\d{1,15}$/.test(id) && (await store.inbox.revokeGrant(Number(id)));
      if (!known)
        throw new CadreError(
          "NOT_FOUND",
          `There is no grant ${id}: \`cadre permissions\` lists those that are in force. Nothing was changed.`,
        );
    }),
    route.get(
      "/api/permissions/suggestions",
      {
        summary: "Rules that would have saved questions, checked against past decisions",
        answer: Suggestions,
        // Only admins can see suggestions, because a project's rule applies to all users.
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
