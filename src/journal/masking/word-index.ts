// Searches a text for many words in one pass (Wu and Manber).
// If the two characters at the end of a window occur in no word, the search skips nearly the whole window.
// The search must be fast, because every recorded string is searched.

export interface WordIndex {
  /** Finds the first word at or after `from`. If several words begin there, it returns the longest. */
  find(text: string, from: number): { at: number; word: string } | undefined;
  /** Index of a word that is cut off by the end of the text. If there is none, the text's length. */
  unfinishedFrom(text: string): number;
}

const TABLE = 1 << 14;

/** Table index of two characters. A hash collision costs a comparison but never misses a word. */
const place = (first: number, second: number): number => (first * 131 + second) & (TABLE - 1);

/** Words must have at least two characters. */
export function createWordIndex(given: readonly string[]): WordIndex {
  const words = [...new Set(given)].sort((a, b) => b.length - a.length);
  const window = words.at(-1)?.length ?? 2;
  const shifts = new Uint16Array(TABLE).fill(window - 1);
  const ending = new Map<number, string[]>();
  const starting = new Map<number, string[]>();
  for (const word of words) {
    for (let index = 0; index < window - 1; index++) {
      const at = place(word.charCodeAt(index), word.charCodeAt(index + 1));
      shifts[at] = Math.min(shifts[at]!, window - 2 - index);
    }
    add(ending, place(word.charCodeAt(window - 2), word.charCodeAt(window - 1)), word);
    add(starting, word.charCodeAt(0), word);
  }
  const longest = words[0]?.length ?? 0;
  return {
    find(text, from) {
      const last = text.length - window;
      for (let at = from; at <= last; ) {
        const end = place(text.charCodeAt(at + window - 2), text.charCodeAt(at + window - 1));
        const shift = shifts[end]!;
        if (shift > 0) {
          at += shift;
          continue;
        }
        for (const word of ending.get(end) ?? []) if (text.startsWith(word, at)) return { at, word };
        at++;
      }
      return undefined;
    },
    unfinishedFrom(text) {
      for (let from = Math.max(0, text.length - longest + 1); from < text.length; from++) {
        const some = starting.get(text.charCodeAt(from));
        if (!some) continue;
        const rest = text.slice(from);
        if (some.some((word) => word.length > rest.length && word.startsWith(rest))) return from;
      }
      return text.length;
    },
  };
}

function add(lists: Map<number, string[]>, key: number, word: string): void {
  const list = lists.get(key);
  if (list) list.push(word);
  else lists.set(key, [word]);
}

/** Returns a function that tests whether a text of at least `shortest` characters is part of one of the words. */
export function createPartLookup(words: readonly string[], shortest: number): (text: string) => boolean {
  const holders = new Map<string, string[]>();
  for (const word of new Set(words))
    for (let at = 0; at + shortest <= word.length; at++) {
      const part = word.slice(at, at + shortest);
      const list = holders.get(part);
      if (!list) holders.set(part, [word]);
      else if (list.at(-1) !== word) list.push(word);
    }
  return (text) => holders.get(text.slice(0, shortest))?.some((word) => word.includes(text)) ?? false;
}
