// Sends journals as streams of server-sent events (P10).
//  V1  There are no gaps and no repeats: a reader that reconnects with its last id gets every later event once.
//  V2  A slow reader uses bounded memory: its events wait in the store, and streamed text for it is dropped.
//      A reader that reads nothing for a while is disconnected with `resync`.
//  V3  A reader's subscriptions end when its connection ends.
// A reader that has missed events reads them from the store. After that it gets new events from the hub.

import type { Context } from "hono";
import { toCadreError } from "../../errors.ts";
import type { Position, RunId } from "../../ids.ts";
import { type JournalEvent, TERMINAL_TYPES } from "../../journal/events.ts";
import type { Store } from "../../stores/store.ts";
import { STREAM_EVENTS } from "../client/stream-events.ts";
import type { RouteParts } from "../parts.ts";
import { errorBody } from "./http-errors.ts";
import { type Batch, bytesAfter, type Channel, type Encoder, encode, isInScope, type Reader } from "./hub.ts";
import {
  createStreamWriter,
  eventStreamResponse,
  SlowReaderError,
  type StreamWriter,
} from "./stream-writer.ts";

const HEARTBEAT_MS = 15_000;
const PAGE = 500;
/** Events from the store are sent in chunks of about this many characters. */
const PIECE = 64 * 1024;

export interface StreamRequest {
  channel: Channel;
  /** Selects the events to read from the store. They can include events that the channel does not send. */
  of: { run?: RunId; root?: RunId };
  after: Position;
  /** True if this store does not know the reader's position. In that case the reader must forget all events. */
  reset: boolean;
  /** The stream ends with this run's last event. If the reader already has that event, the stream ends immediately. */
  until?: { runId: RunId; ended: boolean };
  /** Sends what open calls have streamed so far, as soon as the reader has caught up. Only for a channel with a scope. */
  snapshot?: boolean;
}

export type StreamParts = Pick<RouteParts, "store" | "onProblem" | "hub" | "openTexts">;

export function streamEvents(c: Context, parts: StreamParts, wanted: StreamRequest): Response {
  // The body of a HEAD response is never read, so its stream would never end.
  if (c.req.method === "HEAD") return c.body(null);
  const writer = createStreamWriter();
  void pump(parts, wanted, writer);
  return eventStreamResponse(writer);
}

/** Finds the reader's position from its last id (`<store>.<position>`) or from a number. */
export async function resumePosition(
  store: Store,
  lastEventId: string | undefined,
  position: Position | undefined,
): Promise<{ after: Position; reset: boolean }> {
  const dot = lastEventId?.lastIndexOf(".") ?? -1;
  const digits = lastEventId?.slice(dot + 1) ?? "";
  const known =
    lastEventId === undefined || (lastEventId.slice(0, dot) === store.id && /^\d{1,15}$/.test(digits));
  const wanted = lastEventId === undefined ? (position ?? 0) : Number(digits);
  if (known && wanted <= (await store.journal.position())) return { after: wanted, reset: false };
  return { after: 0, reset: true };
}

/**
 * Encodes journal events. `form` converts each event first. An event has an id but no name, so that `onmessage` receives it.
 * If `form` returns undefined, only the id is sent, so that a reader that reconnects continues after the event.
 */
export function journalEncoder(
  store: Store,
  form: (event: JournalEvent) => unknown = (event) => event,
): Encoder {
  return {
    event(event) {
      const data = form(event);
      return `id: ${store.id}.${event.position}\n${data === undefined ? "\n" : sseFrame(data)}`;
    },
    delta: (delta) => sseFrame(delta, STREAM_EVENTS.delta),
  };
}

