// The events of the API's streams. The server and the client import this file, so it must run in a browser.

import type { Delta } from "../../journal/deltas.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { LiveEvent } from "../../projections/formats/live-feed.ts";

/** Names of stream events. Journal events have no name, that is, no `event:` field. */
export const STREAM_EVENTS = {
  delta: "delta",
  /** The server does not know the reader's position. The reader must forget all events, because the server sends all of them again. */
  reset: "reset",
  /** The server disconnects a reader that was too slow. The reader can reconnect with the last id. */
  resync: "resync",
  /** The server failed. The data is an error body. */
  failure: "failure",
  /** The stream is complete. If a stream stops before this event, the connection was lost. */
  end: "end",
} as const;

export type StreamItem =
  | { type: "event"; event: JournalEvent }
  | { type: "delta"; delta: Delta }
  | { type: "reset" };

/** An item of contract S4's feed. Messages that are not in the journal (`Token`) have no `seq`. */
export type FeedItem =
  | {
      type: "live";
      live: LiveEvent & { seq?: number };
      /** Position to continue from. Absent if the message has no position, or if further messages of the same event follow. */
      after?: number;
    }
  /** The server does not know the reader's position, so the feed starts with the next event. */
  | { type: "reset" };
