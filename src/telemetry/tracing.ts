// Sends the spans of all runs to whoever traces them, beside the runs: whatever a receiver does, no run waits for it. What
// there is to send is folded from the journals, and how far it was sent stands in the store.
//  TL1  The place moves on only when a receiver took what lies before it, or refused it for good. A process that dies in
//       between loses nothing; the next sends the same spans again, by the same ids.
//  TL2  One process at a time sends; what it holds ends by itself if it is not heard of again, and where this version
//       does not understand what comes next.

import { setTimeout as pause } from "node:timers/promises";
import type { Otlp } from "../config/otlp.ts";
import type { Digest, RunId } from "../ids.ts";
import type { JournalEvent } from "../journal/events.ts";
import type { Mask } from "../journal/masking/mask.ts";
import { isNewer } from "../journal/upcast.ts";
import { type Trace, type TraceSpan, traceProjection } from "../projections/formats/trace-spans.ts";
import { fold } from "../projections/projection.ts";
import type { Store } from "../stores/store.ts";
import { otlpJson } from "./otlp-json.ts";
import { postSpans } from "./post-spans.ts";

export interface TracingParts {
  store: Store;
  otlp: Otlp | undefined;
  mask: Mask;
  digest: Digest;
  version: string;
  /** This process, among those that send. */
  holder: string;
  repeat: Repeat;
  onProblem(problem: { message: string; error: unknown }): void;
}

type Repeat = (options: {
  work: () => Promise<{ result: undefined; nextIn: number }>;
  retryIn: (failures: number) => number;
  onError: (error: unknown) => void;
}) => { now(): Promise<unknown>; stop(): Promise<void> };

/** No webhook can be called so. */
const PLACE = "traces/otlp";
const PAGE = 200;
/** Longer than an attempt takes: so long others wait for a process that is gone. */
const HOLD_MS = 20_000;
/** Spans are gathered for so long before they are sent. */
const GATHER_MS = 1_000;
/** What a process that leaves in order takes for its last spans. */
const MOMENT_MS = 2_000;
const A_WHILE_MS = 60_000;

/** From now on; answers with what ends it. One that was never wanted before begins at the end of the journals. */
export async function startTracing(parts: TracingParts): Promise<() => Promise<void>> {
  const { store, otlp, holder, repeat, onProblem } = parts;
  if (!otlp) return async () => {};
  if (otlp.problem !== undefined) {
    onProblem({ message: "No traces are sent.", error: new Error(otlp.problem) });
    return async () => {};
  }
  await store.outbox.acquire(PLACE, holder, HOLD_MS);
  const leaving = new AbortController();
  const sender = createSender(parts, otlp, leaving.signal);
  /** Another process sends, or the receiver is away: news is no reason to try sooner. */
  let byTimeAlone = false;
  const sending = repeat({
    work: async () => {
      const sent = await sender().catch((error: unknown) => {
        byTimeAlone = true;
        throw error;
      });
      byTimeAlone = !sent;
      return { result: undefined, nextIn: sent ? A_WHILE_MS : HOLD_MS };
    },
    retryIn: (failures) => Math.min(GATHER_MS * 2 ** failures, A_WHILE_MS),
    onError: (error) =>
      onProblem({ message: "Traces cannot be sent now; none is lost, it is tried again.", error }),
  });
  let gathering: NodeJS.Timeout | undefined;
  const unsubscribe = store.onCommit((events) => {
    if (events.length === 0 || gathering || byTimeAlone) return;
    gathering = setTimeout(() => {
      gathering = undefined;
      void sending.now();
    }, GATHER_MS).unref();
  });
  return async () => {
    unsubscribe();
    clearTimeout(gathering);
    await Promise.race([sending.now(), pause(MOMENT_MS, undefined, { ref: false })]);
    leaving.abort();
    await sending.stop();
    await store.outbox.release(holder);
  };
}

/** Sends all that there is to send; false: another process does. Throws where it should be tried again later. */
function createSender(parts: TracingParts, otlp: Otlp, signal: AbortSignal) {
  const { store, mask, holder, onProblem } = parts;
  const spansOf = createFold(store);
  const form = { ...parts, resource: otlp.resource, content: otlp.content };
  return async (): Promise<boolean> => {
    while (!signal.aborted) {
      const place = await store.outbox.acquire(PLACE, holder, HOLD_MS);
      if (!place) return false;
      const page = await store
        .read(place.position, PAGE, { stopAtNewer: true })
        .catch(async (error: unknown) => {
          // A newer version sends what it alone understands; it must not have to wait for this one.
          if (isNewer(error)) await store.outbox.acquire(PLACE, holder, 0);
          throw error;
        });
      const last = page.at(-1);
      if (!last) break;
      const spans: TraceSpan[] = [];
      for (const event of page) spans.push(...(await spansOf(event)));
      const body = JSON.stringify(mask.value(otlpJson(spans, form)));
      const refusal = spans.length === 0 ? undefined : await postSpans(otlp, body, signal);
      if (refusal !== undefined)
        onProblem({
          message: `The receiver refused ${spans.length} spans for good: they are not sent again.`,
          error: new Error(refusal),
        });
      await store.outbox.advance(PLACE, last.position);
    }
    return true;
  };
}

/** Runs whose fold is kept; another one is folded anew when something happens to it. */
const MOST_KEPT = 2_000;

/** The spans that an event ends. What is kept saves reading a journal again, and losing it costs nothing else. */
function createFold(store: Store): (event: JournalEvent) => Promise<readonly TraceSpan[]> {
  const kept = new Map<RunId, Trace>();
  return async (event) => {
    const { runId, seq } = event;
    const known = kept.get(runId);
    const before = known?.seq === seq - 1 ? known : fold(traceProjection, await journalBefore(store, event));
    const state = traceProjection.apply(before, event);
    kept.delete(runId);
    kept.set(runId, state);
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
    return state.ended;
  };
}

/** A journal that is damaged or pruned has no spans, and must not keep the others from being sent. */
async function journalBefore(store: Store, { runId, seq }: JournalEvent): Promise<JournalEvent[]> {
  return seq === 1 ? [] : store.journal(runId, 0, seq - 1).catch(() => []);
}
