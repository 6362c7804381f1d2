// What happens to all runs, once per browser: a browser opens only six connections to a server, so of many tabs one holds
// the stream and tells the others. Where it ends, the next tab takes its place from where it was.

import type { LiveEvent } from "../../../src/projections/formats/live-feed.ts";
import { type Connection, setConnection } from "./connection.ts";
import { followStream, type StreamState } from "./reconnecting-stream.ts";

/** `reset`: something may have been missed, so ask for everything anew. */
export type FeedNews = { type: "live"; live: LiveEvent } | { type: "reset" };

type Told =
  | { type: "news"; news: FeedNews; after?: number }
  | { type: "connection"; connection: Omit<Connection, "since"> }
  | { type: "hello" };

const NAME = "cadre.feed";
/** What comes this soon after the stream was lost had happened meanwhile. */
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
  // Only where the page is served safely (TLS, or the loopback) is there a lock; elsewhere each tab has its own stream.
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
    channel.postMessage({ type: "news", news, ...(after === undefined ? {} : { after }) } satisfies Told);
  };
  channel.addEventListener("message", ({ data }: MessageEvent<Told>) => {
    if (data.type === "hello") channel.postMessage({ type: "connection", connection } satisfies Told);
  });
  let backAt = 0;
  await followStream({
    signal,
    open: (client, both) =>
      client.feed({ signal: both, ...(place.after === undefined ? {} : { after: place.after }) }),
    onState(state: StreamState) {
      if (state === "live" && connection.state === "lost") {
        backAt = Date.now();
        become({ state, caughtUp: 0 });
        tell({ type: "reset" });
      } else {
        become({ state });
        // What was asked for before the stream was open may have changed since, and nobody would say so.
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
