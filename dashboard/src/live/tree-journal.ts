// The journals of a whole tree. The page computes their state with the server's projections.
// The page first loads all events and then follows the stream. After a lost connection it continues after the last event.
// All views of the tree read the same journals, so they show the same moment.

import { useEffect, useState, useSyncExternalStore } from "react";
import { isUnreachable } from "../../../src/api/client/client.ts";
import type { EventPage } from "../../../src/api/client/types.ts";
import type { JournalEvent } from "../../../src/journal/events.ts";
import { client } from "./client.ts";
import { followStream, whileVisible } from "./reconnecting-stream.ts";
import { applyDelta, applyEvent, type RunJournal } from "./run-journal.ts";

export { eventCount, type RunJournal, type Streaming } from "./run-journal.ts";

export interface TreeJournal {
  readonly runs: ReadonlyMap<string, RunJournal>;
  /** Whether all events that existed when the page was opened are loaded. */
  readonly loaded: boolean;
  /** Says why the journal could not be loaded. */
  readonly failure: Error | undefined;
  /** A number that increases with every change of the journal. */
  readonly version: number;
  subscribe(listener: () => void): () => void;
  close(): void;
}

export function openTreeJournal(rootId: string): TreeJournal {
  const runs = new Map<string, RunJournal>();
  const end = new AbortController();
  /** Runs whose rows were already copied since the last render. */
  const fresh = new Set<string>();
  const views = createViews(() => fresh.clear());
  let after = 0;
  let version = 0;
  let loaded = false;
  let failure: Error | undefined;
  const notifyViews = () => {
    version++;
    views.tell();
  };
  const take = (event: JournalEvent) => {
    if (event.position <= after) return;
    after = event.position;
    applyEvent(runs, fresh, event);
  };
  const load = async () => {
    for await (const events of pagesOf(rootId, end.signal)) {
      for (const event of events) take(event);
      notifyViews();
    }
    loaded = true;
    notifyViews();
  };
  const followOn = () =>
    whileVisible(end.signal, (signal) =>
      followStream({
        signal,
        open: (own, signal) =>
          own.follow({ runId: rootId, tree: true, onward: true, snapshot: true, after, signal }),
        onState(state) {
          if (state !== "live" || loaded) return;
          loaded = true;
          notifyViews();
        },
        onItem(item) {
          if (item.type === "reset") {
            runs.clear();
            after = 0;
          } else if (item.type === "event") take(item.event);
          else applyDelta(runs, item.delta);
          notifyViews();
        },
      }),
    );
  load()
    // If the server went down during loading, the page waits for it. Then the stream continues after the last loaded event.
    .catch((error: unknown) => {
      if (!isUnreachable(error)) throw error;
    })
    .then(followOn)
    .catch((error: unknown) => {
      failure = error as Error;
      notifyViews();
    });
  return {
    runs,
    get loaded() {
      return loaded;
    },
    get failure() {
      return failure;
    },
    get version() {
      return version;
    },
    subscribe: views.subscribe,
    close() {
      end.abort();
      views.close();
    },
  };
}

/** Notifies views once per animation frame, even if many events arrive. */
function createViews(onTell: () => void) {
  const listeners = new Set<() => void>();
  let frame: number | undefined;
  const tellNow = () => {
    frame = undefined;
    onTell();
    for (const listener of listeners) listener();
  };
  return {
    tell() {
      frame ??= requestAnimationFrame(tellNow);
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      listeners.clear();
      if (frame !== undefined) cancelAnimationFrame(frame);
    },
  };
}

/** Requests the next page while the current page is processed. */
async function* pagesOf(rootId: string, signal: AbortSignal): AsyncGenerator<readonly JournalEvent[]> {
  const ask = (after: number): Promise<EventPage> =>
    client.get("/api/runs/{id}/events", { id: rootId, after, tree: true });
  let next: Promise<EventPage> | undefined = ask(0);
  while (next && !signal.aborted) {
    const { events, nextAfter }: EventPage = await next;
    next = nextAfter === undefined ? undefined : ask(nextAfter);
    // Prevents an unhandled rejection if the consumer stops before it reads the next page.
    next?.catch(() => {});
    yield events;
  }
}

/** Opens the journal of a tree while the component is mounted, and renders the component again when the journal grows. */
export function useTreeJournal(rootId: string): TreeJournal | undefined {
  const [journal, setJournal] = useState<TreeJournal>();
  useEffect(() => {
    const opened = openTreeJournal(rootId);
    setJournal(opened);
    return () => opened.close();
  }, [rootId]);
  useSyncExternalStore(journal?.subscribe ?? never, () => journal?.version ?? 0);
  return journal;
}

const never = () => () => {};
