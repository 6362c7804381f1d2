// The only source of time, so that tests and replay can control it.

export interface Clock {
  /** Milliseconds since the epoch. The time can jump back or ahead, so use `seq` for the order of events. */
  now(): number;
  /** Monotonic milliseconds, for measuring durations. */
  elapsed(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
};

export interface FakeClock extends Clock {
  advance(ms: number): void;
  set(now: number): void;
}

/** A clock for tests and simulation. Its time changes only when a test moves it. */
export function fakeClock(start = 1_700_000_000_000): FakeClock {
  let now = start;
  let elapsed = 0;
  return {
    now: () => now,
    elapsed: () => elapsed,
    advance(ms) {
      now += ms;
      elapsed += ms;
    },
    set(to) {
      now = to;
    },
  };
}
