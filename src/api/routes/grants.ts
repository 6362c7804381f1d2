// What people have allowed beyond one run, as far as it is in force, and how to take it back.

import { Hono } from "hono";
import { CadreError } from "../../errors.ts";
import type { ApiParts } from "../parts.ts";
import { readQuery } from "../request.ts";
import { type GrantView, NoQuery } from "../schema.ts";

export function grantRoutes({ store, people }: ApiParts): Hono {
  return new Hono()
    .get("/", async (c) => {
      readQuery(c, NoQuery);
      const now = people.clock.now();
      const grants: GrantView[] = (await store.grants()).filter(({ until = Infinity }) => until > now);
      return c.json({ grants });
    })
    .delete("/:id{[0-9]{1,15}}", async (c) => {
      const id = Number(c.req.param("id"));
      if (!(await store.revokeGrant(id))) throw new CadreError("NOT_FOUND", `There is no grant ${id}.`);
      return c.json({});
    });
}
