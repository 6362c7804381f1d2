// Who serves this API, and over which store.

import { Hono } from "hono";
import type { ApiParts } from "../parts.ts";
import { readQuery } from "../request.ts";
import { type Health, NoQuery } from "../schema.ts";

export function healthRoutes({ info, store }: ApiParts): Hono {
  return new Hono().get("/", (c) => {
    readQuery(c, NoQuery);
    const { version, folder, startedAt, drives, model } = info;
    const health: Health = { version, pid: process.pid, storeId: store.id, folder, startedAt, drives, model };
    return c.json(health);
  });
}
