// Reports the end of an outage of the store. Failures during the outage are reported by the code in which they occur.
// The first successful heartbeat after an outage reports the recovery, so that the log does not end with an error.

import { CadreError } from "../errors.ts";

export interface Outages<P> {
  report(problem: P): void;
  /** Must be called whenever the store has accepted a heartbeat. */
  recordHeartbeat(): void;
}

export function createOutages<P extends { error: unknown }>(
  tell: (problem: P) => void,
  over: (sentence: string) => void = () => {},
): Outages<P> {
  let isAway = false;
  return {
    report(problem) {
      isAway ||= problem.error instanceof CadreError && problem.error.code === "STORAGE_UNUSABLE";
      tell(problem);
    },
    recordHeartbeat() {
      if (!isAway) return;
      isAway = false;
      over("The store answers again; runs continue.");
    },
  };
}
