// The public server's own affairs: a link for a browser, and a new token. Both are for who is let in already.

import { Hono } from "hono";
import { CadreError } from "../../errors.ts";
import type { ApiParts, Web } from "../parts.ts";
import { readBody } from "../request.ts";
import { EmptyBody, type LinkView } from "../schema.ts";

export function webRoutes(parts: ApiParts): Hono {
  return new Hono()
    .post("/link", async (c) => {
      await readBody(c, EmptyBody);
      const link: LinkView = served(parts).newLink();
      return c.json(link, 201);
    })
    .post("/token", async (c) => {
      await readBody(c, EmptyBody);
      served(parts).renewToken();
      return c.json({}, 201);
    });
}

function served({ web }: ApiParts): Web {
  if (web) return web;
  throw new CadreError("CONFLICT", "This process serves no web page: start `cadre up`. Nothing was changed.");
}
