// When a server that failed is tried again: after 1 s, 2 s, 4 s … up to a minute. No timer runs: who asks too early is told.

import type { Clock } from "../clock.ts";

export interface BackOff {
  /** Why it is not tried now; undefined: it may be. */
  waiting(): string | undefined;
  failed(why: string): void;
  succeeded(): void;
}

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

export function createBackOff(clock: Clock): BackOff {
  let failures = 0;
  let last = "";
  let notBefore = 0;
  return {
    waiting() {
      const wait = notBefore - clock.elapsed();
      return wait > 0 ? `${last}. It is tried again in ${Math.ceil(wait / 1000)} s` : undefined;
    },
    failed(why) {
      // Several who waited for the same attempt have seen one failure.
      if (clock.elapsed() < notBefore) return;
      last = why;
      notBefore = clock.elapsed() + Math.min(FIRST_MS * 2 ** failures++, LONGEST_MS);
    },
    succeeded() {
      failures = 0;
    },
  };
}
