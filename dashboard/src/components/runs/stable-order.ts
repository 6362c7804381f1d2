// U05: rows do not move under a pointer. While the list is held, each row stays where it was and only its words change;
// what is new is counted, what no longer fits stays until the list is let go.

export interface StableRows<Row> {
  shown: Row[];
  /** Rows that are not shown yet. */
  fresh: number;
  /** Of those shown: no longer in the list. */
  removed: ReadonlySet<string>;
}

export function stableOrder<Row extends { id: string }>(
  before: readonly Row[],
  now: readonly Row[],
  held: boolean,
): StableRows<Row> {
  if (!held || before.length === 0) return { shown: [...now], fresh: 0, removed: new Set() };
  const known = new Set(before.map(({ id }) => id));
  const current = new Map(now.map((row) => [row.id, row]));
  // What follows the last row that is known is the next page; what stands before it has come since.
  const next = now.findLastIndex(({ id }) => known.has(id)) + 1;
  return {
    shown: [...before.map((row) => current.get(row.id) ?? row), ...(next === 0 ? [] : now.slice(next))],
    fresh: now.slice(0, next === 0 ? now.length : next).filter(({ id }) => !known.has(id)).length,
    removed: new Set(before.flatMap(({ id }) => (current.has(id) ? [] : [id]))),
  };
}
