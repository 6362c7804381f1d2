// Judging a call must never take long, because a model chooses the text that is judged.
// If judging reaches its deadline, Cadre treats the call as unknown, and the call needs approval.

/** Milliseconds that judging a call may take. A usual call takes less than one. */
const JUDGING_MS = 2_000;

/** Thrown by a check after the deadline. */
export class JudgingTookTooLong extends Error {}

export type CheckDeadline = () => void;

export function judgingDeadline(now: () => number = () => performance.now()): CheckDeadline {
  const end = now() + JUDGING_MS;
  return () => {
    if (now() > end) throw new JudgingTookTooLong("judging took too long");
  };
}
