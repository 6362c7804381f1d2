// The feed of all runs, shared by all tabs.
// A browser opens only six connections per server, so one tab reads the stream and passes the events on to the other tabs.
// When the reading tab closes, another tab continues the stream from the same position.

import { omitUndefined } from "../../../src/omit-undefined.ts";
import type { LiveEvent } from "../../../src/projections/formats/live-feed.ts";
import { type Connection, setConnection } from "./connection.ts";
import { followStream, type StreamState } from "./reconnecting-stream.ts";

/** `reset` means that some events might have been missed, so everything must be refetched. */
export type FeedNews = { type: "live"; live: LiveEvent } | { type: "reset" };

type Told =
  | { type: "news"; news: FeedNews; after?: number }
  | { type: "connection"; connection: Omit<Connection, "since"> }
  | { type: "hello" };

const NAME = "cadre.feed";
/** If an event arrives within this time after a reconnect, it happened while the connection was down. */
const CATCH_UP_MS = 2_000;

export function followFeed(onNews: (news: FeedNews) => void): () => void {
  const end = new AbortController();
  const channel = new BroadcastChannel(NAME);
  const place: Place = { after: undefined };
  channel.onmessage = ({ data }: MessageEvent<Told>) => {
    if (data.type === "connection") setConnection(data.connection);
    if (data.type !== "news") return;
    place.after = data.after ?? place.after;
    onNews(data.news);
  };
  channel.postMessage({ type: "hello" } satisfies Told);
  const hold = () => holdStream(place, channel, onNews, end.signal);
  // Web Locks need a secure context (TLS or localhost). If there are no Web Locks, each tab opens its own stream.
  if ("locks" in navigator) {
    navigator.locks.request(NAME, { signal: end.signal }, hold).catch(() => {});
  } else void hold();
  return () => {
    end.abort();
    channel.close();
  };
}

interface Place {
  after: number | undefined;
}

async function holdStream(
  place: Place,
  channel: BroadcastChannel,
  onNews: (news: FeedNews) => void,
  signal: AbortSignal,
): Promise<void> {
  let connection: Omit<Connection, "since"> = { state: "connecting" };
  const become = (next: Omit<Connection, "since">) => {
    connection = next;
    setConnection(next);
    if (!signal.aborted) channel.postMessage({ type: "connection", connection } satisfies Told);
  };
  const tell = (news: FeedNews, after?: number) => {
    onNews(news);
    channel.postMessage(omitUndefined({ type: "news" as const, news, after }) satisfies Told);
  };
  channel.addEventListener("message", ({ data }: MessageEvent<Told>) => {
    if (data.type === "hello") channel.postMessage({ type: "connection", connection } satisfies Told);
  });
  let backAt = 0;
  await followStream({
    signal,
    open: (client, both) => client.feed(omitUndefined({ signal: both, after: place.after })),
    onState(state: StreamState) {
      if (state === "live" && connection.state === "lost") {
        backAt = Date.now();
        become({ state, caughtUp: 0 });
        tell({ type: "reset" });
      } else {
        become({ state });
        // Tells the page to refetch all data, because data loaded before the stream opened might have changed without an event.
        if (state === "live") tell({ type: "reset" });
      }
    },
    onItem(item) {
      if (item.type === "reset") return tell(item);
      if (item.after !== undefined) {
        place.after = item.after;
        if (Date.now() - backAt < CATCH_UP_MS)
          become({ state: "live", caughtUp: (connection.caughtUp ?? 0) + 1 });
      }
      tell({ type: "live", live: item.live }, item.after);
    },
  });
}
