// The streams, for the API's description. What they do stands in routes/events.ts.

import type { Described } from "./openapi.ts";
import { EventsQuery, FeedQuery } from "./schema.ts";
import { EventPage } from "./wire.ts";

export const STREAMS: readonly Described[] = [
  {
    method: "get",
    path: "/api/runs/{id}/events",
    summary: "A run's journal, as pages or as a stream that goes on",
    query: EventsQuery,
    answer: EventPage,
    media: ["text/event-stream"],
  },
  {
    method: "get",
    path: "/api/events",
    summary: "All that happens, as a stream that goes on",
    query: FeedQuery,
    media: ["text/event-stream"],
  },
];