export const sseFrame = (data: unknown, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;

async function pump(parts: StreamParts, wanted: StreamRequest, writer: StreamWriter): Promise<void> {
  const heartbeat = setInterval(() => writer.writeIfRoom(encode(": still here\n\n")), HEARTBEAT_MS);
  writer.writeIfRoom(encode(": hello\n\n"));
  try {
    if (wanted.reset) await writer.write(sseFrame({}, STREAM_EVENTS.reset));
    await sendEvents(parts, wanted, writer);
    await writer.write(sseFrame({}, STREAM_EVENTS.end));
  } catch (error) {
    if (writer.signal.aborted) return;
    const slow = error instanceof SlowReaderError;
    if (!slow) parts.onProblem({ message: "A stream of events failed.", error });
    writer.writeLast(
      slow
        ? sseFrame({}, STREAM_EVENTS.resync)
        : sseFrame(errorBody(toCadreError(error)), STREAM_EVENTS.failure),
    );
  } finally {
    clearInterval(heartbeat);
    writer.close();
  }
}

async function sendEvents(
  { store, hub, openTexts }: StreamParts,
  wanted: StreamRequest,
  writer: StreamWriter,
): Promise<void> {
  const { of, until, channel } = wanted;
  let place = wanted.after;
  let missed = false;
  let live: Pick<Reader, "take" | "behind"> | undefined;
  const { scope, leave } = hub.join(channel, {
    take(batch) {
      if (live) live.take(batch);
      else missed = true;
    },
    behind() {
      if (live) live.behind();
      else missed = true;
    },
    // Until the reader has caught up, hints are dropped, because they would overtake older events.
    hint(bytes) {
      if (live) writer.writeIfRoom(bytes);
    },
  });
  try {
    const encoder = channel.encoder();
    while (!writer.signal.aborted) {
      missed = false;
      const page = await store.journal.readAll(place, PAGE, of);
      const sent = await sendPage(
        page.filter((event) => isInScope(event, scope)),
        encoder,
        until,
        writer,
      );
      if (sent === "ended") return;
      place = page.at(-1)?.position ?? place;
      if (page.length > 0 || missed) continue;
      if (until?.ended) return;
      const reason = await takeLiveEvents();
      if (reason === "ended") return;
    }
  } finally {
    leave();
  }

  /** Sends events from the hub until the run ends, the reader disconnects, or an event has to be read from the store. */
  async function takeLiveEvents(): Promise<"ended" | "behind" | "gone"> {
    const { promise, resolve } = Promise.withResolvers<"ended" | "behind" | "gone">();
    const onDisconnect = (): void => resolve("gone");
    writer.signal.addEventListener("abort", onDisconnect);
    const behind = (): void => {
      live = undefined;
      resolve("behind");
    };
    const take = (batch: Batch): void => {
      const end = batch.frames.find(({ event }) => isEndOf(event, until))?.event.position;
      const to = end ?? batch.frames.at(-1)!.event.position;
      if (to <= place) return;
      if (!writer.hasRoom()) {
        behind();
        return;
      }
      writer.writeNow(bytesAfter(batch, place, end));
      place = to;
      if (end !== undefined) resolve("ended");
    };
    live = { take, behind };
    // Nothing can stream between this line and the next hint, so the reader misses no piece and gets none twice.
    if (wanted.snapshot && scope)
      for (const delta of openTexts(scope.runs))
        writer.writeIfRoom(encode(sseFrame(delta, STREAM_EVENTS.delta)));
    const reason = await promise;
    live = undefined;
    writer.signal.removeEventListener("abort", onDisconnect);
    return reason;
  }
}

async function sendPage(
  events: readonly JournalEvent[],
  encoder: Encoder,
  until: StreamRequest["until"],
  writer: StreamWriter,
): Promise<"ended" | undefined> {
  await encoder.prepare?.(events);
  let piece = "";
  for (const event of events) {
    piece += encoder.event(event);
    if (isEndOf(event, until)) {
      await writer.write(piece);
      return "ended";
    }
    if (piece.length < PIECE) continue;
    await writer.write(piece);
    piece = "";
  }
  if (piece !== "") await writer.write(piece);
  return undefined;
}

const isEndOf = ({ runId, type }: JournalEvent, until: StreamRequest["until"]): boolean =>
  until !== undefined && !until.ended && runId === until.runId && TERMINAL_TYPES.has(type);
