// Decides when to retry a server that failed: after 1 s, 2 s, 4 s … up to a minute. There is no timer: a caller that comes
// too early gets the reason and the remaining time.

import type { Clock } from "../clock.ts";

export interface BackOff {
  /** Why the server must not be tried yet; undefined if it may be tried now. */
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
      // Several callers that waited for the same attempt count as one failure.
      if (clock.elapsed() < notBefore) return;
      last = why;
      notBefore = clock.elapsed() + Math.min(FIRST_MS * 2 ** failures++, LONGEST_MS);
    },
    succeeded() {
      failures = 0;
    },
  };
}
