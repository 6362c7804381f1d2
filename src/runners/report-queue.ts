// An ordered queue of a program's reports. It is bounded: a program that reports faster than Cadre reads is killed.

import type { LiveRunner, RunnerReport } from "../loop/programs/runner.ts";

export interface ReportQueue {
  push(told: RunnerReport): void;
  /** Adds the final report. From then on, every read returns this report. */
  end(told: RunnerReport): void;
  isOver(): boolean;
  /** Records that the program is alive although it reports nothing. */
  noteActivity(): void;
  next: LiveRunner["nextReport"];
}

const MAX_WAITING = 10_000;

export function createReportQueue(tooMuch: () => void): ReportQueue {
  const waiting: RunnerReport[] = [];
  let last: RunnerReport | undefined;
  let wake = (): void => {};
  let sign = (): void => {};
  return {
    push(told) {
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
    noteActivity: () => sign(),
    async next({ signal, ms, silenceMs }) {
      const { promise: news, resolve } = Promise.withResolvers<RunnerReport["type"]>();
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
