// Follows a stream and reopens it from the last position whenever the connection is lost.
// The state becomes `live` once the server has responded.
// If not even a heartbeat arrives, the connection counts as lost, because a page must not look live when it is not (U19).

import { type CadreClient, createClient } from "../../../src/api/client/client.ts";
import { CadreError } from "../../../src/errors.ts";
import { fetchWithKey } from "./page-key.ts";

export type StreamState = "connecting" | "live" | "lost" | "signed-out";

export interface StreamOptions<Item> {
  /** Opens the stream at the last position. Called again each time the connection is lost. */
  open(client: CadreClient, signal: AbortSignal): AsyncIterable<Item>;
  onItem(item: Item): void;
  onState(state: StreamState): void;
  signal: AbortSignal;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** The time in which the server sends three heartbeats. */
const SILENCE_MS = 45_000;

/** Returns when the stream ends, the signal is aborted, or the browser is signed out. */
export async function followStream<Item>(following: StreamOptions<Item>): Promise<void> {
  const { onState, signal } = following;
  let pause = FIRST_PAUSE_MS;
  onState("connecting");
  while (!signal.aborted) {
    const outcome = await followOnce(following, () => {
      pause = FIRST_PAUSE_MS;
      onState("live");
    });
    if (outcome !== "lost" || signal.aborted) {
      if (outcome === "signed-out") onState("signed-out");
      return;
    }
    onState("lost");
    await until(pause, signal);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

async function followOnce<Item>(
  { open, onItem, signal }: StreamOptions<Item>,
  onOpen: () => void,
): Promise<"end" | "lost" | "signed-out"> {
  const broken = new AbortController();
  const both = AbortSignal.any([signal, broken.signal]);
  const client = createClient({
    baseUrl: location.origin,
    fetch: async (url, init) => {
      const response = await fetchWithKey(url, init);
      if (response.ok) onOpen();
      return watchForSilence(response, () => broken.abort());
    },
  });
  try {
    for await (const item of open(client, both)) onItem(item);
    return broken.signal.aborted ? "lost" : "end";
  } catch (error) {
    if (error instanceof CadreError && error.code === "UNAUTHORIZED") return "signed-out";
    return "lost";
  }
}

/** Wraps a response and calls back if no data arrives for too long. */
function watchForSilence(response: Response, onSilence: () => void): Response {
  let timer = setTimeout(onSilence, SILENCE_MS);
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        clearTimeout(timer);
        timer = setTimeout(onSilence, SILENCE_MS);
        controller.enqueue(chunk);
      },
      flush: () => clearTimeout(timer),
    }),
  );
  return new Response(body ?? null, response);
}

/** Waits for the given time. Returns earlier if the browser goes online or the page's visibility changes. */
function until(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      document.removeEventListener("visibilitychange", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
    document.addEventListener("visibilitychange", done);
    signal.addEventListener("abort", done);
  });
}

/** A tab that is hidden for a shorter time than this keeps its stream. */
const HIDDEN_MS = 5_000;

/**
 * Follows a stream only while the page is visible. A browser opens only six connections per server, so hidden tabs close their streams.
 * Calls `follow` whenever the page becomes visible. Returns when `follow` ends by itself.
 */
export async function whileVisible(
  signal: AbortSignal,
  follow: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await visible(signal);
    const hidden = new AbortController();
    const stopWatching = onHidden(() => hidden.abort());
    try {
      await follow(AbortSignal.any([signal, hidden.signal]));
    } finally {
      stopWatching();
    }
    if (!hidden.signal.aborted) return;
  }
}

function visible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}

function onHidden(stop: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(stop, HIDDEN_MS);
  };
  document.addEventListener("visibilitychange", look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
  };
}
