// The person's side of a conversation: messages, interruptions, and the answers to questions.

import type { Keys } from "../terminal/keys.ts";

export type Wish =
  /** A message or a command. `steers` is true if the message must reach the run while it works. */
  | { type: "text"; text: string; steers: boolean }
  | { type: "interrupt" }
  | { type: "leave" }
  /** There is no more input. The messages so far are still sent. */
  | { type: "end" };

/** The state of the conversation, for the hint below the text that is being typed. */
export type Phase = "idle" | "working" | "pausing" | "paused" | "waiting";

export interface ChatInput {
  /** Reads the answers to questions. */
  keys: Keys;
  /** Resolves with the next wish. Rejects when the signal is aborted. */
  next(signal: AbortSignal): Promise<Wish>;
  /** Shows what the conversation is doing, and the messages that wait for their turn. */
  show(phase: Phase, queued: readonly string[]): void;
  close(): void;
}

/** Hands wishes over one by one, in the order in which they came. */
export function createWishes() {
  const waiting: Wish[] = [];
  let taker: ((wish: Wish) => void) | undefined;
  return {
    add(wish: Wish): void {
      if (taker) taker(wish);
      else waiting.push(wish);
    },
    next: (signal: AbortSignal): Promise<Wish> =>
      new Promise((resolve, reject) => {
        const onAbort = (): void => {
          taker = undefined;
          reject(signal.reason);
        };
        const take = (wish: Wish): void => {
          taker = undefined;
          signal.removeEventListener("abort", onAbort);
          resolve(wish);
        };
        if (signal.aborted) return onAbort();
        const first = waiting.shift();
        if (first) return take(first);
        taker = take;
        signal.addEventListener("abort", onAbort, { once: true });
      }),
  };
}
