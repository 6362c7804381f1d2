// The journals of a whole tree, folded here with the projections of the server: read in pages from the beginning, then
// followed. Losing the connection costs nothing: it goes on after the last event that was folded.
//  Everything that a view of the tree shows is in here, so that all of them show the same instant.

import { isUnreachable } from "../../../src/api/client/client.ts";
import type { EventPage } from "../../../src/api/client/types.ts";
import type { JournalEvent } from "../../../src/journal/events.ts";
import { client } from "./client.ts";
import { followStream } from "./reconnecting-stream.ts";
import { applyDelta, applyEvent, type RunJournal } from "./run-journal.ts";
import { whileVisible } from "./while-visible.ts";

export type { RunJournal, Streaming } from "./run-journal.ts";

export interface TreeJournal {
  readonly runs: ReadonlyMap<string, RunJournal>;
  /** All that had happened when the page was opened is here. */
  readonly loaded: boolean;
  /** What the journal could not be read for. */
  readonly failure: Error | undefined;
  /** Grows with every change. */
  readonly version: number;
  subscribe(listener: () => void): () => void;
  close(): void;
}

export function openTreeJournal(rootId: string): TreeJournal {
  const runs = new Map<string, RunJournal>();
  const end = new AbortController();
  /** Whose rows are other objects than those that the views have seen. */
  const fresh = new Set<string>();
  const views = createViews(() => fresh.clear());
  let after = 0;
  let version = 0;
  let loaded = false;
  let failure: Error | undefined;
  const changed = () => {
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
      changed();
    }
    loaded = true;
    changed();
  };
  const followOn = () =>
    whileVisible(end.signal, (signal) =>
      followStream({
        signal,
        open: (own, signal) => own.follow({ runId: rootId, tree: true, onward: true, after, signal }),
        onState(state) {
          if (state !== "live" || loaded) return;
          loaded = true;
          changed();
        },
        onItem(item) {
          if (item.type === "reset") {
            runs.clear();
            after = 0;
          } else if (item.type === "event") take(item.event);
          else applyDelta(runs, item.delta);
          changed();
        },
      }),
    );
  load()
    // Lost on the way: the stream goes on from there, as soon as there is somebody to ask.
    .catch((error: unknown) => {
      if (!isUnreachable(error)) throw error;
    })
    .then(followOn)
    .catch((error: unknown) => {
      failure = error as Error;
      changed();
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

/** How many events of the tree are loaded. The journal is one mutable object, so views use this to see that it grew. */
export const eventCount = ({ runs }: Pick<TreeJournal, "runs">): number =>
  [...runs.values()].reduce((sum, { events }) => sum + events.length, 0);

/** Views are told once for all that comes before the next picture is drawn. */
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

/** The next page is under way while this one is folded. */
async function* pagesOf(rootId: string, signal: AbortSignal): AsyncGenerator<readonly JournalEvent[]> {
  const ask = (after: number): Promise<EventPage> =>
    client.get("/api/runs/{id}/events", { id: rootId, after, tree: true });
  let next: Promise<EventPage> | undefined = ask(0);
  while (next && !signal.aborted) {
    const { events, nextAfter }: EventPage = await next;
    next = nextAfter === undefined ? undefined : ask(nextAfter);
    // Whoever stops here does not ask for it any more.
    next?.catch(() => {});
    yield events;
  }
}
