// A live reader. It yields the stored events and then every new event, without gaps or repeats (P10).
// The reader subscribes to commits before its first read, so it misses no event. A commit only triggers another read.

import type { Position, RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { Store } from "../store.ts";

const PAGE = 500;

export interface FollowOptions {
  after: Position;
  of?: { run?: RunId; root?: RunId };
  signal: AbortSignal;
}

/** Yields non-empty pages of events until the signal is aborted. */
export async function* follow(store: Store, options: FollowOptions): AsyncGenerator<JournalEvent[], void> {
  let after = options.after;
  let news = true;
  let wake = (): void => {};
  const onNews = (): void => {
    news = true;
    wake();
  };
  const unsubscribe = store.journal.onCommit(onNews);
  options.signal.addEventListener("abort", onNews);
  try {
    while (!options.signal.aborted) {
      if (!news) await new Promise<void>((resolve) => (wake = resolve));
      news = false;
      for (;;) {
        if (options.signal.aborted) return;
        const page = await store.journal.readAll(after, PAGE, options.of);
        if (page.length === 0) break;
        after = page[page.length - 1]!.position;
        yield page;
      }
    }
  } finally {
    unsubscribe();
    options.signal.removeEventListener("abort", onNews);
  }
}
