// Pure functions that rank items by how well they match what the user typed.

/** Scores how well a text matches; undefined if a typed word is missing. A match at the start of a word scores higher. */
export function rankOf(text: string, typed: string): number | undefined {
  const where = text.toLowerCase();
  let rank = 0;
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = where.indexOf(word);
    if (at < 0) return undefined;
    rank += at === 0 ? 3 : /[\s/_-]/.test(where[at - 1]!) ? 2 : 1;
  }
  return rank;
}

/** Returns the best matches first. Items with equal scores keep their order. */
export function rankItems<Item extends { label: string; hint?: string | undefined }>(
  items: readonly Item[],
  typed: string,
  most: number,
): Item[] {
  return items
    .flatMap((item) => {
      const rank = rankOf(item.label, typed) ?? rankOf(`${item.label} ${item.hint ?? ""}`, typed);
      return rank === undefined ? [] : [{ item, rank }];
    })
    .toSorted((left, right) => right.rank - left.rank)
    .slice(0, most)
    .map(({ item }) => item);
}
