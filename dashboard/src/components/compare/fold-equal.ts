// Equal steps in a row are folded into one line, because a reader looks for the differences.

export interface Stretch {
  /** Index of the first row, and the index after the last one. */
  from: number;
  to: number;
  isEqual: boolean;
}

/** A single equal step between two differences is not folded: its line would be as long as the step. */
const LEAST = 2;

export function foldEqual(rows: readonly { same: boolean }[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const [index, { same }] of rows.entries()) {
    const last = stretches.at(-1);
    if (last && last.isEqual === same) last.to = index + 1;
    else stretches.push({ from: index, to: index + 1, isEqual: same });
  }
  return stretches.map((stretch) => ({
    ...stretch,
    isEqual: stretch.isEqual && stretch.to - stretch.from >= LEAST,
  }));
}
