// Sends the spans of all runs to an OTLP receiver in the background. No run ever waits for the receiver.
// Spans are computed from the journals. A cursor in the store points to the last event whose spans were sent.
//  TL1  The cursor advances only after the receiver has accepted the spans or has permanently refused them.
//       If the process dies before the cursor advances, the next process sends the same spans again with the same ids.
//  TL2  Only one process at a time sends spans. If that process dies, its hold on the cursor expires.
//       A process that finds events of a newer version releases the cursor.

import { setTimeout as pause } from "node:timers/promises";
import type { Otlp } from "../config/otlp.ts";
import type { Digest, RunId } from "../ids.ts";
import type { JournalEvent } from "../journal/events.ts";
import type { Mask } from "../journal/masking/mask.ts";
import { isNewer } from "../journal/upcast.ts";
import { type Trace, type TraceSpan, traceProjection } from "../projections/formats/trace-spans.ts";
import { fold } from "../projections/projection.ts";
import { repeat } from "../repeat.ts";
import type { Store } from "../stores/store.ts";
import { otlpJson } from "./otlp-json.ts";
import { postSpans } from "./post-spans.ts";

export interface TracingParts {
  store: Store;
  otlp: Otlp | undefined;
  mask: Mask;
  digest: Digest;
  version: string;
  /** Identifies this process as the holder of the cursor. */
  holder: string;
  onProblem(problem: { message: string; error: unknown }): void;
}

/** Name of the cursor in the outbox. Webhooks use the outbox too, but a webhook's name cannot contain a slash. */
const CURSOR = "traces/otlp";
const PAGE = 200;
/** How long a process holds the cursor. One attempt is shorter. If the process dies, other processes wait until this time is over. */
const HOLD_MS = 20_000;
/** How long spans are collected before they are sent together. */
const BATCH_MS = 1_000;
/** How long a shutdown waits for the last spans to be sent. */
const SHUTDOWN_MS = 2_000;
const IDLE_MS = 60_000;

/** Starts sending spans, and returns a function that stops sending. When tracing is used for the first time, past events are skipped. */
export async function startTracing(parts: TracingParts): Promise<() => Promise<void>> {
  const { store, otlp, holder, onProblem } = parts;
  if (!otlp) return async () => {};
  if (otlp.problem !== undefined) {
    onProblem({ message: "No traces are sent.", error: new Error(otlp.problem) });
    return async () => {};
  }
  await store.outbox.acquire(CURSOR, holder, HOLD_MS);
  const shutdown = new AbortController();
  const send = createSender(parts, otlp, shutdown.signal);
  /** True if another process is sending or the receiver is down. Then new events do not trigger an attempt to send: only the timer does. */
  let waitsForTimer = false;
  const sending = repeat({
    work: async () => {
      const sent = await send().catch((error: unknown) => {
        waitsForTimer = true;
        throw error;
      });
      waitsForTimer = !sent;
      return { result: undefined, nextIn: sent ? IDLE_MS : HOLD_MS };
    },
    retryIn: (failures) => Math.min(BATCH_MS * 2 ** failures, IDLE_MS),
    onError: (error) =>
      onProblem({ message: "Traces cannot be sent right now; none is lost, and sending is retried.", error }),
  });
  let batch: NodeJS.Timeout | undefined;
  const unsubscribe = store.journal.onCommit((events) => {
    if (events.length === 0 || batch || waitsForTimer) return;
    batch = setTimeout(() => {
      batch = undefined;
      void sending.now();
    }, BATCH_MS).unref();
  });
  return async () => {
    unsubscribe();
    clearTimeout(batch);
    await Promise.race([sending.now(), pause(SHUTDOWN_MS, undefined, { ref: false })]);
    shutdown.abort();
    await sending.stop();
    await store.outbox.release(holder);
  };
}

/** Creates a function that sends all new spans. It returns false if another process is sending. If it throws, it is called again later. */
function createSender(parts: TracingParts, otlp: Otlp, signal: AbortSignal) {
  const { store, mask, holder, onProblem } = parts;
  const spansOf = createFold(store);
  const options = { ...parts, resource: otlp.resource, content: otlp.content };
  return async (): Promise<boolean> => {
    while (!signal.aborted) {
      const cursor = await store.outbox.acquire(CURSOR, holder, HOLD_MS);
      if (!cursor) return false;
      const page = await store.journal
        .readAll(cursor.position, PAGE, { stopAtNewer: true })
        .catch(async (error: unknown) => {
          // Release the cursor immediately, so that a process of a newer version does not have to wait.
          if (isNewer(error)) await store.outbox.acquire(CURSOR, holder, 0);
          throw error;
        });
      const last = page.at(-1);
      if (!last) break;
      const spans: TraceSpan[] = [];
      for (const event of page) spans.push(...(await spansOf(event)));
      const body = JSON.stringify(mask.value(otlpJson(spans, options)));
      const refusal = spans.length === 0 ? undefined : await postSpans(otlp, body, signal);
      if (refusal !== undefined)
        onProblem({
          message: `The receiver refused ${spans.length} spans; they are not sent again.`,
          error: new Error(refusal),
        });
      await store.outbox.advance(CURSOR, last.position);
    }
    return true;
  };
}

const MAX_CACHED_RUNS = 2_000;

/**
 * Creates a function that receives an event and returns the spans that this event ends.
 * The state of recent runs is cached, so that their journals are not read again.
 */
function createFold(store: Store): (event: JournalEvent) => Promise<readonly TraceSpan[]> {
  const cache = new Map<RunId, Trace>();
  return async (event) => {
    const { runId, seq } = event;
    const known = cache.get(runId);
    const before = known?.seq === seq - 1 ? known : fold(traceProjection, await journalBefore(store, event));
    const state = traceProjection.apply(before, event);
    cache.delete(runId);
    cache.set(runId, state);
    if (cache.size > MAX_CACHED_RUNS) cache.delete(cache.keys().next().value!);
    return state.ended;
  };
}

/** Reads a run's events before this event. A damaged or pruned journal is read as empty, so that it does not block other runs. */
async function journalBefore(store: Store, { runId, seq }: JournalEvent): Promise<JournalEvent[]> {
  return seq === 1 ? [] : store.journal.read(runId, 0, seq - 1).catch(() => []);
}
