// The journal itself: of one run, of a tree, of all runs; as JSON, or as a stream that goes on.

import { type Context, Hono } from "hono";
import type { JournalEvent } from "../../journal/events.ts";
import type { RunRow } from "../../projections/run-row.ts";
import type { Store } from "../../stores/store.ts";
import { findRun } from "../find-run.ts";
import type { ApiParts } from "../parts.ts";
import { readQuery } from "../request.ts";
import { EventsQuery, FeedQuery } from "../schema.ts";
import { belongs, eventStream, placeOf, type Wanted } from "../sse.ts";
import { subtreeOf } from "../subtree.ts";

const PAGE = 1_000;

export function eventRoutes(parts: ApiParts): Hono {
  const { store } = parts;
  return new Hono()
    .get("/runs/:id/events", async (c) => {
      const query = readQuery(c, EventsQuery);
      if (!query.stream && !wantsStream(c)) {
        const row = await findRun(store, c.req.param("id"));
        return c.json(await pageOf(store, query.after ?? 0, await scopeOf(store, row, query.tree)));
      }
      // Before the run is looked at: one that has not ended then ends after this place, so its end is never missed.
      const place = await placeOf(store, c.req.header("Last-Event-ID"), query.after);
      const row = await findRun(store, c.req.param("id"));
      const until = query.follow ? {} : { until: { runId: row.id, ended: row.endedAt !== undefined } };
      return stream(c, { ...(await scopeOf(store, row, query.tree)), ...place, ...until });
    })
    .get("/events", async (c) => {
      const { after } = readQuery(c, FeedQuery);
      return stream(c, { of: {}, ...(await placeOf(store, c.req.header("Last-Event-ID"), after)) });
    });

  function stream(c: Context, wanted: Wanted): Response {
    // A HEAD request's body is never read: nobody would end its stream.
    return c.req.method === "HEAD" ? c.body(null) : eventStream(parts, wanted);
  }
}

const wantsStream = (c: Context): boolean => (c.req.header("Accept") ?? "").includes("text/event-stream");

type Scope = Pick<Wanted, "of" | "runs">;

async function scopeOf(store: Store, row: RunRow, tree: boolean): Promise<Scope> {
  if (!tree) return { of: { run: row.id }, runs: new Set([row.id]) };
  const runs = await subtreeOf(store, row);
  return { of: { root: row.rootRunId }, runs: new Set(runs.map(({ id }) => id)) };
}

async function pageOf(
  store: Store,
  after: number,
  { of, runs }: Scope,
): Promise<{ events: JournalEvent[]; nextAfter?: number }> {
  const page = await store.read(after, PAGE, of);
  const events = page.filter((event) => belongs(event, runs));
  // Not only after a full page: what cannot be read is left out of it.
  const last = page.at(-1);
  return { events, ...(last ? { nextAfter: last.position } : {}) };
}
