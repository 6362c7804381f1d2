// Journals as a stream of server-sent events (P10).
//  V1  No gap and no repeat: a reader that comes back with the last id gets what came after it, and nothing twice.
//  V2  A slow reader costs a bounded amount of memory: events wait in the store until there is room, deltas are left
//      out, and a reader that takes nothing for a while is cut off with `resync`.
//  V3  Nothing is left behind when a reader goes: its subscriptions end with its connection.

import { toCadreError } from "../errors.ts";
import type { Position, RunId } from "../ids.ts";
import { type JournalEvent, TERMINAL_TYPES } from "../journal/events.ts";
import { follow } from "../stores/follow.ts";
import type { Store } from "../stores/store.ts";
import { errorBody } from "./failure.ts";
import { createOutlet, type Outlet, TooSlow } from "./outlet.ts";
import type { ApiParts } from "./parts.ts";
import { STREAM_EVENTS } from "./schema.ts";

const HEARTBEAT_MS = 15_000;
const PAGE = 500;

export interface Wanted {
  of: { run?: RunId; root?: RunId };
  after: Position;
  /** The reader's place is not known: tell it to forget what it has. */
  reset: boolean;
  /** The runs whose events are sent, as far as they are known yet; absent: all. */
  runs?: Set<RunId>;
  /** The stream ends with this run's last event, or at once where that has been read. */
  until?: { runId: RunId; ended: boolean };
  /** How an event looks on the wire; absent: as it is. */
  form?: (event: JournalEvent) => unknown;
}

export function eventStream(
  parts: Pick<ApiParts, "store" | "onDelta" | "onProblem">,
  wanted: Wanted,
): Response {
  const outlet = createOutlet();
  void pump(parts, wanted, outlet);
  return new Response(outlet.readable, {
    headers: {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    },
  });
}

/** Where a reader stands, by its last id (`<store>.<position>`) or a position. */
export async function placeOf(
  store: Store,
  lastEventId: string | undefined,
  position: Position | undefined,
): Promise<{ after: Position; reset: boolean }> {
  const dot = lastEventId?.lastIndexOf(".") ?? -1;
  const digits = lastEventId?.slice(dot + 1) ?? "";
  const known =
    lastEventId === undefined || (lastEventId.slice(0, dot) === store.id && /^\d{1,15}$/.test(digits));
  const wanted = lastEventId === undefined ? (position ?? 0) : Number(digits);
  if (known && wanted <= (await store.position())) return { after: wanted, reset: false };
  return { after: 0, reset: true };
}

async function pump(
  parts: Pick<ApiParts, "store" | "onDelta" | "onProblem">,
  wanted: Wanted,
  outlet: Outlet,
): Promise<void> {
  const unsubscribe = parts.onDelta((delta) => {
    if (wanted.runs?.has(delta.runId) ?? true) outlet.offer(frame(delta, STREAM_EVENTS.delta));
  });
  const heartbeat = setInterval(() => outlet.offer(": still here\n\n"), HEARTBEAT_MS);
  outlet.offer(": hello\n\n");
  try {
    if (wanted.reset) await outlet.write(frame({}, STREAM_EVENTS.reset));
    await sendEvents(parts.store, wanted, outlet);
    await outlet.write(frame({}, STREAM_EVENTS.end));
  } catch (error) {
    if (outlet.signal.aborted) return;
    const slow = error instanceof TooSlow;
    if (!slow) parts.onProblem({ message: "A stream of events failed.", error });
    outlet.last(
      slow ? frame({}, STREAM_EVENTS.resync) : frame(errorBody(toCadreError(error)), STREAM_EVENTS.failure),
    );
  } finally {
    unsubscribe();
    clearInterval(heartbeat);
    outlet.close();
  }
}

async function sendEvents(store: Store, wanted: Wanted, outlet: Outlet): Promise<void> {
  const { until, runs } = wanted;
  const awaited = until?.ended ? undefined : until?.runId;
  for await (const page of pagesOf(store, wanted, outlet.signal)) {
    for (const event of page) {
      if (!belongs(event, runs)) continue;
      await outlet.write(`id: ${store.id}.${event.position}\n${frame(wanted.form?.(event) ?? event)}`);
      if (event.runId === awaited && TERMINAL_TYPES.has(event.type)) return;
    }
  }
}

/** A run that has ended is read to its end; any other is followed. */
async function* pagesOf(
  store: Store,
  wanted: Wanted,
  signal: AbortSignal,
): AsyncGenerator<JournalEvent[], void> {
  const { of } = wanted;
  let { after: place } = wanted;
  if (!wanted.until?.ended) return yield* follow(store, { after: place, of, signal });
  for (;;) {
    const page = await store.read(place, PAGE, of);
    if (page.length === 0 || signal.aborted) return;
    place = page.at(-1)!.position;
    yield page;
  }
}

/** A child is known by its first event, which comes before all its others: one that was started meanwhile is not missed. */
export function belongs(event: JournalEvent, runs: Set<RunId> | undefined): boolean {
  if (!runs) return true;
  const parent = event.type === "RUN_STARTED" ? event.payload.parentRunId : undefined;
  if (parent !== undefined && runs.has(parent)) runs.add(event.runId);
  return runs.has(event.runId);
}

const frame = (data: unknown, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
