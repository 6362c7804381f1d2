// An outage of the store is told wherever it is met. That it is over is told once, when a worker's next sign of life has
// come through: or the last line of its log would stay an error.

import { CadreError } from "../errors.ts";

interface Problem {
  error: unknown;
}

export interface Outages<P extends Problem> {
  report(problem: P): void;
  /** The store has taken a sign of life. */
  renewed(): void;
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
    renewed() {
      if (!isAway) return;
      isAway = false;
      over("The store answers again; runs go on.");
    },
  };
}

/** pg-boss, which is in the same database, hands on what its driver says. */
const isOutage = (error: unknown): boolean =>
  error instanceof CadreError
    ? error.code === "STORAGE_UNUSABLE"
    : /^(ECONN|ETIMEDOUT|EPIPE|57P0)/.test((error as { code?: string } | undefined)?.code ?? "") ||
      /connection terminated/i.test(error instanceof Error ? error.message : "");
