// The events of the simulation, on a clock that jumps from one event to the next.

interface Entry {
  at: number;
  what: () => void;
}

export class Agenda {
  now = 0;
  /** A heap with the next event first. */
  private readonly entries: Entry[] = [];

  in(ms: number, what: () => void): void {
    const { entries } = this;
    const entry = { at: this.now + ms, what };
    let hole = entries.push(entry) - 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (entries[parent]!.at <= entry.at) break;
      entries[hole] = entries[parent]!;
      hole = parent;
    }
    entries[hole] = entry;
  }

  runUntil(end: number): void {
    for (let next = this.take(); next && next.at <= end; next = this.take()) {
      this.now = next.at;
      next.what();
    }
  }

  private take(): Entry | undefined {
    const { entries } = this;
    const [first] = entries;
    const last = entries.pop();
    if (!first || !last || entries.length === 0) return first;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && entries[child + 1]!.at < entries[child]!.at) child++;
      if (entries[child]!.at >= last.at) break;
      entries[hole] = entries[child]!;
      hole = child;
    }
    entries[hole] = last;
    return first;
  }
}
