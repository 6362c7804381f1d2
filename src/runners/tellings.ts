// What a program tells, in its order, until somebody asks for the next thing. Bounded: one that tells more than is taken is cut off.

import type { LiveRunner, Told } from "../loop/runners.ts";

export interface Tellings {
  put(told: Told): void;
  /** The last thing that there is to tell: told again to whoever asks again. */
  end(told: Told): void;
  isOver(): boolean;
  /** It is alive, though it tells nothing that has to be known. */
  sign(): void;
  next: LiveRunner["next"];
}

const MAX_WAITING = 10_000;

export function createTellings(tooMuch: () => void): Tellings {
  const waiting: Told[] = [];
  let last: Told | undefined;
  let wake = (): void => {};
  let sign = (): void => {};
  return {
    put(told) {
      if (last) return;
      if (waiting.length >= MAX_WAITING) return tooMuch();
      waiting.push(told);
      wake();
    },
    end(told) {
      last ??= told;
      wake();
    },
    isOver: () => last !== undefined,
    sign: () => sign(),
    async next({ signal, ms, silenceMs }) {
      const { promise: news, resolve } = Promise.withResolvers<Told["type"]>();
      const stop = (): void => resolve("stopped");
      const late = setTimeout(() => resolve("late"), Math.max(0, ms));
      const silent = setTimeout(() => resolve("silent"), silenceMs);
      wake = () => resolve("message");
      sign = () => silent.refresh();
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      else if (waiting.length > 0 || last) wake();
      const why = await news;
      clearTimeout(late);
      clearTimeout(silent);
      signal.removeEventListener("abort", stop);
      if (why === "stopped" || why === "late" || why === "silent") return { type: why };
      return waiting.shift() ?? last!;
    },
  };
}
