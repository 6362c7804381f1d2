// Delivers notices to webhooks.
// Each webhook has a cursor in the store. Notices are computed from the journal, so a restart loses nothing.
//  WH1  A cursor advances only after its notice was delivered or given up.
//       After a crash, the notice is sent again with the same id.
//  WH2  Only one process at a time serves a webhook.
//       A process that is too old to read the next event releases the webhook, so that a newer process can serve the webhook.
//  WH4  A notice is given up if the endpoint refuses it permanently or if delivery fails for a day. Later notices are still delivered.
//  WH5  A process tries an unsent notice as soon as it starts, even if the previous process would have waited longer. Its delays start short.

import type { Clock } from "../clock.ts";
import type { WebhookEvent } from "../config/schema.ts";
import { CadreError } from "../errors.ts";
import type { Position, RunId } from "../ids.ts";
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
  /** The reason why this webhook cannot be used. Undefined if it can be used. */
  problem: string | undefined;
  events: readonly WebhookEvent[];
  judge: Judge;
}

export interface DeliverParts {
  store: Store;
  clock: Clock;
  hooks: readonly Hook[];
  /** Identifies this process as the holder of cursors. */
  holder: string;
  onProblem(problem: { message: string; error: unknown }): void;
}

export interface Deliverer {
  /** Sends all due notices. Returns the milliseconds until the next attempt, or undefined if only a new event requires an attempt. */
  deliver(signal: AbortSignal): Promise<number | undefined>;
  /** Makes every webhook known to the store, so that it gets the notices of all later events. */
  register(): Promise<void>;
  /** Notices that were not delivered yet, oldest first, up to a limit. */
  owed(hook: Hook): Promise<Owed>;
  /** Sends a test notice. Returns undefined if no webhook has that name. */
  test(name: string): Promise<Answer | undefined>;
}

export interface Owed {
  notices: { event: WebhookEvent; runId: RunId; at: number }[];
  /** True if there are more notices than are listed. */
  more: boolean;
}

const PAGE = 500;
const ATTEMPT_MS = 10_000;
/** How long a process holds a cursor. One attempt is shorter. If the process dies, other processes wait until this time is over. */
const HOLD_MS = 20_000;
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 600_000;
const GIVE_UP_MS = 24 * 3_600_000;
/** After this many attempts, a notice older than a day is given up, even if each restart has begun a new day of retries. */
const MAX_ATTEMPTS = 200;
/** Maximum number of undelivered notices in a list. */
const MAX_OWED = 50;

