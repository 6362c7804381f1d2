// The events of the API's streams. Both ends read this file, so it runs in a browser.

import type { Delta } from "../../journal/deltas.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { LiveEvent } from "../../projections/formats/live-feed.ts";

/** The names of everything in a stream that is not a journal event: those have no `event:` field. */
export const STREAM_EVENTS = {
  delta: "delta",
  /** The reader's place is not known here: everything follows from the beginning, forget what you have. */
  reset: "reset",
  /** The reader was too slow and is cut off: come again with the last id. */
  resync: "resync",
  /** What the server could not read, as the body of an error. */
  failure: "failure",
  /** Nothing more will come. A stream that stops without it was lost. */
  end: "end",
} as const;

export type StreamItem =
  | { type: "event"; event: JournalEvent }
  | { type: "delta"; delta: Delta }
  | { type: "reset" };

/** S4's feed. What has no place in the journal (`Token`) has no `seq`. */
export type FeedItem =
  | {
      type: "live";
      live: LiveEvent & { seq?: number };
      /** Where to go on after this one; absent: there is more to the same event, or it has no place. */
      after?: number;
    }
  /** The reader's place is not known here: it goes on from now. */
  | { type: "reset" };
