// Serves the events of one run, of a tree or of all runs, as pages of JSON or as a live stream.

import type { Context } from "hono";
import { z } from "zod";
import type { Position } from "../../ids.ts";
import { type JournalEvent, payloads } from "../../journal/events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { Store } from "../../stores/store.ts";
import type { RouteParts } from "../parts.ts";
import { isInScope, type Scope } from "../server/hub.ts";
import { feedEncoder } from "../server/live-feed.ts";
import { journalEncoder, resumePosition, type StreamRequest, streamEvents } from "../server/sse.ts";
import { findRun, subtreeOf } from "../views/read-runs.ts";
import { route } from "./route.ts";
import { Count, Flag, namedObject, nameSchema } from "./schemas.ts";

export const EventsQuery = z.strictObject({
  /** Leave out the events up to this position. */
  after: Count.exactOptional(),
  /** Include the events of all descendants. */
  tree: Flag.default(false),
  /** Answer with a stream, even if the Accept header asks for JSON. */
  stream: Flag.default(false),
  /** Keep the stream open after the run has ended. */
  follow: Flag.default(false),
  /** Only for a stream: also send what open calls have streamed so far. Such a delta has `whole: true`. */
  snapshot: Flag.default(false),
});

export const FeedQuery = EventsQuery.pick({ after: true });

/** The union of the schemas of all event types. */
export const EventView = z.union(eventViews()) as unknown as z.ZodType<JournalEvent, JournalEvent>;
nameSchema("EventView", EventView);

export const EventPage = namedObject("EventPage", {
  events: z.array(EventView),
  /** Position where the next page starts. Absent if there are currently no events after the requested position. */
  nextAfter: z.int().optional(),
});
export type EventPage = z.infer<typeof EventPage>;

function eventViews() {
  const place = { runId: z.string(), seq: z.int(), position: z.int(), ts: z.number(), key: z.string() };
  return Object.entries(payloads).map(([type, payload]) =>
    z.object({ ...place, type: z.literal(type), payload }),
  );
}

const PAGE = 1_000;

export function eventRoutes(parts: RouteParts) {
  const { store } = parts;
  const encoder = () => journalEncoder(store);
  return [
    route.get(
      "/api/runs/{id}/events",
      {
        summary: "A run's journal, as pages or as a live stream",
        query: EventsQuery,
        answer: EventPage,
        media: STREAM,
      },
      async ({ params: { id }, query }, c) => {
        if (!query.stream && !wantsStream(c)) {
          const row = await findRun(store, id);
          return pageOf(store, query.after ?? 0, await partOf(store, row, query.tree));
        }
        // Read the position before the run. If the run is still active then, it ends after this position, so the stream cannot miss the end.
        const place = await resumePosition(store, c.req.header("Last-Event-ID"), query.after);
        const row = await findRun(store, id);
        const until = query.follow ? {} : { until: { runId: row.id, ended: row.endedAt !== undefined } };
        const { of, scope } = await partOf(store, row, query.tree);
        const channel = { key: `${query.tree ? "tree" : "run"} ${row.id}`, scope, encoder };
        return streamEvents(c, parts, { channel, of, ...place, ...until, snapshot: query.snapshot });
      },
    ),
    route.get(
      "/api/events",
      { summary: "Live feed of all runs (S4)", query: FeedQuery, media: STREAM },
      async ({ query }, c) => {
        const { now, ...place } = await feedPlace(store, c.req.header("Last-Event-ID"), query.after);
        const channel = { key: "feed", scope: undefined, encoder: () => feedEncoder(store, now) };
        return streamEvents(c, parts, { channel, of: {}, ...place });
      },
    ),
    route.get(
      "/api/journal",
      { summary: "The journals of all runs, as a live stream", query: FeedQuery, media: STREAM },
      async ({ query }, c) => {
        const channel = { key: "journal", scope: undefined, encoder };
        const place = await resumePosition(store, c.req.header("Last-Event-ID"), query.after);
        return streamEvents(c, parts, { channel, of: {}, ...place });
      },
    ),
  ];
}

const STREAM = ["text/event-stream"];

/** A reader without a known position gets only new events, because the feed is not an archive. */
async function feedPlace(store: Store, lastEventId: string | undefined, after: Position | undefined) {
  const now = await store.journal.position();
  if (lastEventId === undefined && after === undefined) return { after: now, reset: false, now };
  const place = await resumePosition(store, lastEventId, after);
  return place.reset ? { after: now, reset: true, now } : { ...place, now };
}

const wantsStream = (c: Context): boolean => (c.req.header("Accept") ?? "").includes("text/event-stream");

interface Part {
  of: StreamRequest["of"];
  scope: Scope;
}

async function partOf(store: Store, row: RunRow, tree: boolean): Promise<Part> {
  if (!tree) return { of: { run: row.id }, scope: { runs: new Set([row.id]), tree } };
  const runs = await subtreeOf(store, row);
  return { of: { root: row.rootRunId }, scope: { runs: new Set(runs.map(({ id }) => id)), tree } };
}

async function pageOf(
  store: Store,
  after: number,
  { of, scope }: Part,
): Promise<{ events: JournalEvent[]; nextAfter?: number }> {
  const page = await store.journal.readAll(after, PAGE, of);
  const events = page.filter((event) => isInScope(event, scope));
  // A page that is not full can be followed by another page, because unreadable events are left out.
  const last = page.at(-1);
  return { events, ...(last ? { nextAfter: last.position } : {}) };
}
