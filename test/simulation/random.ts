// The only source of randomness in a simulation. The same seed always gives the same sequence of events.

export interface Random {
  /** A random number from 0 (included) to 1 (excluded). */
  next(): number;
  /** A random whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Picks a random entry. Entries with a higher weight are more likely, and an entry of weight 0 is never picked. */
  weighted<T>(entries: readonly (readonly [T, number])[]): T;
}

export function seededRandom(seed: number): Random {
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (list) => list[between(0, list.length - 1)]!,
    weighted(entries) {
      let rest = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [value, weight] of entries) {
        rest -= weight;
        if (weight > 0 && rest < 0) return value;
      }
      return entries.findLast(([, weight]) => weight > 0)![0];
    },
  };
}
