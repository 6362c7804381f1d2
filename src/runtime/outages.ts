// Reports outages of the store. Each failure is reported where it occurs; the recovery is reported once, after the next
// successful heartbeat, so that the last line of the log is not an error.

import { CadreError } from "../errors.ts";

interface Problem {
  error: unknown;
}

export interface Outages<P extends Problem> {
  report(problem: P): void;
  /** Call it when the store has accepted a heartbeat. */
  recordHeartbeat(): void;
}

export function createOutages<P extends Problem>(
  tell: (problem: P) => void,
  over: (sentence: string) => void = () => {},
): Outages<P> {
  let isAway = false;
  return {
    report(problem) {
      isAway ||= isOutage(problem.error);
      tell(problem);
    },
    recordHeartbeat() {
      if (!isAway) return;
      isAway = false;
      over("The store answers again; runs continue.");
    },
  };
}

/** pg-boss uses the same database and passes on the errors of its driver unchanged. */
const isOutage = (error: unknown): boolean =>
  error instanceof CadreError
    ? error.code === "STORAGE_UNUSABLE"
    : /^(ECONN|ETIMEDOUT|EPIPE|57P0)/.test((error as { code?: string } | undefined)?.code ?? "") ||
      /connection terminated/i.test(error instanceof Error ? error.message : "");
