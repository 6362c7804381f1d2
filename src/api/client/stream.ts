// Reads the streams of the API. If a stream stops before its `end` event, the connection was lost, and the reader throws an error.

import { createParser, type EventSourceMessage } from "eventsource-parser";
import { CadreError } from "../../errors.ts";
import { type ClientOptions, errorOf, type Query, send, unreachableError } from "./send.ts";
import { type FeedItem, STREAM_EVENTS, type StreamItem } from "./stream-events.ts";

export interface FollowOptions {
  /** The run to follow. If absent, all runs are followed. */
  runId?: string;
  /** Skip the events up to this position. If absent, the stream starts with the first event. */
  after?: number;
  /** Include all descendants of the run. */
  tree?: boolean;
  /** Keep the stream open after the run has ended. */
  onward?: boolean;
  /** Also receive what open calls have streamed so far, as a delta with `whole: true`. */
  snapshot?: boolean;
  signal: AbortSignal;
}

export interface FeedOptions {
  /** The `after` value of the last item that the reader received. If absent, the feed begins now. */
  after?: number;
  signal: AbortSignal;
}

export async function* follow(
  client: ClientOptions,
  wanted: FollowOptions,
): AsyncGenerator<StreamItem, void> {
  const { runId, after, tree, onward, snapshot, signal } = wanted;
  const path = runId === undefined ? "/api/journal" : `/api/runs/${encodeURIComponent(runId)}/events`;
  const flag = (isSet: boolean | undefined) => (isSet ? 1 : undefined);
  const query = { after, tree: flag(tree), follow: flag(onward), snapshot: flag(snapshot) };
  for await (const message of messages(client, path, query, signal)) yield itemOf(message);
}

export async function* followFeed(
  client: ClientOptions,
  { after, signal }: FeedOptions,
): AsyncGenerator<FeedItem, void> {
  for await (const message of messages(client, "/api/events", { after }, signal)) yield feedItemOf(message);
}

/** Yields messages until the stream ends or the signal is aborted. */
async function* messages(
  client: ClientOptions,
  path: string,
  query: Query,
  signal: AbortSignal,
): AsyncGenerator<EventSourceMessage, void> {
  try {
    const headers = { Accept: "text/event-stream" };
    const response = await send(client, "GET", path, { query, headers, signal });
    for await (const message of messagesOf(response, signal)) {
      if (message.event === STREAM_EVENTS.end) return;
      yield message;
    }
    throw unreachableError(new Error("the stream broke off"));
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof CadreError ? error : unreachableError(error);
  }
}

async function* messagesOf(
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<EventSourceMessage, void> {
  let ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => ready.push(message) });
  // A `for await` loop would not work here: some browsers do not support it for streams.
  const reader = response.body!.pipeThrough(new TextDecoderStream(), { signal }).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(value);
      const messages = ready;
      ready = [];
      yield* messages;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function itemOf(message: EventSourceMessage): StreamItem {
  switch (message.event) {
    case undefined:
      return { type: "event", event: JSON.parse(message.data) };
    case STREAM_EVENTS.delta:
      return { type: "delta", delta: JSON.parse(message.data) };
    default:
      return resetOrThrow(message);
  }
}

function feedItemOf(message: EventSourceMessage): FeedItem {
  if (message.event !== undefined) return resetOrThrow(message);
  const live = JSON.parse(message.data);
  const place = message.id?.split(".").at(-1);
  return { type: "live", live, ...(place === undefined ? {} : { after: Number(place) }) };
}

function resetOrThrow({ event, data }: EventSourceMessage): { type: "reset" } {
  switch (event) {
    case STREAM_EVENTS.reset:
      return { type: "reset" };
    case STREAM_EVENTS.failure:
      throw (
        errorOf(JSON.parse(data)) ??
        new CadreError("INTERNAL", "The stream broke off. Nothing is lost: follow the run again.")
      );
    case STREAM_EVENTS.resync:
      throw new CadreError(
        "STALE",
        "Events came faster than they were read. Nothing is lost: continue after the last one.",
      );
    default:
      throw new CadreError(
        "INTERNAL",
        `The server sent \`${event}\`, which this version does not know. Nothing is lost: use the version that the server has.`,
      );
  }
}