export function createDeliverer(parts: DeliverParts): Deliverer {
  const { store, clock, hooks, holder, onProblem } = parts;
  /** Maps each webhook to the position up to which the journal contains no notice for the webhook. This avoids reading the journal again. */
  const scanned = new Map<string, Position>();
  /**
   * Maps each webhook to the notice that this process has tried, the time of the first attempt, and the number of attempts.
   * The day of rule WH4 starts at that time. The time is monotonic, because a clock that jumps ahead must not end the day.
   */
  const tried = new Map<string, { id: string; since: number; attempts: number }>();
  let hasReportedNewer = false;

  async function serve(hook: Hook, signal: AbortSignal): Promise<number | undefined> {
    while (!signal.aborted) {
      const cursor = await store.outbox.acquire(hook.name, holder, HOLD_MS);
      if (!cursor) return HOLD_MS;
      const wait = (cursor.retryAt ?? 0) - clock.now();
      // If the retry time is too far in the future, the clock was set back after it was stored. Such a time is ignored.
      if (wait > 0 && wait <= LONGEST_WAIT_MS && tried.has(hook.name)) return wait;
      const from = Math.max(cursor.position, scanned.get(hook.name) ?? 0);
      const found = await nextNotice(store, from, hook.events);
      if (found.to - cursor.position >= PAGE && !found.notice)
        await store.outbox.advance(hook.name, found.to);
      scanned.set(hook.name, found.notice ? found.to - 1 : found.to);
      if (found.newer !== undefined) await leaveToNewer(hook, found.newer);
      if (!found.notice) return undefined;
      await attempt(hook, cursor, { notice: found.notice, position: found.to }, signal);
    }
    return undefined;
  }

  /** Releases the cursor immediately, so that a process of a newer version does not have to wait. */
  async function leaveToNewer(hook: Hook, error: unknown): Promise<void> {
    await store.outbox.acquire(hook.name, holder, 0);
    if (!hasReportedNewer)
      onProblem({ message: "Webhooks wait for a newer version of Cadre; no notice is lost.", error });
    hasReportedNewer = true;
  }

  async function attempt(
    hook: Hook,
    cursor: WebhookCursor,
    { notice, position }: { notice: Notice; position: Position },
    signal: AbortSignal,
  ): Promise<void> {
    const id = `${store.id}.${position}`;
    const answer = await send(hook, notice, id, signal);
    // Cadre's own shutdown interrupted the attempt, so the attempt is not counted as a failure.
    if (signal.aborted && answer.status === undefined) return;
    const attempts = cursor.attempts + 1;
    const at = clock.now();
    const before = tried.get(hook.name);
    const own = before?.id === id ? before : { id, since: clock.elapsed(), attempts: 0 };
    tried.set(hook.name, { ...own, attempts: own.attempts + 1 });
    const isOld = attempts >= MAX_ATTEMPTS && at - notice.at > GIVE_UP_MS;
    const outcome = outcomeOf(answer, isOld || clock.elapsed() - own.since > GIVE_UP_MS);
    const { event, run } = notice;
    const delivery = { webhook: hook.name, id, event, runId: run.id, position, at, attempts, outcome };
    const retryAt = outcome === "failed" ? at + retryIn(Math.min(attempts, own.attempts + 2)) : undefined;
    await store.outbox.record({ ...delivery, detail: answer.detail }, retryAt);
  }

  async function send(hook: Hook, notice: Notice, id: string, signal?: AbortSignal): Promise<Answer> {
    if (!hook.url || hook.problem !== undefined) return { detail: hook.problem ?? "it has no address" };
    const late = AbortSignal.timeout(ATTEMPT_MS);
    const until = signal ? AbortSignal.any([signal, late]) : late;
    // Load the HTTP modules only when the first message is sent: loading takes time, and most processes send nothing.
    const { post } = await import("./post.ts");
    return post(hook.url, messageOf(notice, id, clock.now(), hook), hook.judge, until);
  }

  return {
    async deliver(signal) {
      const next = await Promise.all(hooks.map((hook) => serve(hook, signal)));
      const times = next.filter((ms) => ms !== undefined);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    async register() {
      for (const { name } of hooks) await store.outbox.acquire(name, holder, HOLD_MS);
    },
    async owed({ name, events }) {
      const cursor = (await store.outbox.cursors()).find(({ webhook }) => webhook === name);
      const notices: Owed["notices"] = [];
      if (!cursor) return { notices, more: false };
      for (let after = cursor.position; ; ) {
        const { to, notice } = await nextNotice(store, after, events);
        if (!notice || notices.length === MAX_OWED) return { notices, more: notice !== undefined };
        notices.push({ event: notice.event, runId: notice.run.id, at: notice.at });
        after = to;
      }
    },
    async test(name) {
      const hook = hooks.find((one) => one.name === name);
      return hook && send(hook, testNotice(clock.now()), `${store.id}.test.${clock.now()}`);
    },
  };
}

/**
 * Starting at a position, finds the next notice that the webhook subscribes to. `to` is the position up to which the journal was read.
 * `newer` is set if an event of a newer version ended the search.
 */
async function nextNotice(
  store: Store,
  after: Position,
  wanted: readonly WebhookEvent[],
): Promise<{ to: Position; notice?: Notice; newer?: unknown }> {
  let to = after;
  for (;;) {
    let page: JournalEvent[];
    try {
      page = await store.journal.readAll(to, PAGE, { stopAtNewer: true });
    } catch (error) {
      if (isNewer(error)) return { to, newer: error };
      throw error;
    }
    for (const event of page) {
      to = event.position;
      const notice = mayBeNotice(event) ? await readNotice(store, event) : undefined;
      if (notice && wanted.includes(notice.event)) return { to, notice };
    }
    // A page leaves out unreadable events, so a page that is not full might not be the last. Only an empty page ends the journal.
    if (page.length === 0) return { to };
  }
}

/** Computes the notice of an event. A damaged or pruned journal gives no notice, so that it does not block notices of other runs. */
async function readNotice(store: Store, event: JournalEvent): Promise<Notice | undefined> {
  const row = await store.runs.get(event.runId);
  if (!row || row.parentRunId !== undefined) return undefined;
  const journal = await store.journal.read(event.runId, 0, event.seq).catch((error: unknown) => {
    if (isDamaged(error)) return [];
    // The storage might work again in a moment. Until then, the cursor stays where it is.
    throw error;
  });
  return noticeOf(event, journal);
}

const isDamaged = (error: unknown): boolean =>
  error instanceof CadreError && error.code === "JOURNAL_CORRUPT";

function outcomeOf({ status }: Answer, isLast: boolean): "delivered" | "failed" | "given up" {
  if (status !== undefined && status >= 200 && status < 300) return "delivered";
  const refused = status !== undefined && status >= 300 && status < 500 && status !== 408 && status !== 429;
  return refused || isLast ? "given up" : "failed";
}

const LONGEST_WAIT_MS = 1.25 * LONGEST_RETRY_MS;

/** Returns the delay before the next attempt: exponential back-off with jitter. */
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
