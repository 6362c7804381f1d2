// Words in alphabetical order. A search takes no longer if many words begin alike.
// A stranger's `.env` file can contain such words, and every recorded text is searched for them (A76).

export interface SortedWords {
  /** The longest word with which the text begins at this place. */
  longestAt(text: string, at: number): string | undefined;
  /** A word that begins with this text and is longer. */
  longerThan(start: string): string | undefined;
}

export function sortWords(given: readonly string[]): SortedWords {
  const words = [...new Set(given)].sort(inOrder);
  const longest = words.reduce((most, { length }) => Math.max(most, length), 0);
  /** For each word, the index of its longest prefix among the other words. */
  const within: number[] = [];
  for (const [index, word] of words.entries()) {
    let before = index - 1;
    while (before >= 0 && !word.startsWith(words[before]!)) before = within[before]!;
    within.push(before);
  }
  /** Number of words that come before the text, or are equal to it if `orEqual` is true. */
  const countBefore = (text: string, orEqual: boolean): number => {
    let [low, high] = [0, words.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const order = inOrder(words[middle]!, text);
      if (order < 0 || (orEqual && order === 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    longestAt(text, at) {
      const rest = text.slice(at, at + longest);
      let index = countBefore(rest, true) - 1;
      if (index < 0) return undefined;
      const same = commonLength(words[index]!, rest);
      while (index >= 0 && words[index]!.length > same) index = within[index]!;
      return index < 0 ? undefined : words[index];
    },
    longerThan(start) {
      const next = words[countBefore(start, true)];
      return next?.startsWith(start) ? next : undefined;
    },
  };
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}
