// Aligns two lists and keeps their order.
// Equal elements share a row (longest common subsequence). The elements between them are paired in order.
// Two long lists that differ a lot are paired by index, which limits the work.

export interface Pair<T> {
  a: T | undefined;
  b: T | undefined;
}

const MOST_CELLS = 4_000_000;

export function align<T>(left: readonly T[], right: readonly T[], keyOf: (each: T) => string): Pair<T>[] {
  const [as, bs] = [left.map(keyOf), right.map(keyOf)];
  let begin = 0;
  while (begin < as.length && begin < bs.length && as[begin] === bs[begin]) begin++;
  let end = 0;
  while (
    end < as.length - begin &&
    end < bs.length - begin &&
    as[as.length - 1 - end] === bs[bs.length - 1 - end]
  )
    end++;
  const [aEnd, bEnd] = [left.length - end, right.length - end];
  const middle = matches(as.slice(begin, aEnd), bs.slice(begin, bEnd)).map(
    ([i, j]) => [begin + i, begin + j] as const,
  );
  const alike = [
    ...Array.from({ length: begin }, (_, index) => [index, index] as const),
    ...middle,
    ...Array.from({ length: end }, (_, index) => [aEnd + index, bEnd + index] as const),
  ];
  return rowsOf(left, right, alike);
}

/** Index pairs of a longest common subsequence. */
function matches(as: readonly string[], bs: readonly string[]): [number, number][] {
  const width = bs.length + 1;
  if (as.length === 0 || bs.length === 0 || (as.length + 1) * width > MOST_CELLS) return [];
  const longest = new Uint32Array((as.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j]!;
  for (let i = as.length - 1; i >= 0; i--)
    for (let j = bs.length - 1; j >= 0; j--)
      longest[i * width + j] = as[i] === bs[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const found: [number, number][] = [];
  for (let i = 0, j = 0; i < as.length && j < bs.length; ) {
    if (as[i] === bs[j]) found.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return found;
}

function rowsOf<T>(
  left: readonly T[],
  right: readonly T[],
  alike: readonly (readonly [number, number])[],
): Pair<T>[] {
  const rows: Pair<T>[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [...alike, [left.length, right.length] as const]) {
    const gap = Math.max(nextI - i, nextJ - j);
    for (let step = 0; step < gap; step++)
      rows.push({
        a: i + step < nextI ? left[i + step] : undefined,
        b: j + step < nextJ ? right[j + step] : undefined,
      });
    if (nextI < left.length && nextJ < right.length) rows.push({ a: left[nextI], b: right[nextJ] });
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return rows;
}
