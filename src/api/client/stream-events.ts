// The events of the API's streams. Both ends read this file, so it runs in a browser.

import type { Delta } from "../../journal/deltas.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { LiveEvent } from "../../projections/formats/live-feed.ts";

/** Names of stream events. Journal events have no name, that is, no `event:` field. */
export const STREAM_EVENTS = {
  delta: "delta",
  /** The server does not know the reader's position. The reader forgets everything, and all events follow again. */
  reset: "reset",
  /** The reader was too slow and is disconnected. It can reconnect with the last id. */
  resync: "resync",
  /** The server failed; the data is the body of an error. */
  failure: "failure",
  /** The stream is complete. A stream that stops without this was lost. */
  end: "end",
} as const;

export type StreamItem =
  | { type: "event"; event: JournalEvent }
  | { type: "delta"; delta: Delta }
  | { type: "reset" };

/** The feed of contract S4. Messages that are not in the journal (`Token`) have no `seq`. */
export type FeedItem =
  | {
      type: "live";
      live: LiveEvent & { seq?: number };
      /** Position to continue from. Absent if more messages of the same event follow, or the message has no position. */
      after?: number;
    }
  /** The server does not know the reader's position, so the feed continues from now. */
  | { type: "reset" };
