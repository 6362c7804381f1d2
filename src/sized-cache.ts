// A cache with a limit on the total size of its values, not on their number. The least recently used values are dropped first.

export class SizedCache<Key, Value> {
  private readonly entries = new Map<Key, { value: Value; size: number }>();
  private readonly limit: number;
  private total = 0;

  /** `limit` is in the same unit as the sizes of the values. */
  constructor(limit: number) {
    this.limit = limit;
  }

  get size(): number {
    return this.total;
  }

  get(key: Key): Value | undefined {
    const found = this.entries.get(key);
    if (!found) return undefined;
    this.entries.delete(key);
    this.entries.set(key, found);
    return found.value;
  }

  /** A value that alone exceeds the limit is not kept. */
  set(key: Key, value: Value, size: number): void {
    this.delete(key);
    if (size > this.limit) return;
    this.entries.set(key, { value, size });
    this.total += size;
    for (const oldest of this.entries.keys()) {
      if (this.total <= this.limit) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    this.total -= this.entries.get(key)?.size ?? 0;
    this.entries.delete(key);
  }
}
