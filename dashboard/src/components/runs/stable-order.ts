// U05: rows do not move under the pointer. While the user interacts with the list, rows keep their position and only
// their content changes. New rows are counted, and rows that no longer match stay until the interaction ends.

export interface StableRows<Row> {
  shown: Row[];
  /** Number of new rows that are not shown yet. */
  fresh: number;
  /** Shown rows that are no longer in the list. */
  removed: ReadonlySet<string>;
}

export function stableOrder<Row extends { id: string }>(
  before: readonly Row[],
  now: readonly Row[],
  isHeld: boolean,
): StableRows<Row> {
  if (!isHeld || before.length === 0) return { shown: [...now], fresh: 0, removed: new Set() };
  const known = new Set(before.map(({ id }) => id));
  const current = new Map(now.map((row) => [row.id, row]));
  // Rows after the last known one are the next page; unknown rows before it are new.
  const next = now.findLastIndex(({ id }) => known.has(id)) + 1;
  return {
    shown: [...before.map((row) => current.get(row.id) ?? row), ...(next === 0 ? [] : now.slice(next))],
    fresh: now.slice(0, next === 0 ? now.length : next).filter(({ id }) => !known.has(id)).length,
    removed: new Set(before.flatMap(({ id }) => (current.has(id) ? [] : [id]))),
  };
}
