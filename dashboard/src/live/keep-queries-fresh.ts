// Refetches queries when the feed reports a change, at most a few times a second.

import { type FeedNews, followFeed } from "./feed.ts";
import { queryClient, refetchQueries } from "./query-client.ts";

const PAUSE_MS = 250;
/** Statistics over many runs are expensive to query, so they refresh more slowly. */
const MEASURES_PAUSE_MS = 5_000;

/** Topics (first words of query keys) that any event of any run can affect. */
const OF_ANY_RUN = ["runs", "approvals", "sessions"];

const listeners = new Set<(news: FeedNews) => void>();

/** Subscribes to the feed's events. Returns a function that unsubscribes. */
export function onFeedNews(listener: (news: FeedNews) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function keepQueriesFresh(): () => void {
  let touched = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let measuring: ReturnType<typeof setTimeout> | undefined;
  const measure = () => {
    measuring = undefined;
    refetchQueries(queryClient, { queryKey: ["measures"] });
  };
  const refresh = () => {
    timer = undefined;
    const ids = touched;
    touched = new Set();
    refetchQueries(queryClient, {
      predicate: ({ queryKey: [what, id] }) =>
        OF_ANY_RUN.includes(String(what)) || (what === "run" && ids.has(String(id))),
    });
  };
  return followFeed((news) => {
    for (const listener of listeners) listener(news);
    if (news.type === "reset") refetchQueries(queryClient, {});
    else if (news.live.type === "SettingsUpdated") refetchQueries(queryClient, { queryKey: ["settings"] });
    else if (news.live.type !== "Token") {
      touched.add(runOf(news.live));
      if (timer === undefined) timer = setTimeout(refresh, PAUSE_MS);
      if (measuring === undefined) measuring = setTimeout(measure, MEASURES_PAUSE_MS);
    }
  });
}

function runOf(live: Extract<FeedNews, { type: "live" }>["live"]): string {
  if (live.type === "StateUpdated") return live.run.run_id;
  return "run_id" in live ? live.run_id : "";
}
