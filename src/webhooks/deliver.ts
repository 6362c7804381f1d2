// Tells webhooks what is worth it, from where each of them stands in the journals. Nothing of it is kept in memory that a
// restart would miss: what is to be told is folded from the journal, and how far it was told stands in the store.
//  WH1  A place moves on only when its notice was taken, or given up; a crash in between tells it again, by the same id.
//  WH2  One process at a time tells a webhook; where this version does not understand what comes next, another one may.
//  WH4  What is refused for good, or has failed for a day, is given up: what comes later is still told.

import type { Clock } from "../clock.ts";
import type { WebhookEvent } from "../config/schema.ts";
import type { Position } from "../ids.ts";
import type { JournalEvent } from "../journal/events.ts";
import { isNewer } from "../journal/upcast.ts";
import type { WebhookCursor } from "../stores/outbox.ts";
import type { Store } from "../stores/store.ts";
import { messageOf, type Sender } from "./message.ts";
import { mayBeNotice, type Notice, noticeOf } from "./notice.ts";
import type { Answer, Judge } from "./post.ts";

export interface Hook extends Sender {
  name: string;
  url: URL | undefined;
  /** Why nothing can be sent to it. */
  problem: string | undefined;
  events: readonly WebhookEvent[];
  judge: Judge;
}

export interface DeliverParts {
  store: Store;
  clock: Clock;
  hooks: readonly Hook[];
  /** This process, among those that tell. */
  holder: string;
  onProblem(problem: { message: string; error: unknown }): void;
}

export interface Deliverer {
  /** Tells what there is to tell now. Answers with when to come again; undefined: when something happens. */
  deliver(signal: AbortSignal): Promise<number | undefined>;
  /** A notice that means nothing, to see whether it arrives. */
  test(name: string): Promise<Answer | undefined>;
}

const PAGE = 500;
const ATTEMPT_MS = 10_000;
/** Longer than an attempt takes: so long others wait for a process that is gone. */
const HOLD_MS = 20_000;
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 600_000;
const GIVE_UP_MS = 24 * 3_600_000;
/** More than fit into a day: processes that come and go, and each count a day anew, come to an end too. */
const MOST_ATTEMPTS = 200;

