// The model calls of a session, a run or a role, one row each. The rows are caught up with the journals when they are
// asked for.

import { Hono } from "hono";
import { findRun } from "../find-run.ts";
import type { ApiParts } from "../parts.ts";
import { readQuery } from "../request.ts";
import { MessagesQuery } from "../schema.ts";

export function messageRoutes({ store }: ApiParts): Hono {
  return new Hono().get("/", async (c) => {
    const { run, ...filter } = readQuery(c, MessagesQuery);
    const of = run === undefined ? {} : { run: (await findRun(store, run)).id };
    return c.json(await store.messages({ ...filter, ...of }));
  });
}
