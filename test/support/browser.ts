// A client that behaves like a browser.
// The client gets its cookie from a one-time link, sends same-origin requests, and follows events with undici's EventSource.
// The EventSource reconnects by itself with `Last-Event-ID`, as the standard requires.

import { Agent, type Dispatcher, EventSource } from "undici";
import { STREAM_EVENTS } from "../../src/api/client/stream-events.ts";
import type { JournalEvent } from "../../src/journal/events.ts";
import { enterByLink } from "./enter-by-link.ts";

export interface Browser extends Disposable {
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: Answered }>;
  /** Follows the events of a tree to its end. */
  follow(runId: string): Watching;
  /** Reads the events after an event id. The tree must have ended. */
  readOn(runId: string, lastEventId: string): Promise<JournalEvent[]>;
}

export interface Watching {
  events: JournalEvent[];
  ids: string[];
  /** The number of times that the connection was lost. */
  losses(): number;
  sees(fits: (event: JournalEvent) => boolean): Promise<JournalEvent>;
  /** Resolves when the server has announced the end of the stream. */
  ended: Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
type Answered = any;

const RECONNECT_MS = 100;

export async function openBrowser(link: string): Promise<Browser> {
  const { origin } = new URL(link);
  const signedIn = await enterByLink(link);
  const agent = new Agent();
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    const headers = {
      ...(options.headers as Record<string, string>),
      ...signedIn,
      "sec-fetch-site": "same-origin",
    };
    return dispatch({ ...options, headers } satisfies Dispatcher.DispatchOptions, handler);
  });
  const sources: EventSource[] = [];
  return {
    async ask(method, path, body) {
      const response = await fetch(`${origin}${path}`, {
        method,
        headers: {
          ...signedIn,
          Origin: origin,
          "Sec-Fetch-Site": "same-origin",
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
    follow(runId) {
      const url = `${origin}/api/runs/${runId}/events?tree=1`;
      const source = new EventSource(url, { node: { dispatcher, reconnectionTime: RECONNECT_MS } });
      sources.push(source);
      return watch(source);
    },
    async readOn(runId, lastEventId) {
      const headers = { ...signedIn, Accept: "text/event-stream", "Last-Event-ID": lastEventId };
      const response = await fetch(`${origin}/api/runs/${runId}/events?tree=1`, { headers });
      const data = Array.from(
        (await response.text()).matchAll(/^id: .*\ndata: (.*)$/gm),
        ([, text]) => text!,
      );
      return data.map((text) => JSON.parse(text) as JournalEvent);
    },
    [Symbol.dispose]() {
      for (const source of sources) source.close();
      void agent.destroy();
    },
  };
}

function watch(source: EventSource): Watching {
  const events: JournalEvent[] = [];
  const ids: string[] = [];
  const waiting = new Set<(event: JournalEvent) => void>();
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let losses = 0;
  source.addEventListener("error", () => {
    losses++;
  });
  source.addEventListener("message", ({ data, lastEventId }) => {
    const event = JSON.parse(data) as JournalEvent;
    events.push(event);
    ids.push(lastEventId);
    for (const tell of waiting) tell(event);
  });
  source.addEventListener(STREAM_EVENTS.end, () => {
    source.close();
    resolve();
  });
  const sees = (fits: (event: JournalEvent) => boolean): Promise<JournalEvent> => {
    const known = events.find(fits);
    if (known) return Promise.resolve(known);
    return new Promise((found) => {
      const tell = (event: JournalEvent): void => {
        if (!fits(event)) return;
        waiting.delete(tell);
        found(event);
      };
      waiting.add(tell);
    });
  };
  return { events, ids, losses: () => losses, sees, ended };
}