export function createDeliverer(parts: DeliverParts): Deliverer {
  const { store, clock, hooks, holder, onProblem } = parts;
  /** Up to where there was nothing to tell: saves looking twice, and losing it costs a look. */
  const looked = new Map<string, Position>();
  /** Of each webhook, what is tried and since when: what happened while nobody told has not failed by its age. */
  const tried = new Map<string, { id: string; since: number }>();
  let saidNewer = false;

  async function tell(hook: Hook, signal: AbortSignal): Promise<number | undefined> {
    while (!signal.aborted) {
      const place = await store.outbox.acquire(hook.name, holder, HOLD_MS);
      if (!place) return HOLD_MS;
      const now = clock.now();
      if (place.retryAt !== undefined && place.retryAt > now) return place.retryAt - now;
      const from = Math.max(place.position, looked.get(hook.name) ?? 0);
      const found = await nextNotice(store, from, hook.events);
      if (found.to - place.position >= PAGE && !found.notice) await store.outbox.advance(hook.name, found.to);
      looked.set(hook.name, found.notice ? found.to - 1 : found.to);
      if (found.newer !== undefined) await leaveToNewer(hook, found.newer);
      if (!found.notice) return undefined;
      await attempt(hook, place, { notice: found.notice, position: found.to }, signal);
    }
    return undefined;
  }

  /** Whoever can tell it must not have to wait for this process. */
  async function leaveToNewer(hook: Hook, error: unknown): Promise<void> {
    await store.outbox.acquire(hook.name, holder, 0);
    if (!saidNewer) onProblem({ message: "Webhooks wait for a newer version; no notice is lost.", error });
    saidNewer = true;
  }

  async function attempt(
    hook: Hook,
    place: WebhookCursor,
    { notice, position }: { notice: Notice; position: Position },
    signal: AbortSignal,
  ): Promise<void> {
    const id = `${store.id}.${position}`;
    const answer = await handOver(hook, notice, id, signal);
    // Cut off by our own end: nobody's failure.
    if (signal.aborted && answer.status === undefined) return;
    const attempts = place.attempts + 1;
    const at = clock.now();
    const first = tried.get(hook.name);
    const since = first?.id === id ? first.since : at;
    tried.set(hook.name, { id, since });
    const outcome = outcomeOf(answer, at - since > GIVE_UP_MS || attempts >= MOST_ATTEMPTS);
    const { event, run } = notice;
    const delivery = { webhook: hook.name, id, event, runId: run.id, position, at, attempts, outcome };
    const retryAt = outcome === "failed" ? at + retryIn(attempts) : undefined;
    await store.outbox.record({ ...delivery, detail: answer.detail }, retryAt);
  }

  async function handOver(hook: Hook, notice: Notice, id: string, signal?: AbortSignal): Promise<Answer> {
    if (!hook.url || hook.problem !== undefined) return { detail: hook.problem ?? "it has no address" };
    const late = AbortSignal.timeout(ATTEMPT_MS);
    const until = signal ? AbortSignal.any([signal, late]) : late;
    // Read with the first message: HTTP takes its time, and most processes have nothing to send.
    const { post } = await import("./post.ts");
    return post(hook.url, messageOf(notice, id, clock.now(), hook), hook.judge, until);
  }

  return {
    async deliver(signal) {
      const next = await Promise.all(hooks.map((hook) => tell(hook, signal)));
      const times = next.filter((ms) => ms !== undefined);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    async test(name) {
      const hook = hooks.find((one) => one.name === name);
      return hook && handOver(hook, testNotice(clock.now()), `${store.id}.test.${clock.now()}`);
    },
  };
}

/** The first notice after a place, and where it stands; or up to where there is none, or none that this version knows. */
async function nextNotice(
  store: Store,
  after: Position,
  wanted: readonly WebhookEvent[],
): Promise<{ to: Position; notice?: Notice; newer?: unknown }> {
  let to = after;
  for (;;) {
    let page: JournalEvent[];
    try {
      page = await store.read(to, PAGE, { stopAtNewer: true });
    } catch (error) {
      if (isNewer(error)) return { to, newer: error };
      throw error;
    }
    for (const event of page) {
      to = event.position;
      const notice = mayBeNotice(event) ? await looked(store, event) : undefined;
      if (notice && wanted.includes(notice.event)) return { to, notice };
    }
    // What cannot be read is left out of a page: a short one is not the last.
    if (page.length === 0) return { to };
  }
}

/** A journal that is damaged or pruned tells nothing, and must not keep the others from being told. */
async function looked(store: Store, event: JournalEvent): Promise<Notice | undefined> {
  const row = await store.run(event.runId);
  if (!row || row.parentRunId !== undefined) return undefined;
  const journal = await store.journal(event.runId, 0, event.seq).catch(() => []);
  return noticeOf(event, journal);
}

function outcomeOf({ status }: Answer, isLast: boolean): "delivered" | "failed" | "given up" {
  if (status !== undefined && status >= 200 && status < 300) return "delivered";
  const refused = status !== undefined && status >= 300 && status < 500 && status !== 408 && status !== 429;
  return refused || isLast ? "given up" : "failed";
}

/** Twice as long each time, and not all at the same moment. */
export const retryIn = (attempts: number): number =>
  Math.ceil(Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS) * (0.75 + Math.random() / 2));

function testNotice(now: number): Notice {
  const run = {
    id: "test",
    agent: "cadre",
    task: "This is a test: nothing has happened.",
    status: "completed",
    usage: { cost: 0 },
  } as Notice["run"];
  return { event: "done", run, at: now };
}
