// Tells webhooks beside the runs, for as long as this process drives: whatever an endpoint does, no run waits for it.

import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import type { Store } from "../stores/store.ts";
import { createDeliverer, type Hook } from "./deliver.ts";
import { mayBeNotice } from "./notice.ts";
import type { Answer } from "./post.ts";

export interface Notifier {
  hooks: readonly Hook[];
  /** Undefined: there is none of that name. */
  test(name: string): Promise<Answer | undefined>;
  /** From now on. Answers with what ends it: what is being handed over gets a moment. */
  start(): () => Promise<void>;
}

export interface NotifierParts {
  store: Store;
  clock: Clock;
  hooks: readonly Hook[];
  holder: string;
  repeat: Repeat;
  onProblem(problem: { message: string; error: unknown }): void;
}

type Repeat = (options: {
  work: () => Promise<{ result: undefined; nextIn: number }>;
  retryIn: (failures: number) => number;
  onError: (error: unknown) => void;
}) => { now(): Promise<unknown>; stop(): Promise<void> };

const MOMENT_MS = 2_000;
const A_WHILE_MS = 60_000;

export function createNotifier(parts: NotifierParts): Notifier {
  const { store, hooks, holder, repeat, onProblem } = parts;
  const deliverer = createDeliverer(parts);
  return {
    hooks,
    test: deliverer.test,
    start() {
      if (hooks.length === 0) return async () => {};
      const leaving = new AbortController();
      const telling = repeat({
        work: async () => ({
          result: undefined,
          nextIn: (await deliverer.deliver(leaving.signal)) ?? A_WHILE_MS,
        }),
        retryIn: (failures) => Math.min(1_000 * 2 ** failures, A_WHILE_MS),
        onError: (error) => onProblem({ message: "Telling webhooks failed; it is tried again.", error }),
      });
      const end = store.onCommit((events) => {
        if (events.length === 0 || events.some(mayBeNotice)) void telling.now();
      });
      return async () => {
        end();
        const stopped = telling.stop();
        await Promise.race([stopped, pause(MOMENT_MS, undefined, { ref: false })]);
        leaving.abort();
        await stopped;
        await store.outbox.release(holder);
      };
    },
  };
}
