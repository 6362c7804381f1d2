// Sends webhook notices in the background while this process drives runs. No run ever waits for a webhook's endpoint.

import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import { repeat } from "../repeat.ts";
import type { Store } from "../stores/store.ts";
import { createDeliverer, type Hook, type Owed } from "./deliver.ts";
import { mayBeNotice } from "./notice.ts";
import type { Answer } from "./post.ts";

export interface Notifier {
  hooks: readonly Hook[];
  /** Sends a test notice. Returns undefined if no webhook has that name. */
  test(name: string): Promise<Answer | undefined>;
  /** Makes every webhook known to the store. Call this before runs are driven, so that no notice of theirs is left out. */
  register(): Promise<void>;
  /** Notices of a webhook that were not delivered yet, oldest first. */
  owed(hook: Hook): Promise<Owed>;
  /** Starts sending. The returned function stops sending, and lets an open request finish for up to two seconds. */
  start(): () => Promise<void>;
}

export interface NotifierParts {
  store: Store;
  clock: Clock;
  hooks: readonly Hook[];
  holder: string;
  onProblem(problem: { message: string; error: unknown }): void;
}

const SHUTDOWN_MS = 2_000;
const IDLE_MS = 60_000;

export function createNotifier(parts: NotifierParts): Notifier {
  const { store, hooks, holder, onProblem } = parts;
  const deliverer = createDeliverer(parts);
  return {
    hooks,
    test: deliverer.test,
    register: deliverer.register,
    owed: deliverer.owed,
    start() {
      if (hooks.length === 0) return async () => {};
      const shutdown = new AbortController();
      const sending = repeat({
        work: async () => ({
          result: undefined,
          nextIn: (await deliverer.deliver(shutdown.signal)) ?? IDLE_MS,
        }),
        retryIn: (failures) => Math.min(1_000 * 2 ** failures, IDLE_MS),
        onError: (error) =>
          onProblem({ message: "Sending webhook notices failed and will be retried.", error }),
      });
      const unsubscribe = store.journal.onCommit((events) => {
        if (events.length === 0 || events.some(mayBeNotice)) void sending.now();
      });
      return async () => {
        unsubscribe();
        const stopped = sending.stop();
        await Promise.race([stopped, pause(SHUTDOWN_MS, undefined, { ref: false })]);
        shutdown.abort();
        await stopped;
        await store.outbox.release(holder);
      };
    },
  };
}
