// The one door for time. Everything that asks "when" goes through here, so tests and replay own the answer.

export interface Clock {
  /** Milliseconds since the epoch. May jump; order comes from seq, never from here. */
  now(): number;
  /** Milliseconds that only go forward, for measuring how long something took. */
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

/** A clock for tests and simulation: stands still until it is told to move. */
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
